//! Faults that were found by attacking the broad phases, each with the smallest case that shows it.

use core::ops::ControlFlow;

use glam::Vec3;
use jostle_broad::bvh::{Builder, Bvh, Bvh8, Collapse};
use jostle_broad::dual::{DualTree, Filter, Item, StaticBuild, StaticFilters, StaticOptions};
use jostle_broad::{Method, PairOptions};
use jostle_geom::Aabb;
use jostle_simd::{Ray, RayError};

fn cube(x: f32) -> Aabb {
    Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 0.5, 1.0, 1.0))
}

#[test]
fn installing_a_background_build_from_the_only_thread_of_the_pool_does_not_wait_for_ever() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let chunk = pool.unwrap().install(|| {
        let mut world = DualTree::default();
        let build = StaticBuild::start(vec![cube(0.0); 100], StaticOptions::default());
        world.install(build, None)
    });
    assert!(chunk.is_ok());
}

#[test]
fn incremental_sweep_and_prune_does_not_grow_when_nobody_asks_for_pairs() {
    let frame = |k: usize| -> Vec<Aabb> {
        (0..200)
            .map(|i| cube(i as f32 + if (i + k).is_multiple_of(2) { 0.9 } else { 0.0 }))
            .collect()
    };
    let mut phase = Method::Sap.start(&PairOptions::default());
    phase.build(&[], &frame(0)).unwrap();
    phase.append_pairs(&mut Vec::new()).unwrap();
    for k in 0..10 {
        phase.update(&frame(k)).unwrap();
    }
    let bytes = phase.memory_bytes();
    for k in 0..1000 {
        phase.update(&frame(k)).unwrap();
    }
    assert!(
        phase.memory_bytes() <= bytes,
        "no more than after ten frames"
    );
    let mut pairs = Vec::new();
    phase.append_pairs(&mut pairs).unwrap();
    pairs.sort_unstable();
    let fresh = Method::Brute.self_pairs(&frame(999), &PairOptions::default());
    assert_eq!(pairs, fresh.unwrap());
}

#[test]
fn sleepers_keep_their_pairs_with_the_right_chunks_while_others_come_and_go() {
    let mut world = DualTree::default();
    let mut chunks = Vec::new();
    for i in 0..6 {
        let boxes = [cube(100.0), cube(i as f32)];
        chunks.push(world.add_static(&boxes, StaticFilters::default()).unwrap());
    }
    for i in 0..6 {
        let body = world.insert(cube(i as f32), Filter::DEFAULT).unwrap();
        world.sleep(body).unwrap();
    }
    world.update();
    assert_eq!(world.pairs().resting_len(), 6);
    // A slot in the middle is emptied and used again for a chunk that meets other bodies.
    world.remove_static(chunks[2]).unwrap();
    world.remove_static(chunks[4]).unwrap();
    world.update();
    assert_eq!(world.pairs().resting_len(), 4);
    let both = [cube(2.0), cube(4.0)];
    let again = world.add_static(&both, StaticFilters::default()).unwrap();
    let last = world.insert(cube(5.0), Filter::DEFAULT).unwrap();
    world.sleep(last).unwrap();
    world.update();
    let of = |wanted| {
        let pairs = world.pairs().resting();
        pairs
            .filter(|pair| matches!(pair.a, Item::Static { chunk, .. } if chunk == wanted))
            .count()
    };
    assert_eq!((of(again), of(chunks[3]), of(chunks[5])), (2, 1, 2));
}

#[test]
fn a_ray_through_a_world_refuses_a_reach_that_is_not_a_number() {
    let mut world = DualTree::default();
    world.insert(cube(0.0), Filter::DEFAULT).unwrap();
    world.update();
    let ray = Ray::new(Vec3::new(-1.0, 0.5, 0.5), Vec3::X);
    let cast = |t_max| {
        let hit = world.view().closest_hit(&ray, t_max, |_, _| Some(1.0));
        hit.map(|(hit, _)| hit.is_some())
    };
    assert_eq!(cast(f32::NAN), Err(RayError::Reach));
    assert_eq!(cast(0.5), Ok(false));
    assert_eq!(cast(f32::INFINITY), Ok(true));
}

#[test]
fn every_tree_agrees_that_a_ray_of_negative_reach_enters_no_box() {
    let boxes = [cube(0.0), cube(0.1), cube(40.0)];
    let level = PairOptions::default().level;
    let ray = Ray::new(Vec3::new(0.2, 0.5, 0.5), Vec3::X);
    for count in 1..=boxes.len() {
        let binary = Bvh::build(&boxes[..count], Builder::Best, level).unwrap();
        let wide = Bvh8::collapse(&binary, Collapse::default());
        let mut found = 0;
        let mut visit = |_, _| {
            found += 1;
            ControlFlow::Continue(())
        };
        binary.ray_boxes(&ray, -1.0, &mut visit).unwrap();
        wide.ray_boxes(&ray, -1.0, level, &mut visit).unwrap();
        assert_eq!(found, 0, "{count} boxes");
    }
}
