//! Queries over the triangles of the terrain: closest hits of rays (`ray-100k`, `ray-1m`) and box
//! overlaps (`overlap-100k`, `overlap-1m`).

use glam::{DVec3, Vec3};
use jostle_geom::Aabb;
use jostle_scenes::{BoxScene, Rng, Terrain};

use crate::clock::{Task, medians, time};
use crate::peers::{Hittable, bvh_crate, obvhs, parry};
use crate::row::Row;
use crate::{Options, ours, short};

const SIZES: [usize; 2] = [100_000, 1_000_000];
/// Rays or boxes asked in one repeat.
const QUERIES: usize = 20_000;
/// Of this many rays one may be a hit for one and a miss for another, or hit something else: at the
/// rim of a triangle the rounding of a test decides, and none of the tests is watertight.
const RAYS_PER_DOUBT: usize = 500;

/// Where a ray starts, and its direction, of length 1.
#[derive(Clone, Copy)]
pub struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

/// Appends the answers of all queries.
type Ask<'a, T> = Box<dyn FnMut(&mut Vec<T>) + 'a>;

/// A peer and its way to answer.
struct Peer<'a, T> {
    name: &'static str,
    version: &'static str,
    ask: Ask<'a, T>,
}

pub fn run(options: &Options, rows: &mut Vec<Row>) -> Result<(), String> {
    for static_triangles in SIZES {
        let names = ["ray", "overlap"].map(|kind| format!("{kind}-{}", short(static_triangles)));
        let [ray, overlap] = names;
        let wants = |work: &str| options.wants(work, static_triangles);
        if !wants(&ray) && !wants(&overlap) {
            continue;
        }
        let terrain = Terrain {
            static_triangles,
            dynamic: 0,
            seed: 0,
        };
        let scene = terrain.build().map_err(|error| error.to_string())?;
        if wants(&ray) {
            eprintln!("{ray}");
            rows.extend(compare_rays(&ray, &scene, options)?);
        }
        if wants(&overlap) {
            eprintln!("{overlap}");
            rows.extend(compare_overlaps(&overlap, &scene, options)?);
        }
    }
    Ok(())
}

/// Rays from 0.5 to 21 m above random triangles and up to 1 m aside (or they would start in the plane
/// of a prop's wall), in uniform directions: two in five hit.
fn rays(scene: &BoxScene) -> Vec<Ray> {
    let ray = |index: usize| {
        let mut rng = Rng::new(1, index as u64);
        let [a, _, _] = scene.triangles[rng.index(scene.triangles.len())];
        Ray {
            origin: a + (rng.cube() + DVec3::Z * rng.range(1.5, 20.0)).as_vec3(),
            direction: rng.direction().as_vec3(),
        }
    };
    (0..QUERIES).map(ray).collect()
}

/// Boxes around the middles of random triangles, sized for about 8.5 hits.
fn boxes(scene: &BoxScene) -> Vec<Aabb> {
    let one = |index: usize| {
        let mut rng = Rng::new(2, index as u64);
        let middle = scene.fixed[rng.index(scene.fixed.len())].centre();
        let half = ((rng.cube() * 0.5 + 1.0) * 0.475).as_vec3();
        Aabb::new(middle - half, middle + half)
    };
    (0..QUERIES).map(one).collect()
}

fn compare_rays(work: &str, scene: &BoxScene, options: &Options) -> Result<Vec<Row>, String> {
    let rays = &rays(scene)[..];
    let triangles: Vec<Hittable> = scene.triangles.iter().map(Hittable::new).collect();
    let triangles = &triangles[..];
    let obvhs_triangles = obvhs::triangles(&scene.triangles);
    let wide = obvhs::RayTree::wide(&obvhs_triangles);
    let binary = obvhs::RayTree::binary(&obvhs_triangles);
    let parry_tree = parry::build(&parry::boxes(&scene.fixed));
    let mut shapes = bvh_crate::shapes(&scene.fixed);
    let bvh_tree = bvh_crate::build(&mut shapes);
    let mut peers: Vec<Peer<'_, f32>> = vec![
        Peer {
            name: "wide compressed tree, very_slow",
            version: obvhs::VERSION,
            ask: Box::new(|out| out.extend(rays.iter().map(|ray| wide.closest_hit(ray)))),
        },
        Peer {
            name: "binary tree, very_slow",
            version: obvhs::VERSION,
            ask: Box::new(|out| out.extend(rays.iter().map(|ray| binary.closest_hit(ray)))),
        },
        Peer {
            name: "binned",
            version: parry::VERSION,
            ask: Box::new(|out| {
                let hit = |ray| parry::closest_hit(&parry_tree, triangles, ray);
                out.extend(rays.iter().map(hit));
            }),
        },
        Peer {
            name: "nearest first",
            version: bvh_crate::VERSION,
            ask: Box::new(|out| {
                let hit = |ray| bvh_crate::closest_hit(&bvh_tree, &shapes, triangles, ray);
                out.extend(rays.iter().map(hit));
            }),
        },
    ];
    let mut ours_tree = ours::RayTree::new(scene, rays)?;
    ours_tree.ask()?;
    let expected = ours_tree.distances();
    for peer in &mut peers {
        let mut found = Vec::new();
        (peer.ask)(&mut found);
        check_hits(peer.name, &found, &expected)?;
    }
    let hits = expected.iter().filter(|t| t.is_finite()).count();
    eprintln!("  {hits} of {} rays hit", rays.len());
    let ours_task: Task<'_> = Box::new(|| time(|| ours_tree.ask()));
    Ok(finish(
        work,
        vec![("triangles", ours_task)],
        peers,
        hits,
        scene.fixed.len(),
        options,
    ))
}

