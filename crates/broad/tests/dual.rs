//! The dual tree against a plain list of boxes, over random histories.

use core::ops::ControlFlow;
use std::collections::BTreeSet;

use jostle_broad::dual::{
    BodyError, BodyId, ChunkId, DualOptions, DualTree, Filter, HandleError, Item, Pair,
    StaticBuild, StaticError, StaticFilters, StaticOptions, TooManyPairs,
};
use jostle_broad::upkeep::Upkeep;
use jostle_broad::{BoxError, Method, PairError, PairOptions};
use jostle_geom::Aabb;
use jostle_simd::volume::Sphere;
use jostle_simd::{Ray, SimdLevel};
use jostle_testkit::Rng;

/// What the world should be: plain lists.
#[derive(Default)]
struct Model {
    bodies: Vec<(BodyId, Aabb, Filter)>,
    chunks: Vec<(ChunkId, Vec<(Aabb, Filter)>)>,
}

impl Model {
    fn pairs(&self) -> BTreeSet<Pair> {
        let mut pairs = BTreeSet::new();
        for (at, (a, box_a, filter_a)) in self.bodies.iter().enumerate() {
            for (chunk, boxes) in &self.chunks {
                for (index, (aabb, filter)) in boxes.iter().enumerate() {
                    if aabb.overlaps(box_a) && filter.allows(*filter_a) {
                        let index = index as u32;
                        let chunk = *chunk;
                        pairs.insert(Pair {
                            a: Item::Static { chunk, index },
                            b: Item::Body(*a),
                        });
                    }
                }
            }
            for (b, box_b, filter_b) in &self.bodies[..at] {
                if box_a.overlaps(box_b) && filter_a.allows(*filter_b) {
                    let (a, b) = (*a.min(b), *a.max(b));
                    pairs.insert(Pair {
                        a: Item::Body(a),
                        b: Item::Body(b),
                    });
                }
            }
        }
        pairs
    }
}

/// Uniform in `0..n`.
fn below(rng: &mut Rng, n: u64) -> u64 {
    rng.bits() % n
}

fn random_box(rng: &mut Rng, size: f32) -> Aabb {
    let mut draw = |scale: f32| rng.unit() as f32 * scale;
    let min = glam::Vec3::new(draw(10.0), draw(10.0), draw(3.0));
    Aabb::new(
        min,
        min + glam::Vec3::new(draw(size), draw(size), draw(size)),
    )
}

fn random_filter(rng: &mut Rng) -> Filter {
    if below(rng, 3) > 0 {
        return Filter::DEFAULT;
    }
    Filter {
        group: 1 << below(rng, 4),
        mask: below(rng, 16) as u32,
    }
}

