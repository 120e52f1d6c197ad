//! Keeping one tree from frame to frame against building one in every frame: milliseconds a frame, medians,
//! one thread, for numbers of bodies and shares of them that move. Both take the same boxes in the same
//! run and find the pairs with a moving body in them.
//!
//! `cargo run --release -p jostle-bench --bin upkeep`, optionally with the largest number of bodies
//! (default 1,000,000).

use std::error::Error;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use jostle::broad::dynamic::{DynamicTree, Move, PairQuery};
use jostle::broad::h8::{self, Tree};
use jostle::broad::{bvh::Builder, upkeep};
use jostle::scenes::UniformBoxes;
use jostle::simd::SimdLevel;

/// One body in so many moves.
const STRIDES: [usize; 7] = [1000, 300, 100, 30, 10, 3, 1];

/// Bodies looked at in all frames of a row, about.
const WORK: usize = 3_000_000;

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let most = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1_000_000,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!(
        "| bodies | moving | update | maintain | pairs | build h8 | build and join h8 | faster | chosen |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for bodies in [100, 1_000, 10_000, 100_000, 1_000_000] {
        for stride in STRIDES {
            if bodies <= most && stride < bodies {
                pool.install(|| row(bodies, stride))?;
            }
        }
    }
    Ok(())
}

fn row(bodies: usize, stride: usize) -> Result<(), Box<dyn Error + Send + Sync>> {
    let level = SimdLevel::Auto.token()?;
    let mut scene = UniformBoxes {
        boxes: bodies,
        seed: 1,
    }
    .build()?;
    let mut boxes = scene.moving.clone();
    let mut tree = DynamicTree::new();
    let mut handles = Vec::new();
    for &aabb in &boxes {
        handles.push(tree.insert(aabb)?);
    }
    tree.rebuild(Builder::Balanced, level)?;
    let frames = (WORK / bodies).clamp(7, 300);
    let mut times = [const { Vec::new() }; 5];
    let mut moves = Vec::new();
    let mut took = |kind: usize, start: Instant| {
        times[kind].push(start.elapsed().as_secs_f64() * 1e3);
    };
    for _ in 0..frames {
        scene.advance();
        moves.clear();
        for at in (0..bodies).step_by(stride) {
            boxes[at] = scene.moving[at];
            moves.push(Move::new(handles[at], boxes[at]));
        }
        tree.begin_frame();
        let start = Instant::now();
        tree.update(&moves)?;
        took(0, start);
        let start = Instant::now();
        tree.maintain(upkeep::TREELETS);
        took(1, start);
        let start = Instant::now();
        let mut pairs = Vec::new();
        tree.self_pairs(PairQuery::MOVED, |a, b| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        });
        black_box(&pairs);
        took(2, start);
        let start = Instant::now();
        black_box(Tree::build(&boxes, level));
        took(3, start);
        let start = Instant::now();
        black_box(h8::self_pairs(&boxes, level)?);
        took(4, start);
    }
    let [update, maintain, pairs, build, join] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    let moving = bodies.div_ceil(stride);
    let faster = if update + maintain + pairs < join {
        "kept"
    } else {
        "built"
    };
    println!(
        "| {bodies} | {moving} | {update:.4} | {maintain:.4} | {pairs:.4} | {build:.4} | {join:.4} | {faster} | {} |",
        upkeep::choose(bodies, moving)
    );
    Ok(())
}
