//! Sizes and thresholds. None of them changes which pairs are found; they change the time taken,
//! the order in which pairs come and the way they are cut into tasks.

use crate::bvh::Builder;

/// Level of the blocks that tasks of the tree are made of: a task is one block of this level with
/// at most 8³ = 512 boxes. Larger tasks start fewer searches from the root but balance worse.
pub(crate) const TASK_LEVEL: usize = 2;

/// Boxes a chunk of the parallel build holds.
pub(crate) const BUILD_CHUNK: usize = 8192;

/// Boxes whose centres are looked at to place the grid of the Hilbert curve.
pub(crate) const QUANTILE_SAMPLE: usize = 1024;

/// The grid spans the sampled centres without this part of them at either end of each axis…
pub(crate) const QUANTILE_CUT: f64 = 1.0 / 64.0;

/// …and this much more of its extent on either side, which for even spacing is what was cut.
pub(crate) const QUANTILE_MARGIN: f64 = 1.0 / 32.0;

/// Runs of equal keys longer than this are sorted again by keys within their own bounds.
pub(crate) const LONGEST_RUN: usize = 64;

/// Such runs that make a task.
pub(crate) const RUN_CHUNK: usize = 16;

/// A refit whose leaves have this many times the surface they had when they were sorted is sorted
/// anew: the joins slow down about as the surface grows, and sorting costs about a fifth of them.
pub(crate) const REFIT_GROWTH: f64 = 1.5;

/// Below this many items a comparison sort beats the radix sort's histograms.
pub(crate) const RADIX_FROM: usize = 256;

/// Up to this many pairs of two leaves are written one by one, more of them a row at a time: the
/// loop over bits ends with a branch that cannot be foreseen, the rows cost the same for any
/// number.
pub(crate) const FEW_BITS: u32 = 4;

/// Pairs of leaves whose boxes are tested in one go; up to 63 more may come. Their rows stay in the
/// innermost cache.
pub(crate) const LEAF_BATCH: usize = 128;

/// A batch with so many pairs for each pair of leaves makes the rest of its task test all 64 pairs
/// of two leaves at once: rows found one by one load the boxes of the other leaf each time.
pub(crate) const DENSE_HITS: usize = 16;

/// Rows of the sorted list that make a task of the sweep.
pub(crate) const SWEEP_ROWS: usize = 1024;

/// Rows that make a task of the brute force.
pub(crate) const BRUTE_ROWS: usize = 256;

/// Blocks of eight rows that make a task of the brute force by vectors.
pub(crate) const BRUTE_BLOCKS: usize = 4;

/// Boxes that make a task of the grid, the hash and the sweep over cells.
pub(crate) const CELL_ROWS: usize = 512;

/// A level of sizes has more than this part of the boxes, but for the last: each box looks into all
/// levels above its own.
pub(crate) const LEVEL_SHARE: usize = 64;

/// Boxes of a level of sizes whose corners are looked at to place its cells.
pub(crate) const LEVEL_SAMPLE: usize = 512;

/// Boxes that a column of the sweep has at least, on average.
pub(crate) const SWEEP_COLUMN: usize = 16;

/// Up to this many boxes brute force by vectors is the fastest method.
pub(crate) const AUTO_BRUTE: usize = 360;

/// Places that bounds may move in a frame, times the number of boxes, before the incremental sweep
/// and prune sorts anew.
pub(crate) const SAP_MOVES: usize = 64;

/// Below this many pairs of ids a comparison sort beats the radix sort.
pub(crate) const PAIR_RADIX_FROM: usize = 2048;

/// Items that the parallel radix sort gives a thread at least: cutting the output into slots costs
/// as much as moving some thousand items.
pub(crate) const RADIX_CHUNK: usize = 1 << 14;

/// Boxes of a subtree that one thread builds alone.
pub(crate) const BUILD_TASK: usize = 4096;

/// Clusters whose subtrees make a task.
pub(crate) const CLUSTER_TASK: usize = 16;

/// Bins an axis of the binned builder.
pub(crate) const SAH_BINS: usize = 32;

/// Bins of nodes that have fewer than twice as many boxes as there are bins.
pub(crate) const SMALL_BINS: usize = 8;

/// Most boxes of a Morton cluster of the fast builder: longer linear trees are faster and worse.
pub(crate) const FAST_CLUSTER: usize = 32;

/// Most boxes of a Morton cluster, and bins an axis above them.
pub(crate) const HLBVH_CLUSTER: usize = 16;
pub(crate) const HLBVH_BINS: usize = 16;

/// Most boxes of a cluster of the balanced builder, and bins an axis.
pub(crate) const BALANCED_CLUSTER: usize = 2048;
pub(crate) const BALANCED_BINS: usize = 32;