/// Distances must agree but for a few rays that pass at the rim of a triangle.
fn check_hits(peer: &str, found: &[f32], expected: &[f32]) -> Result<(), String> {
    let agree = |(a, b): &(&f32, &f32)| a == b || (*a - *b).abs() <= 1e-4 * (1.0 + a.abs());
    let doubts = found
        .iter()
        .zip(expected)
        .filter(|pair| !agree(pair))
        .count();
    if found.len() == expected.len() && doubts * RAYS_PER_DOUBT <= found.len() {
        return Ok(());
    }
    Err(format!(
        "{peer}: {doubts} of {} rays hit something else",
        found.len()
    ))
}

fn compare_overlaps(work: &str, scene: &BoxScene, options: &Options) -> Result<Vec<Row>, String> {
    let queries = &boxes(scene)[..];
    let parry_queries = parry::boxes(queries);
    let obvhs_queries = obvhs::boxes(queries);
    let bvh_queries = bvh_crate::shapes(queries);
    let parry_tree = parry::build(&parry::boxes(&scene.fixed));
    let obvhs_tree = obvhs::build(&obvhs::boxes(&scene.fixed), obvhs::PRESETS[4].1);
    let mut shapes = bvh_crate::shapes(&scene.fixed);
    let bvh_tree = bvh_crate::build(&mut shapes);
    // Answers are lists of ids, each ended by a marker.
    let mut peers: Vec<Peer<'_, u32>> = vec![
        Peer {
            name: "binned",
            version: parry::VERSION,
            ask: Box::new(|out| {
                for query in &parry_queries {
                    parry::overlaps(&parry_tree, query, out);
                    out.push(u32::MAX);
                }
            }),
        },
        Peer {
            name: "binary tree, very_slow",
            version: obvhs::VERSION,
            ask: Box::new(|out| {
                for query in &obvhs_queries {
                    obvhs::overlaps(&obvhs_tree, query, |id| out.push(id));
                    out.push(u32::MAX);
                }
            }),
        },
        Peer {
            name: "traverse",
            version: bvh_crate::VERSION,
            ask: Box::new(|out| {
                for query in &bvh_queries {
                    bvh_crate::overlaps(&bvh_tree, &shapes, &query.aabb, out);
                    out.push(u32::MAX);
                }
            }),
        },
    ];
    let mut ours_trees = ours::overlap_trees(scene)?;
    let mut found = Vec::new();
    (ours_trees[0].1)(queries, &mut found);
    let expected = sorted_lists(&found);
    for (name, ask) in &mut ours_trees {
        found.clear();
        ask(queries, &mut found);
        if sorted_lists(&found) != expected {
            return Err(format!("our {name} finds other overlaps"));
        }
    }
    for peer in &mut peers {
        found.clear();
        (peer.ask)(&mut found);
        if sorted_lists(&found) != expected {
            return Err(format!("{} finds other overlaps", peer.name));
        }
    }
    let hits = found.len() - queries.len();
    eprintln!("  {:.2} hits a query", hits as f64 / queries.len() as f64);
    let mut ours = Vec::new();
    for (name, ask) in &mut ours_trees {
        let mut answers = Vec::new();
        let task: Task<'_> = Box::new(move || {
            answers.clear();
            time(|| ask(queries, &mut answers))
        });
        ours.push((*name, task));
    }
    Ok(finish(work, ours, peers, hits, scene.fixed.len(), options))
}

fn sorted_lists(answers: &[u32]) -> Vec<Vec<u32>> {
    let list = |ids: &[u32]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    answers.split(|&id| id == u32::MAX).map(list).collect()
}

/// Times everybody and makes the rows, with the fastest of ours.
fn finish<T>(
    work: &str,
    ours: Vec<(&str, Task<'_>)>,
    mut peers: Vec<Peer<'_, T>>,
    hits: usize,
    boxes: usize,
    options: &Options,
) -> Vec<Row> {
    let (names, mut tasks): (Vec<&str>, Vec<Task<'_>>) = ours.into_iter().unzip();
    for peer in &mut peers {
        let mut answers = Vec::new();
        tasks.push(Box::new(move || {
            answers.clear();
            time(|| (peer.ask)(&mut answers))
        }));
    }
    let times = medians(&mut tasks, options.repeats(boxes.min(400_000)));
    drop(tasks);
    let (ours_times, peer_times) = times.split_at(names.len());
    for (name, ms) in names.iter().zip(ours_times) {
        eprintln!("  ours, {name}: {ms:.3} ms");
    }
    let best = (0..names.len()).min_by(|&a, &b| ours_times[a].total_cmp(&ours_times[b]));
    let best = best.unwrap_or(0);
    let rows = peers.iter().zip(peer_times).map(|(peer, &peer_ms)| Row {
        work: work.to_owned(),
        ours: names[best].to_owned(),
        ours_ms: ours_times[best],
        peer: peer.name.to_owned(),
        peer_version: peer.version,
        peer_ms,
        threads: 1,
        pairs: Some(hits),
        ..Row::default()
    });
    rows.collect()
}