/// One random change, to the world and to the model alike.
fn change(world: &mut DualTree, model: &mut Model, rng: &mut Rng, filters: bool) {
    let filter = |rng: &mut Rng| {
        if filters {
            random_filter(rng)
        } else {
            Filter::DEFAULT
        }
    };
    let pick = |rng: &mut Rng, len: usize| below(rng, len as u64) as usize;
    match below(rng, if model.bodies.is_empty() { 3 } else { 16 }) {
        0 | 1 => {
            for _ in 0..=below(rng, 12) {
                let (aabb, filter) = (random_box(rng, 1.5), filter(rng));
                let id = world.insert(aabb, filter).unwrap();
                model.bodies.push((id, aabb, filter));
            }
        }
        2 => {
            let count = below(rng, 200) as usize;
            let one = filter(rng);
            let mixed = below(rng, 2) == 0;
            let boxes: Vec<_> = (0..count)
                .map(|_| (random_box(rng, 0.7), if mixed { filter(rng) } else { one }))
                .collect();
            let plain: Vec<_> = boxes.iter().map(|b| b.0).collect();
            let filters = if mixed {
                StaticFilters::Each(boxes.iter().map(|b| b.1).collect())
            } else {
                StaticFilters::Same(one)
            };
            if model.chunks.len() < 4 {
                let id = world.add_static(&plain, filters).unwrap();
                model.chunks.push((id, boxes));
                return;
            }
            let at = pick(rng, model.chunks.len());
            let old = model.chunks[at].0;
            match below(rng, 3) {
                0 => {
                    world.remove_static(old).unwrap();
                    model.chunks.remove(at);
                }
                1 => {
                    let id = world.replace_static(old, &plain, filters).unwrap();
                    model.chunks[at] = (id, boxes);
                }
                _ => {
                    let mut options = StaticOptions::default();
                    options.filters = filters;
                    let build = StaticBuild::start(plain, options);
                    let id = world.install(build, Some(old)).unwrap();
                    model.chunks[at] = (id, boxes);
                }
            }
            assert_eq!(
                world.remove_static(old),
                Err(HandleError::RemovedChunk(old))
            );
        }
        3 => {
            let (id, ..) = model.bodies.swap_remove(pick(rng, model.bodies.len()));
            world.remove(id).unwrap();
            assert_eq!(world.remove(id), Err(HandleError::RemovedBody(id)));
        }
        4..8 => {
            for _ in 0..=below(rng, 8) {
                let at = pick(rng, model.bodies.len());
                let aabb = random_box(rng, 1.5);
                model.bodies[at].1 = aabb;
                world.set_aabb(model.bodies[at].0, aabb).unwrap();
            }
        }
        8..12 => {
            for _ in 0..=below(rng, 10) {
                let id = model.bodies[pick(rng, model.bodies.len())].0;
                world.sleep(id).unwrap();
                assert!(world.is_asleep(id).unwrap());
            }
        }
        12..14 => {
            let id = model.bodies[pick(rng, model.bodies.len())].0;
            world.wake(id).unwrap();
            assert!(!world.is_asleep(id).unwrap());
        }
        14 => {
            let at = pick(rng, model.bodies.len());
            let filter = filter(rng);
            model.bodies[at].2 = filter;
            world.set_filter(model.bodies[at].0, filter).unwrap();
        }
        _ => {
            let ids: Vec<_> = model.bodies.iter().map(|b| b.0).collect();
            for body in &mut model.bodies {
                body.1 = random_box(rng, 1.0);
            }
            let boxes: Vec<_> = model.bodies.iter().map(|b| b.1).collect();
            world.set_aabbs(&ids, &boxes).unwrap();
        }
    }
}

/// Options with this way to follow bodies that are awake.
fn followed(upkeep: Option<Upkeep>) -> DualOptions {
    let mut options = DualOptions::default();
    options.upkeep = upkeep;
    options
}

fn listed(world: &DualTree) -> Vec<Pair> {
    let mut pairs = Vec::new();
    world.pairs().append_to(&mut pairs);
    pairs
}

fn step(world: &mut DualTree) {
    world.update();
    world.find_pairs().unwrap();
}

#[test]
fn any_history_gives_the_pairs_and_events_of_a_plain_list() {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let upkeep = [None, Some(Upkeep::Rebuild), Some(Upkeep::Incremental)];
        let mut world = DualTree::new(followed(upkeep[seed as usize / 8]));
        let mut model = Model::default();
        let mut before = BTreeSet::new();
        for frame in 0..60 {
            for _ in 0..below(&mut rng, 4) {
                change(&mut world, &mut model, &mut rng, seed % 3 > 0);
            }
            step(&mut world);
            let pairs = listed(&world);
            assert_eq!(pairs.len(), world.pairs().len());
            let set: BTreeSet<_> = pairs.iter().copied().collect();
            assert_eq!(set.len(), pairs.len(), "a pair came twice");
            assert!(set == model.pairs(), "seed {seed}, frame {frame}");
            assert_eq!(world.len(), model.bodies.len());

            let events = world.track_events();
            let difference = |a: &BTreeSet<Pair>, b: &BTreeSet<Pair>| -> Vec<Pair> {
                a.difference(b).copied().collect()
            };
            assert_eq!(events.began(), difference(&set, &before));
            assert_eq!(events.ended(), difference(&before, &set));
            let both: Vec<_> = set.intersection(&before).copied().collect();
            assert_eq!(events.persisting().collect::<Vec<_>>(), both);
            assert_eq!(events.persisting_len(), both.len());
            before = set;
        }
    }
}

