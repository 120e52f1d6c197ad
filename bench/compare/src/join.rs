//! All pairs of a set of boxes, build included: `self-join-1k` to `self-join-1m`, and the same with
//! `-clustered`.

use jostle_geom::Aabb;
use jostle_scenes::{ClusteredBoxes, UniformBoxes};
use parry3d::partitioning::BvhWorkspace;

use crate::clock::{Task, medians, time};
use crate::pairs::{Pairs, check, normalised};
use crate::peers::{bvh_crate, obvhs, parry, rstar};
use crate::row::Row;
use crate::{Options, ours, short};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// A peer: a function that builds and joins, and appends the pairs.
struct Peer<'a> {
    name: &'static str,
    version: &'static str,
    join: Box<dyn FnMut(&mut Pairs) + 'a>,
}

pub fn run(options: &Options, rows: &mut Vec<Row>) -> Result<(), String> {
    for boxes in SIZES {
        for clustered in [false, true] {
            let suffix = if clustered { "-clustered" } else { "" };
            let work = format!("self-join-{}{suffix}", short(boxes));
            if !options.wants(&work, boxes) {
                continue;
            }
            eprintln!("{work}");
            let scene = if clustered {
                ClusteredBoxes { boxes, seed: 0 }.build()
            } else {
                UniformBoxes { boxes, seed: 0 }.build()
            };
            let scene = scene.map_err(|error| error.to_string())?;
            rows.extend(compare(&work, &scene.moving, options)?);
        }
    }
    Ok(())
}

fn compare(work: &str, boxes: &[Aabb], options: &Options) -> Result<Vec<Row>, String> {
    let parry_boxes = parry::boxes(boxes);
    let obvhs_boxes = obvhs::boxes(boxes);
    let shapes = bvh_crate::shapes(boxes);
    let items = rstar::items(boxes);
    let mut workspace = BvhWorkspace::default();
    let mut reused = obvhs::Reused::default();
    let obvhs_boxes = &obvhs_boxes[..];
    let items = &items[..];
    let mut peers = vec![
        Peer {
            name: "binned build, tree with itself",
            version: parry::VERSION,
            join: Box::new(|pairs| {
                parry::self_pairs(&parry::build(&parry_boxes), &mut workspace, pairs);
            }),
        },
        Peer {
            name: "fastest build reused, queries",
            version: obvhs::VERSION,
            join: Box::new(|pairs| {
                reused.build(obvhs_boxes);
                obvhs::self_pairs(&reused.tree, obvhs_boxes, pairs);
            }),
        },
        Peer {
            name: "5% reinsertion, queries",
            version: obvhs::VERSION,
            join: Box::new(move |pairs| {
                let tree = obvhs::build(obvhs_boxes, obvhs::PRESETS[1].1);
                obvhs::self_pairs(&tree, obvhs_boxes, pairs);
            }),
        },
        Peer {
            name: "bulk load, queries",
            version: rstar::VERSION,
            join: Box::new(move |pairs| {
                let tree = ::rstar::RTree::bulk_load(items.to_vec());
                rstar::self_pairs(&tree, items, pairs);
            }),
        },
        Peer {
            name: "bulk load, tree with itself",
            version: rstar::VERSION,
            join: Box::new(move |pairs| {
                rstar::self_pairs_joint(&::rstar::RTree::bulk_load(items.to_vec()), pairs);
            }),
        },
        Peer {
            name: "build, queries",
            version: bvh_crate::VERSION,
            join: Box::new(move |pairs| {
                let mut shapes = shapes.clone();
                let tree = bvh_crate::build(&mut shapes);
                bvh_crate::self_pairs(&tree, &shapes, pairs);
            }),
        },
    ];
    let method = ours::join_method();
    let mut phase = method.start(&ours::options());
    let mut ours_join = |pairs: &mut Pairs| -> Result<(), String> {
        phase.build(&[], boxes).map_err(|error| error.to_string())?;
        phase
            .append_pairs(pairs)
            .map_err(|error| error.to_string())?;
        Ok(())
    };

    let mut pairs = Pairs::new();
    ours_join(&mut pairs)?;
    let expected = normalised(&pairs);
    for peer in &mut peers {
        pairs.clear();
        (peer.join)(&mut pairs);
        check(peer.name, &pairs, &expected)?;
    }

    // Everybody appends to memory that is there already.
    let list = || Pairs::with_capacity(expected.len() + 8);
    let mut ours_list = list();
    let mut tasks: Vec<Task<'_>> = vec![Box::new(move || {
        ours_list.clear();
        time(|| ours_join(&mut ours_list))
    })];
    for peer in &mut peers {
        let mut pairs = list();
        tasks.push(Box::new(move || {
            pairs.clear();
            time(|| (peer.join)(&mut pairs))
        }));
    }
    let times = medians(&mut tasks, options.repeats(boxes.len()));
    drop(tasks);
    let rows = peers.iter().zip(&times[1..]).map(|(peer, &peer_ms)| Row {
        work: work.to_owned(),
        ours: method.to_string(),
        ours_ms: times[0],
        peer: peer.name.to_owned(),
        peer_version: peer.version,
        peer_ms,
        threads: options.threads,
        pairs: Some(expected.len()),
        ..Row::default()
    });
    Ok(rows.collect())
}