/// Bins an axis of the tree that the best builder improves.
pub(crate) const BEST_BINS: usize = 64;

/// Rounds of reinsertion over all nodes: the third still saves about a thousandth.
pub(crate) const REINSERT_ROUNDS: usize = 3;

/// Batches that a round is made in: more of them find better places and visit memory more at random.
pub(crate) const REINSERT_BATCHES: usize = 4;

/// Nodes that one thread searches places for in one go.
pub(crate) const REINSERT_CHUNK: usize = 512;

/// A treelet of a dynamic tree ends where the number of leaves below has fewer digits to the base two
/// to this: the lowest treelets have up to 255 leaves. With 63 the tree of a stirred box stays at 1.13
/// times the cost of a new one, with 127 at 1.11, with 255 at 1.07.
pub(crate) const TREELET_BITS: u32 = 8;

/// Nodes that a treelet is rebuilt over. Twice as many gain less than 0.01 of the cost.
pub(crate) const TREELET_ITEMS: usize = 256;

/// What treelets are built with. With `Fast` the tree of a stirred box stays 0.1 worse; `SahFull` takes
/// twice as long and gains nothing.
pub(crate) const TREELET_BUILDER: Builder = Builder::Balanced;

/// A treelet whose areas have grown by less than this part of them is left alone. With 0.05 the tree of
/// a stirred box stays 0.1 worse.
pub(crate) const DEGRADED: f32 = 0.01;

/// Treelets rebuilt a frame unless the caller says otherwise. A stirred box of 10,000 stays at 1.10
/// times the cost of a new tree with 8, at 1.08 with 16, at 1.07 with 32.
pub(crate) const TREELETS: usize = 16;

/// Nodes that an insertion may open beyond those of its greedy descent. A tree of 10,000 inserted boxes
/// costs 1.38 times as much as a built one with 32, 1.09 with 128, in the same time: the better the
/// tree, the sooner the search ends.
pub(crate) const INSERT_SEARCH: usize = 128;

/// A stored box with more than this many times the area it would get anew is replaced even though
/// the tight one is inside.
pub(crate) const STORED_SLACK: f64 = 4.0;

/// Most triangles in a block of the triangle tree, at most 8.
pub(crate) const BLOCK_TRIANGLES: usize = 8;

/// Cost of testing a block of triangles where a visit of a wide node costs 1.
pub(crate) const BLOCK_COST: f32 = 1.0;

/// Links that may wait without memory from the heap: seven for each level of a wide tree, whose
/// depth is about 8 for a million triangles.
pub(crate) const WALK_STACK: usize = 96;

/// Bytes of a triangle tree from which on batches of rays are sorted along a curve: the sort costs
/// some tens of nanoseconds a ray, a miss of the cache costs more.
pub(crate) const SORT_RAYS_FROM: usize = 16 << 20;

/// Rays that make a task of a batch.
pub(crate) const RAY_CHUNK: usize = 512;

/// Pairs of nodes that a parallel join of two trees is cut into, at least where there are enough.
pub(crate) const PAIR_TASKS: usize = 128;

/// Tasks that run at the same time when there is a limit to the pairs: each may find as many as
/// are allowed.
pub(crate) const TASKS_AT_ONCE: usize = 16;

/// Below so many bodies a tree is built in every frame, however few of them move…
pub(crate) const REBUILD_BELOW: usize = 500;

/// …and above it where more than this part of them moves.
pub(crate) const REBUILD_SHARE: f64 = 0.01;

/// Volumes that go down a wide tree together.
pub(crate) const FRONT_VOLUMES: usize = 256;

/// A level with more pairs of these volumes and nodes, or more boxes found, is given up and the
/// volumes go one by one: one of them may meet everything. A quarter of a megabyte.
pub(crate) const FRONT_LIMIT: usize = 1 << 15;

/// Entries of the front that the join with a static tree tests in one go. Few enough for the
/// innermost caches, many enough to keep the memory busy.
pub(crate) const WAVE_BATCH: usize = 1024;

/// Entries of the front whose blocks are loaded before any of them is tested. The loads are few
/// instructions, so that many wait for memory at the same time; the tests are many, and the processor
/// looks only some hundred instructions ahead.
pub(crate) const WAVE_AHEAD: usize = 32;

/// Eight bodies walk down a static tree together as long as they overlap at most this many blocks of
/// the next level; then each goes its own way.
pub(crate) const WAVE_SPREAD: u32 = 2;

/// Below so many bodies a dual tree sorts all that are awake, however few of them move…
pub(crate) const REST_BELOW: usize = 100;

/// …and above it where more than this part of them moves.
pub(crate) const REST_SHARE: f64 = 0.15;

/// A tree of bodies that fell asleep takes in an older one of up to this many times its size.
pub(crate) const TIER_GROWTH: usize = 2;
