//! Trees over the triangles of the terrain: `build-fast-100k`, `build-balanced-100k`,
//! `build-best-100k`, and the same for a million.

use jostle_geom::Aabb;
use jostle_scenes::Terrain;

use crate::clock::{Task, medians, time};
use crate::cost::{Walk, sah_cost};
use crate::peers::{bvh_crate, obvhs, parry};
use crate::row::Row;
use crate::{Options, ours, short};

const SIZES: [usize; 2] = [100_000, 1_000_000];
const PRESETS: [&str; 3] = ["fast", "balanced", "best"];

/// A peer: its name, what it costs, and a function to time.
struct Peer<'a> {
    name: String,
    version: &'static str,
    cost: f64,
    task: Task<'a>,
}

pub fn run(options: &Options, rows: &mut Vec<Row>) -> Result<(), String> {
    for triangles in SIZES {
        let size = short(triangles);
        let work = |preset| format!("build-{preset}-{size}");
        if PRESETS
            .iter()
            .any(|preset| options.wants(&work(preset), triangles))
        {
            eprintln!("build-{size}");
            let found = compare(triangles, options)?;
            rows.extend(
                found
                    .into_iter()
                    .filter(|row| options.wants(&row.work, triangles)),
            );
        }
    }
    Ok(())
}

/// The cost of a tree, which must hold every box once unless it has `split` some.
fn checked(name: &str, tree: &dyn Walk, boxes: usize, split: bool) -> Result<f64, String> {
    let (cost, held) = sah_cost(tree);
    if held == boxes || split && held >= boxes {
        return Ok(cost);
    }
    Err(format!("{name} holds {held} boxes of {boxes}"))
}

fn compare(static_triangles: usize, options: &Options) -> Result<Vec<Row>, String> {
    let terrain = Terrain {
        static_triangles,
        dynamic: 0,
        seed: 0,
    };
    let scene = terrain.build().map_err(|error| error.to_string())?;
    let boxes: &[Aabb] = &scene.fixed;
    let n = boxes.len();
    let parry_boxes = parry::boxes(boxes);
    let obvhs_boxes = obvhs::boxes(boxes);
    let triangles = obvhs::triangles(&scene.triangles);
    let mut shapes = bvh_crate::shapes(boxes);
    let mut peers: Vec<Peer<'_>> = Vec::new();

    for (preset, params) in obvhs::PRESETS {
        let obvhs_boxes = &obvhs_boxes[..];
        peers.push(Peer {
            name: preset.to_owned(),
            version: obvhs::VERSION,
            cost: checked(preset, &obvhs::build(obvhs_boxes, params), n, false)?,
            task: Box::new(move || time(|| obvhs::build(obvhs_boxes, params))),
        });
    }
    let (preset, params) = obvhs::PRESETS[4];
    let triangles = &triangles[..];
    peers.push(Peer {
        name: format!("{preset}, triangles split"),
        version: obvhs::VERSION,
        cost: checked(preset, &obvhs::build_split(triangles, params), n, true)?,
        task: Box::new(move || time(|| obvhs::build_split(triangles, params))),
    });
    let mut reused = obvhs::Reused::default();
    reused.build(&obvhs_boxes);
    let obvhs_boxes = &obvhs_boxes[..];
    peers.push(Peer {
        name: "fastest, memory reused".to_owned(),
        version: obvhs::VERSION,
        cost: checked("fastest", &reused.tree, n, false)?,
        task: Box::new(move || time(|| reused.build(obvhs_boxes))),
    });
    let parry_boxes = &parry_boxes[..];
    peers.push(Peer {
        name: "binned".to_owned(),
        version: parry::VERSION,
        cost: checked("parry", &parry::Shown(&parry::build(parry_boxes)), n, false)?,
        task: Box::new(move || time(|| parry::build(parry_boxes))),
    });
    let tree = bvh_crate::build(&mut shapes);
    peers.push(Peer {
        name: "build".to_owned(),
        version: bvh_crate::VERSION,
        cost: checked("bvh", &bvh_crate::Shown(&tree, &shapes), n, false)?,
        task: Box::new(move || time(|| bvh_crate::build(&mut shapes))),
    });
    drop(tree);

    let mut tasks: Vec<Task<'_>> = Vec::new();
    let mut ours_costs = Vec::new();
    let presets: Vec<_> = PRESETS.map(|name| (name, ours::preset(name))).into();
    for &(name, builder) in &presets {
        let Some(builder) = builder else {
            eprintln!("there is no preset {name} yet");
            ours_costs.push(f64::NAN);
            tasks.push(Box::new(|| f64::NAN));
            continue;
        };
        ours_costs.push(checked(name, &ours::build(boxes, builder)?, n, false)?);
        tasks.push(Box::new(move || time(|| ours::build(boxes, builder))));
    }
    for peer in &mut peers {
        tasks.push(Box::new(|| (peer.task)()));
    }
    let repeats = options.repeats(n).min(if n < 1_000_000 { 15 } else { 3 });
    let times = medians(&mut tasks, repeats);
    drop(tasks);

    let mut rows = Vec::new();
    for (preset, name) in PRESETS.iter().enumerate() {
        for (peer, &peer_ms) in peers.iter().zip(&times[PRESETS.len()..]) {
            rows.push(Row {
                work: format!("build-{name}-{}", short(static_triangles)),
                ours: (*name).to_owned(),
                ours_ms: times[preset],
                peer: peer.name.clone(),
                peer_version: peer.version,
                peer_ms,
                threads: options.threads,
                ours_cost: Some(ours_costs[preset]),
                peer_cost: Some(peer.cost),
                ..Row::default()
            });
        }
    }
    Ok(rows)
}
