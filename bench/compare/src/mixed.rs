//! Frames of a terrain with moving boxes: `mixed-100k-5k` and `mixed-1m-10k`.

use jostle_broad::BroadPhase;
use jostle_geom::Aabb;
use jostle_scenes::Terrain;

use crate::clock::{median, time};
use crate::pairs::{Pairs, check, normalised};
use crate::peers::parry::{self, Search, Upkeep};
use crate::peers::parry_one_tree::OneTree;
use crate::peers::{Frame, MixedPeer, obvhs};
use crate::row::Row;
use crate::{Options, ours, short};

/// Triangles and moving boxes of the works.
const SIZES: [(usize, usize); 2] = [(100_000, 5_000), (1_000_000, 10_000)];
/// Frames before the first one: the slab above the terrain has then reached its lasting density.
const SETTLE: usize = 100;
/// Frames that one alternative runs before the next takes over: long enough for warm caches, as in
/// a game where nobody else's trees pass through them, and short enough to meet the same
/// disturbances.
const BLOCK: usize = 12;

/// Milliseconds of each frame: the update, and all of it.
#[derive(Default)]
struct Times {
    update: Vec<f64>,
    whole: Vec<f64>,
}

impl Times {
    fn add(&mut self, update: f64, pairs: f64) {
        self.update.push(update);
        self.whole.push(update + pairs);
    }
}

pub fn run(options: &Options, rows: &mut Vec<Row>) -> Result<(), String> {
    for (triangles, moving) in SIZES {
        let work = format!("mixed-{}-{}", short(triangles), short(moving));
        if options.wants(&work, triangles) {
            eprintln!("{work}");
            rows.extend(compare(&work, triangles, moving, options)?);
        }
    }
    Ok(())
}

fn compare(
    work: &str,
    static_triangles: usize,
    dynamic: usize,
    options: &Options,
) -> Result<Vec<Row>, String> {
    let terrain = Terrain {
        static_triangles,
        dynamic,
        seed: 0,
    };
    let mut scene = terrain.build().map_err(|error| error.to_string())?;
    (0..SETTLE).for_each(|_| scene.advance());
    let frames: Vec<Frame> = (0..options.frames.max(1))
        .map(|_| {
            scene.advance();
            Frame::new(&scene.moving)
        })
        .collect();
    let fixed = &scene.fixed[..];
    let parry_fixed = parry::boxes(fixed);
    let two = |name, upkeep, search| -> Box<dyn MixedPeer> {
        let first = &frames[0];
        Box::new(parry::TwoTrees::new(
            name,
            &parry_fixed,
            first,
            upkeep,
            search,
        ))
    };
    let mut peers: Vec<Box<dyn MixedPeer>> = vec![
        two(
            "two trees, optimised, joint",
            Upkeep::Optimise,
            Search::Joint,
        ),
        two(
            "two trees, optimised, queries",
            Upkeep::Optimise,
            Search::Queries,
        ),
        two(
            "two trees, optimised rarely, joint",
            Upkeep::OptimiseRarely,
            Search::Joint,
        ),
        two(
            "two trees, optimised rarely, queries",
            Upkeep::OptimiseRarely,
            Search::Queries,
        ),
        two(
            "two trees, rebuilt, queries",
            Upkeep::Rebuild,
            Search::Queries,
        ),
        Box::new(OneTree::new(&parry_fixed, &frames[0])),
        Box::new(obvhs::TwoTrees::new(&obvhs::boxes(fixed))),
    ];
    let method = ours::mixed_method();
    let mut phase = method.start(&ours::options());
    phase
        .build(fixed, &frames[0].jostle)
        .map_err(|error| error.to_string())?;

    let expected = verify(&frames, fixed, phase.as_mut(), &mut peers)?;
    let mut ours_times = Times::default();
    let mut peer_times: Vec<Times> = peers.iter().map(|_| Times::default()).collect();
    let mut pairs = Pairs::with_capacity(2 * expected);
    for block in frames.chunks(BLOCK) {
        for frame in block {
            let update = time(|| phase.update(&frame.jostle));
            pairs.clear();
            ours_times.add(update, time(|| phase.append_pairs(&mut pairs)));
        }
        for (peer, times) in peers.iter_mut().zip(&mut peer_times) {
            for frame in block {
                let update = time(|| peer.update(frame));
                pairs.clear();
                times.add(update, time(|| peer.pairs(&mut pairs)));
            }
        }
    }
    let (ours_ms, ours_update) = (
        median(&mut ours_times.whole),
        median(&mut ours_times.update),
    );
    let rows = peers.iter().zip(&mut peer_times).map(|(peer, times)| Row {
        work: work.to_owned(),
        ours: method.to_string(),
        ours_ms,
        peer: peer.name().to_owned(),
        peer_version: peer.version(),
        peer_ms: median(&mut times.whole),
        threads: options.threads,
        pairs: Some(expected),
        ours_update_ms: Some(ours_update),
        peer_update_ms: Some(median(&mut times.update)),
        ..Row::default()
    });
    Ok(rows.collect())
}

/// Runs a few frames and compares the pairs of each; returns the number in the last one.
fn verify(
    frames: &[Frame],
    fixed: &[Aabb],
    phase: &mut dyn BroadPhase,
    peers: &mut [Box<dyn MixedPeer>],
) -> Result<usize, String> {
    let mut count = 0;
    for frame in frames.iter().take(10) {
        phase
            .update(&frame.jostle)
            .map_err(|error| error.to_string())?;
        let mut found = Pairs::new();
        phase
            .append_pairs(&mut found)
            .map_err(|error| error.to_string())?;
        let expected = normalised(&found);
        count = expected.len();
        let the_box = |id: u32| {
            let id = id as usize;
            fixed.get(id).or_else(|| frame.jostle.get(id - fixed.len()))
        };
        for peer in peers.iter_mut() {
            peer.update(frame);
            found.clear();
            peer.pairs(&mut found);
            if let Some(kept) = peer.kept_pairs() {
                found = kept;
            }
            if peer.enlarges() {
                found.retain(|&[a, b]| match (the_box(a), the_box(b)) {
                    (Some(a), Some(b)) => a.overlaps(b),
                    _ => false,
                });
            }
            check(peer.name(), &found, &expected)?;
        }
    }
    Ok(count)
}