#[test]
fn views_answer_for_their_own_frame() {
    let mut rng = Rng::new(77);
    let mut world = DualTree::new(followed(Some(Upkeep::Incremental)));
    let mut model = Model::default();
    let mut views = Vec::new();
    for _ in 0..40 {
        for _ in 0..6 {
            change(&mut world, &mut model, &mut rng, true);
        }
        step(&mut world);
        let mut items = Vec::new();
        for (chunk, boxes) in &model.chunks {
            items.extend(boxes.iter().enumerate().map(|(index, (aabb, _))| {
                let (chunk, index) = (*chunk, index as u32);
                (Item::Static { chunk, index }, *aabb)
            }));
        }
        items.extend(model.bodies.iter().map(|b| (Item::Body(b.0), b.1)));
        views.push((world.view(), items));
    }
    let mut hits = 0;
    for (view, items) in &views {
        let volume = random_box(&mut rng, 3.0);
        let mut found = Vec::new();
        view.overlaps(&volume, |item| {
            found.push(item);
            ControlFlow::Continue(())
        });
        found.sort_unstable();
        let mut expected: Vec<_> = items
            .iter()
            .filter(|(_, aabb)| aabb.overlaps(&volume))
            .map(|&(item, _)| item)
            .collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
        hits += found.len();

        let sphere = Sphere::new(volume.centre(), 1.0);
        let mut count = 0;
        view.overlaps(&sphere, |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        let near = |aabb: &Aabb| {
            (volume.centre().clamp(aabb.min, aabb.max) - volume.centre()).length_squared() <= 1.0
        };
        assert_eq!(count, items.iter().filter(|i| near(&i.1)).count());

        // Rays against the boxes themselves, as if they were the shapes.
        let direction = glam::Vec3::new(1.0, 0.3 * rng.signed() as f32, 0.2 * rng.signed() as f32);
        let ray = Ray::new(random_box(&mut rng, 0.0).min, direction);
        let enter = |aabb: &Aabb, limit: f32| {
            let (mut near, mut far) = (0.0_f32, limit);
            for axis in 0..3 {
                let (lo, hi) = (aabb.min[axis], aabb.max[axis]);
                let a = (lo - ray.origin[axis]) / ray.direction[axis];
                let b = (hi - ray.origin[axis]) / ray.direction[axis];
                near = near.max(a.min(b));
                far = far.min(a.max(b));
            }
            (near <= far).then_some(near)
        };
        let box_of = |item: Item| items.iter().find(|i| i.0 == item).unwrap().1;
        let (found, _) = view
            .closest_hit(&ray, 8.0, |item, limit| enter(&box_of(item), limit))
            .unwrap();
        let nearest = items
            .iter()
            .filter_map(|&(item, aabb)| Some((enter(&aabb, 8.0)?, item)))
            .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        assert_eq!(found, nearest.map(|(t, item)| (item, t)));
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn static_pairs_are_those_of_brute_force() {
    let mut rng = Rng::new(5);
    let mut world = DualTree::default();
    let mut chunks = Vec::new();
    for count in [0, 1, 7, 60, 150] {
        let boxes: Vec<_> = (0..count)
            .map(|_| (random_box(&mut rng, 2.0), random_filter(&mut rng)))
            .collect();
        let plain: Vec<_> = boxes.iter().map(|b| b.0).collect();
        let filters = StaticFilters::Each(boxes.iter().map(|b| b.1).collect());
        let chunk = world.add_static(&plain, filters).unwrap();
        chunks.extend(boxes.iter().enumerate().map(|(index, &(aabb, filter))| {
            let index = index as u32;
            (Item::Static { chunk, index }, aabb, filter)
        }));
    }
    world.update();
    let mut found = Vec::new();
    world.view().static_pairs(|pair| {
        found.push(pair);
        ControlFlow::Continue(())
    });
    found.sort_unstable();
    let mut expected = Vec::new();
    for (at, &(a, box_a, filter_a)) in chunks.iter().enumerate() {
        for &(b, box_b, filter_b) in &chunks[at + 1..] {
            if box_a.overlaps(&box_b) && filter_a.allows(filter_b) {
                expected.push(Pair { a, b });
            }
        }
    }
    assert!(expected.len() > 50);
    assert_eq!(found, expected);
}

/// A world with enough bodies for several tasks, some of them asleep.
fn large(options: DualOptions) -> (DualTree, Vec<BodyId>) {
    let mut rng = Rng::new(3);
    let scaled = |rng: &mut Rng, size| {
        let b = random_box(rng, size);
        let by = glam::Vec3::new(5.0, 5.0, 1.0);
        Aabb::new(b.min * by, b.min * by + (b.max - b.min))
    };
    let mut world = DualTree::new(options);
    for _ in 0..3 {
        let boxes: Vec<_> = (0..4000).map(|_| scaled(&mut rng, 0.8)).collect();
        world.add_static(&boxes, StaticFilters::default()).unwrap();
    }
    let mut bodies = Vec::new();
    for at in 0..3000 {
        let id = world
            .insert(scaled(&mut rng, 1.2), Filter::DEFAULT)
            .unwrap();
        if at % 5 == 0 {
            world.sleep(id).unwrap();
        }
        bodies.push(id);
    }
    step(&mut world);
    (world, bodies)
}

fn slots(world: &DualTree) -> Vec<(Option<usize>, [u32; 2])> {
    let mut pairs = Vec::new();
    world.pairs().for_each_run(|chunk, run| {
        let chunk = chunk.map(ChunkId::slot);
        pairs.extend(run.iter().map(|&pair| (chunk, pair)));
    });
    pairs
}

#[test]
fn levels_find_the_same_pairs_in_the_same_order() {
    let mut first = None;
    for level in SimdLevel::available() {
        let mut options = DualOptions::default();
        options.level = level.token().unwrap();
        let (world, _) = large(options);
        let pairs = slots(&world);
        assert!(pairs.len() > 3000);
        assert_eq!(*first.get_or_insert(pairs.clone()), pairs, "{level}");
    }
}

#[test]
fn threads_find_the_same_pairs_in_the_same_order() {
    let mut first = None;
    for threads in [1, 2, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pairs = pool.build().unwrap().install(|| {
            let mut options = DualOptions::default();
            let (world, _) = large(options);
            let mut pairs = slots(&world);
            options.pair_limit = Some(900);
            let mut world = DualTree::new(options);
            for at in 0..2000 {
                let min = glam::Vec3::splat((at * 37 % 2000) as f32 * 0.4);
                let aabb = Aabb::new(min, min + glam::Vec3::ONE);
                world.insert(aabb, Filter::DEFAULT).unwrap();
            }
            world.update();
            assert!(world.find_pairs().is_err());
            pairs.extend(slots(&world));
            pairs
        });
        assert_eq!(
            *first.get_or_insert(pairs.clone()),
            pairs,
            "{threads} threads"
        );
    }
}

#[test]
fn bodies_that_rest_are_not_visited() {
    // Otherwise one that is woken but not moved rests again.
    let (mut world, bodies) = large(followed(Some(Upkeep::Rebuild)));
    let expected: BTreeSet<_> = listed(&world).into_iter().collect();
    for &body in &bodies {
        world.sleep(body).unwrap();
    }
    world.update();
    let counters = world.find_pairs().unwrap();
    assert_eq!((counters.nodes, counters.tests), (0, 0));
    assert_eq!(
        listed(&world).into_iter().collect::<BTreeSet<_>>(),
        expected
    );

    // One that wakes costs what one body costs.
    world.wake(bodies[17]).unwrap();
    world.update();
    let counters = world.find_pairs().unwrap();
    assert!((1..400).contains(&counters.nodes), "{counters:?}");
    assert_eq!(
        listed(&world).into_iter().collect::<BTreeSet<_>>(),
        expected
    );
    assert!(world.pairs().moving_len() < 100);
}

#[test]
fn bodies_that_do_not_move_rest_without_being_told() {
    let (mut world, bodies) = large(DualOptions::default());
    let expected: BTreeSet<_> = listed(&world).into_iter().collect();
    let set = |world: &DualTree| listed(world).into_iter().collect::<BTreeSet<_>>();
    world.update();
    let counters = world.find_pairs().unwrap();
    assert_eq!((counters.nodes, counters.tests), (0, 0));
    assert_eq!(set(&world), expected);
    assert!(!world.is_asleep(bodies[1]).unwrap());
    assert!(world.is_asleep(bodies[0]).unwrap());

    // What moves is sorted, the rest is not looked at again.
    for &body in &bodies[1..4] {
        let aabb = world.aabb(body).unwrap();
        world.set_aabb(body, aabb).unwrap();
    }
    world.update();
    let counters = world.find_pairs().unwrap();
    assert!((1..1200).contains(&counters.nodes), "{counters:?}");
    assert_eq!(set(&world), expected);

    // Where most move, all that are awake are sorted.
    for &body in &bodies {
        let aabb = world.aabb(body).unwrap();
        world.set_aabb(body, aabb).unwrap();
    }
    step(&mut world);
    assert_eq!(world.pairs().resting_len(), 0);
    for &body in &bodies[..2000] {
        let aabb = world.aabb(body).unwrap();
        world.set_aabb(body, aabb).unwrap();
    }
    step(&mut world);
    assert_eq!(world.pairs().resting_len(), 0);
    assert_eq!(set(&world), expected);
}

#[test]
fn a_chunk_built_in_the_background_answers_once_installed() {
    let (mut world, _) = large(followed(Some(Upkeep::Rebuild)));
    let before = listed(&world);
    let boxes = vec![Aabb::new([0.0; 3].into(), [60.0; 3].into())];
    let build = StaticBuild::start(boxes, StaticOptions::default());
    step(&mut world);
    assert_eq!(listed(&world), before);
    while !build.is_ready() {
        std::thread::yield_now();
    }
    let chunk = world.install(build, None).unwrap();
    step(&mut world);
    assert_eq!(world.pairs().len(), before.len() + 3000);
    world.remove_static(chunk).unwrap();
    step(&mut world);
    assert_eq!(listed(&world), before);

    let bad = vec![Aabb::new([1.0; 3].into(), [0.0; 3].into())];
    let build = StaticBuild::start(bad, StaticOptions::default());
    let error = world.install(build, None).unwrap_err();
    assert!(matches!(
        error,
        StaticError::Box(BoxError::Inverted { index: 0, .. })
    ));
}

#[test]
fn bad_input_is_refused_by_name() {
    let unit = Aabb::new([0.0; 3].into(), [1.0; 3].into());
    let mut nan = unit;
    nan.max.y = f32::NAN;
    let (mut world, mut other) = (DualTree::default(), DualTree::default());
    let body = world.insert(unit, Filter::DEFAULT).unwrap();
    let chunk = world.add_static(&[unit], StaticFilters::default()).unwrap();
    let nan_at = |index| move |error: BodyError| matches!(error, BodyError::Box(BoxError::Nan { index: i, axis: 1, .. }) if i == index);
    assert!(nan_at(1)(world.insert(nan, Filter::DEFAULT).unwrap_err()));
    assert!(nan_at(0)(world.set_aabb(body, nan).unwrap_err()));
    assert!(nan_at(1)(
        world.set_aabbs(&[body; 2], &[unit, nan]).unwrap_err()
    ));
    assert_eq!(
        world.set_aabbs(&[body], &[]),
        Err(BodyError::Lengths {
            bodies: 1,
            boxes: 0
        })
    );
    assert_eq!(world.aabb(body), Ok(unit));
    assert_eq!(other.remove(body), Err(HandleError::ForeignBody(body)));
    assert_eq!(other.wake(body), Err(HandleError::ForeignBody(body)));
    assert_eq!(
        other.remove_static(chunk),
        Err(HandleError::ForeignChunk(chunk))
    );
    assert_eq!(
        world.add_static(&[unit], StaticFilters::Each(Vec::new())),
        Err(StaticError::Filters {
            filters: 0,
            boxes: 1
        })
    );
    assert!(matches!(
        world.replace_static(chunk, &[unit, nan], StaticFilters::default()),
        Err(StaticError::Box(BoxError::Nan { index: 1, .. }))
    ));
    step(&mut world);
    assert_eq!(world.pairs().len(), 1);
    world.remove(body).unwrap();
    assert_eq!(world.sleep(body), Err(HandleError::RemovedBody(body)));
    // The slot is used again, the name is not.
    let next = world.insert(unit, Filter::DEFAULT).unwrap();
    assert_eq!((next.slot(), next == body), (body.slot(), false));
    assert_eq!(world.aabb(body), Err(HandleError::RemovedBody(body)));
    // Infinite boxes are fine, an empty world too.
    let all = Aabb::new(glam::Vec3::NEG_INFINITY, glam::Vec3::INFINITY);
    world.insert(all, Filter::DEFAULT).unwrap();
    step(&mut world);
    assert_eq!(world.pairs().len(), 3);
    step(&mut other);
    assert!(other.pairs().is_empty() && other.is_empty());
}

#[test]
fn pairs_beyond_the_limit_are_an_error_and_the_first_are_kept() {
    for limit in [0, 1, 700, 2000] {
        let mut options = DualOptions::default();
        options.pair_limit = Some(limit);
        let mut world = DualTree::new(options);
        let boxes = vec![Aabb::new([0.0; 3].into(), [1.0; 3].into()); 1200];
        for &aabb in &boxes {
            world.insert(aabb, Filter::DEFAULT).unwrap();
        }
        world.add_static(&boxes, StaticFilters::default()).unwrap();
        world.update();
        assert_eq!(world.find_pairs(), Err(TooManyPairs { limit }));
        assert_eq!(world.pairs().len(), limit);
    }
}

#[test]
fn the_method_agrees_with_brute_force_frame_by_frame() {
    let mut rng = Rng::new(9);
    let fixed: Vec<_> = (0..300).map(|_| random_box(&mut rng, 1.0)).collect();
    let options = PairOptions::default();
    let mut dual = Method::Dual.start(&options);
    let mut brute = Method::Brute.start(&options);
    for (frame, count) in [0, 40, 41, 600, 0, 200].into_iter().enumerate() {
        let moving: Vec<_> = (0..count).map(|_| random_box(&mut rng, 1.0)).collect();
        for phase in [&mut dual, &mut brute] {
            if frame == 0 {
                phase.build(&fixed, &moving).unwrap();
            } else {
                phase.update(&moving).unwrap();
            }
        }
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        dual.append_pairs(&mut found).unwrap();
        brute.append_pairs(&mut expected).unwrap();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
    let mut options = PairOptions::default();
    options.pair_limit = Some(5);
    let mut dual = Method::Dual.start(&options);
    dual.build(&fixed, &fixed).unwrap();
    let mut found = Vec::new();
    let error = dual.append_pairs(&mut found).unwrap_err();
    assert_eq!(error, PairError::TooManyPairs { limit: 5 });
    assert_eq!(found.len(), 5);
}
