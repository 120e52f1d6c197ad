//! Readers query snapshots of a world while a writer builds the next frame: every answer is that of
//! brute force over the boxes of the snapshot's own frame.

use std::ops::ControlFlow;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;

use glam::Vec3;
use jostle::broad::dual::{
    BodyId, ChunkId, DualOptions, DualTree, Filter, Item, StaticFilters, WorldView,
};
use jostle::broad::upkeep::Upkeep;
use jostle::geom::Aabb;
use jostle::scenes::Rng;
use jostle::simd::volume::Sphere;
use jostle::snapshot::publish;

const FRAMES: u64 = 100_000;
const READERS: u64 = 8;

/// What a frame publishes: a view to query, and the plain list that it must agree with.
struct Frame {
    view: WorldView,
    boxes: Vec<(Item, Aabb)>,
}

fn random_box(rng: &mut Rng, reach: f64, size: f64) -> Aabb {
    let min = (rng.cube() * reach).as_vec3();
    let edge = Vec3::from([(); 3].map(|()| rng.range(0.05, size) as f32));
    Aabb::new(min, min + edge)
}

/// A world and the plain list of what is in it.
struct Model {
    world: DualTree,
    chunks: Vec<(ChunkId, Vec<Aabb>)>,
    bodies: Vec<(BodyId, Aabb)>,
    rng: Rng,
}

impl Model {
    fn new() -> Self {
        // So that views hold trees of resting bodies as well.
        let mut options = DualOptions::default();
        options.upkeep = Some(Upkeep::Incremental);
        let mut model = Self {
            world: DualTree::new(options),
            chunks: Vec::new(),
            bodies: Vec::new(),
            rng: Rng::new(11, 0),
        };
        for _ in 0..3 {
            let boxes = model.chunk();
            let id = model
                .world
                .add_static(&boxes, StaticFilters::default())
                .unwrap();
            model.chunks.push((id, boxes));
        }
        for _ in 0..24 {
            model.insert();
        }
        model
    }

    fn chunk(&mut self) -> Vec<Aabb> {
        let count = self.rng.index(30);
        (0..count)
            .map(|_| random_box(&mut self.rng, 4.0, 1.5))
            .collect()
    }

    fn insert(&mut self) {
        let aabb = random_box(&mut self.rng, 4.0, 1.0);
        let id = self.world.insert(aabb, Filter::DEFAULT).unwrap();
        self.bodies.push((id, aabb));
    }

    /// Moves some bodies and, now and then, changes what there is.
    fn step(&mut self) {
        for at in 0..self.bodies.len() {
            if self.rng.index(3) > 0 {
                let aabb = random_box(&mut self.rng, 4.0, 1.0);
                let (id, old) = &mut self.bodies[at];
                *old = aabb;
                self.world.set_aabb(*id, aabb).unwrap();
            }
        }
        let some = self.rng.index(self.bodies.len());
        match self.rng.index(40) {
            0 if self.bodies.len() > 8 => {
                let (id, _) = self.bodies.swap_remove(some);
                self.world.remove(id).unwrap();
            }
            1 if self.bodies.len() < 40 => self.insert(),
            2..6 => self.world.sleep(self.bodies[some].0).unwrap(),
            6 => {
                let at = self.rng.index(self.chunks.len());
                let boxes = self.chunk();
                let old = self.chunks[at].0;
                let id = self
                    .world
                    .replace_static(old, &boxes, StaticFilters::default());
                self.chunks[at] = (id.unwrap(), boxes);
            }
            _ => {}
        }
        self.world.update();
    }

    fn frame(&self) -> Frame {
        let mut boxes = Vec::new();
        for (chunk, list) in &self.chunks {
            boxes.extend(list.iter().enumerate().map(|(index, &aabb)| {
                let index = index as u32;
                (
                    Item::Static {
                        chunk: *chunk,
                        index,
                    },
                    aabb,
                )
            }));
        }
        boxes.extend(self.bodies.iter().map(|&(id, aabb)| (Item::Body(id), aabb)));
        Frame {
            view: self.world.view(),
            boxes,
        }
    }
}

/// Asks a frame for what a box or a ball meets, and its list the same.
fn ask(frame: &Frame, rng: &mut Rng) {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    let mut keep = |item| {
        found.push(item);
        ControlFlow::Continue(())
    };
    if rng.index(2) == 0 {
        let query = random_box(rng, 4.0, 2.0);
        frame.view.overlaps(&query, &mut keep);
        let meets = |(item, aabb): &(Item, Aabb)| aabb.overlaps(&query).then_some(*item);
        expected.extend(frame.boxes.iter().filter_map(meets));
    } else {
        let centre = (rng.cube() * 4.0).as_vec3();
        let radius = rng.range(0.1, 2.0) as f32;
        frame.view.overlaps(&Sphere::new(centre, radius), &mut keep);
        let meets = |(item, aabb): &(Item, Aabb)| {
            let nearest = centre.clamp(aabb.min, aabb.max);
            // The sum rounds; this close to the surface either answer will do.
            let distance = f64::from(nearest.distance(centre));
            let slack = 1e-5 * f64::from(radius);
            (distance <= f64::from(radius) + slack).then_some((*item, distance, slack))
        };
        for (item, distance, slack) in frame.boxes.iter().filter_map(meets) {
            if distance <= f64::from(radius) - slack || found.contains(&item) {
                expected.push(item);
            }
        }
    }
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn eight_readers_and_one_writer() {
    let mut model = Model::new();
    model.world.update();
    let (mut publisher, reader) = publish(model.frame());
    let done = AtomicBool::new(false);
    let answers = AtomicU64::new(0);
    let start = Barrier::new(READERS as usize + 1);
    thread::scope(|scope| {
        for number in 0..READERS {
            let reader = reader.clone();
            let (done, answers, start) = (&done, &answers, &start);
            scope.spawn(move || {
                let mut rng = Rng::new(number, 1);
                let mut last = 0;
                start.wait();
                while !done.load(Relaxed) {
                    let frame = reader.latest();
                    assert!(frame.generation() >= last, "a reader went back in time");
                    last = frame.generation();
                    for _ in 0..4 {
                        ask(&frame, &mut rng);
                    }
                    answers.fetch_add(4, Relaxed);
                    thread::yield_now();
                }
            });
        }
        start.wait();
        // A panic of a reader ends the test when the scope does.
        for frame in 1..=FRAMES {
            model.step();
            assert_eq!(publisher.publish(model.frame()), frame);
            if frame % 64 == 0 {
                thread::yield_now();
            }
        }
        done.store(true, Relaxed);
    });
    assert_eq!(reader.latest().generation(), FRAMES);
    assert!(answers.load(Relaxed) > 1_000, "readers were starved");
}

#[test]
fn a_kept_snapshot_answers_for_its_own_frame() {
    let mut model = Model::new();
    model.world.update();
    let (mut publisher, reader) = publish(model.frame());
    let kept: Vec<_> = (0..50)
        .map(|_| {
            model.step();
            publisher.publish(model.frame());
            reader.latest()
        })
        .collect();
    drop(publisher);
    drop(model);
    let mut rng = Rng::new(3, 3);
    for (number, frame) in kept.iter().enumerate() {
        assert_eq!(frame.generation(), number as u64 + 1);
        for _ in 0..20 {
            ask(frame, &mut rng);
        }
    }
}
