//! Bodies that fall into a heap.

use glam::DVec3;
use jostle_geom::{Mesh, Rotation};
use jostle_sdf::Field;

use super::builder::{Builder, cells, lattice, middle};
use super::forms::{self, Own};
use super::{BodyScene, BodySceneError, Motion};

/// Layers of a heap at its start: more would fall far.
const LAYERS: usize = 4;

/// Half the width of the spike plate, m, before it is scaled, half its thickness, and its scale.
const PLATE: [f64; 3] = [0.7, 0.08, 4.0];

/// How a heap starts: a lattice of bodies that are turned at random.
struct Heap {
    base: [usize; 3],
    /// Between neighbours, m.
    pitch: DVec3,
    /// Height of the lowest layer, m.
    first: f64,
    /// How far each layer is shifted along x, m.
    lean: f64,
    /// By how much it is wider when there are more bodies than `base` has: a large heap cannot spread as a small one does.
    room: f64,
    scale: f64,
}

impl Heap {
    fn fill(&self, scene: &mut Builder, count: usize, shapes: &[u32]) {
        let size = lattice(count, self.base, LAYERS);
        let room = if size == self.base { 1.0 } else { self.room };
        for (index, [i, j, k]) in cells(size).take(count).enumerate() {
            let at = DVec3::new(
                middle(i, size[0]) * self.pitch.x * room + self.lean * k as f64,
                middle(j, size[1]) * self.pitch.y * room,
                self.first + self.pitch.z * k as f64,
            );
            let rotation = scene.any_rotation();
            scene.add(shapes[index % shapes.len()], self.scale, at, rotation);
        }
    }
}

/// How planks start.
pub(super) struct Planks {
    base: [usize; 3],
    /// Between neighbours, m.
    pitch: DVec3,
    /// Height of the lowest layer, m.
    first: f64,
    /// How much higher each is than its neighbour, m.
    rise: f64,
    /// How far they are tilted out of the plane of x and y, rad; turned at random when there is no such bound.
    tilt: Option<f64>,
}

impl Planks {
    /// In two layers, turned at random.
    pub(super) const RANDOM: Self = Self {
        base: [3, 2, 2],
        pitch: DVec3::new(1.5, 1.4, 3.0),
        first: 2.2,
        rise: 0.35,
        tilt: None,
    };

    /// Bent ones lie on their side and catch in each other.
    pub(super) const BENT: Self = Self {
        base: [3, 2, 2],
        pitch: DVec3::new(1.2, 1.2, 1.1),
        first: 0.7,
        rise: 0.0,
        tilt: Some(0.1),
    };

    /// Those with bumps fall flat.
    pub(super) const FLAT: Self = Self {
        base: [3, 2, 2],
        pitch: DVec3::new(1.3, 1.2, 0.9),
        first: 0.6,
        rise: 0.0,
        tilt: Some(0.1),
    };

    /// The ground and planks of one form.
    pub(super) fn scene(
        &self,
        bodies: usize,
        seed: u64,
        form: Field,
    ) -> Result<BodyScene, BodySceneError> {
        const SCALE: f64 = 0.9;
        let mut scene = Builder::new(seed, 0x504C_414E);
        let shape = scene.shape(form)?;
        let size = lattice(bodies - 1, self.base, LAYERS);
        for [i, j, k] in cells(size).take(bodies - 1) {
            let [x, y] = [(); 2].map(|()| scene.rng.range(-0.1, 0.1));
            let at = DVec3::new(
                self.pitch.x * middle(i, size[0]) + x,
                self.pitch.y * middle(j, size[1]) + y,
                self.first + self.pitch.z * k as f64 + self.rise * (i % 3 + j % 2) as f64,
            );
            let turn = |scene: &mut Builder| match self.tilt {
                None => scene.any_rotation(),
                Some(tilt) => {
                    let yaw = scene.rng.range(0.0, core::f64::consts::TAU);
                    let lean = Rotation::from_scaled_axis(scene.rng.direction() * tilt);
                    lean.after(Rotation::from_axis_angle(DVec3::Z, yaw))
                }
            };
            // As long as they are, they would often start inside each other.
            let layer = size[0] * size[1] + size[0] + 1;
            let rotation = scene.freest(shape, SCALE, at, layer, &turn);
            scene.add(shape, SCALE, at, rotation);
        }
        scene.finish()
    }
}

/// Every primitive.
pub(super) fn primitives(bodies: usize, seed: u64) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x5052_494D);
    let mut shapes = Vec::new();
    for field in forms::primitives()? {
        shapes.push(scene.shape(field)?);
    }
    let heap = Heap {
        base: [4, 4, 3],
        pitch: DVec3::new(1.3, 1.3, 1.4),
        first: 1.0,
        lean: 0.0,
        room: 1.5,
        scale: 1.0,
    };
    heap.fill(&mut scene, bodies - 1, &shapes);
    scene.finish()
}

/// Chairs.
pub(super) fn chairs(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x4348_4149);
    let shape = scene.mesh(mesh, Own::Chair)?;
    let heap = Heap {
        base: [3, 3, 3],
        pitch: DVec3::new(1.4, 1.3, 1.6),
        first: 0.8,
        lean: 0.0,
        room: 1.2,
        scale: 1.15,
    };
    heap.fill(&mut scene, bodies - 1, &[shape]);
    scene.finish()
}

/// Bunnies.
pub(super) fn bunnies(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x4255_4E4E);
    let shape = scene.mesh(mesh, Own::Bunny)?;
    let heap = Heap {
        base: [3, 3, 3],
        pitch: DVec3::splat(1.1),
        first: 0.8,
        lean: 0.2,
        room: 1.2,
        scale: 1.0,
    };
    heap.fill(&mut scene, bodies - 1, &[shape]);
    scene.finish()
}

/// Cows above plates with spikes.
pub(super) fn cows(
    bodies: usize,
    seed: u64,
    mesh: Option<&Mesh>,
) -> Result<BodyScene, BodySceneError> {
    let mut scene = Builder::new(seed, 0x434F_5753);
    let shape = scene.mesh(mesh, Own::Cow)?;
    let plate = scene.shape(forms::spike_plate()?)?;
    let heap = Heap {
        base: [3, 3, 2],
        pitch: DVec3::new(1.3, 1.3, 1.2),
        first: 2.2,
        lean: 0.0,
        room: 1.0,
        scale: 1.3,
    };
    let [half, thickness, scale] = PLATE;
    let width = 2.0 * half * scale;
    // As many plates as lie under the cows; the more there are, the fewer cows are left.
    let mut side = 1;
    let plates = |side: usize| (side * side).min(bodies - 2);
    while side * side < bodies {
        let size = lattice(bodies - 1 - plates(side), heap.base, LAYERS);
        if size[0].max(size[1]) as f64 * heap.pitch.x <= side as f64 * width {
            break;
        }
        side += 1;
    }
    for index in 0..plates(side) {
        let at = DVec3::new(
            width * middle(index % side, side),
            width * middle(index / side, side),
            thickness * scale,
        );
        scene.add(plate, scale, at, Rotation::IDENTITY).motion = Motion::Static;
    }
    heap.fill(&mut scene, bodies - 1 - plates(side), &[shape]);
    scene.finish()
}
