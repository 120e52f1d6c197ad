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

/// Planks that are turned at random, far enough from each other to fall freely, the next higher than its neighbours.
pub(super) fn planks(bodies: usize, seed: u64, form: Field) -> Result<BodyScene, BodySceneError> {
    const PITCH: DVec3 = DVec3::new(2.2, 2.2, 2.3);
    const FIRST: f64 = 1.3;
    const RISE: f64 = 0.3;
    let mut scene = Builder::new(seed, 0x504C_414E);
    let shape = scene.shape(form)?;
    let size = lattice(bodies - 1, [2, 2, 3], LAYERS);
    for [i, j, k] in cells(size).take(bodies - 1) {
        let [x, y] = [(); 2].map(|()| scene.rng.range(-0.1, 0.1));
        let at = DVec3::new(
            PITCH.x * middle(i, size[0]) + x,
            PITCH.y * middle(j, size[1]) + y,
            FIRST + PITCH.z * k as f64 + RISE * (i % 3 + j % 2) as f64,
        );
        // As long as they are, they could still start inside each other.
        let layer = size[0] * size[1] + size[0] + 1;
        let rotation = scene.freest(shape, PLANK_SCALE, at, layer);
        scene.add(shape, PLANK_SCALE, at, rotation);
    }
    scene.finish()
}

/// Of the planks of all scenes.
const PLANK_SCALE: f64 = 0.9;

/// Stacks of planks that fall flat, two abreast in each layer and each layer across the one below.
pub(super) struct Crosswise {
    /// In a stack.
    layers: usize,
    /// Between the two of a layer, m.
    abreast: f64,
    /// Between the middles of stacks, m.
    apart: f64,
    /// Height of the middle of the lowest layer, and from there to the next, m.
    first: f64,
    rise: f64,
}

impl Crosswise {
    /// Bent planks on their sides, which catch in those of the stacks beside them.
    pub(super) const BENT: Self = Self {
        layers: 2,
        abreast: 0.8,
        apart: 1.7,
        first: 0.55,
        rise: 1.1,
    };

    /// Planks with bumps.
    pub(super) const BUMPY: Self = Self {
        layers: 3,
        abreast: 1.1,
        apart: 2.15,
        first: 0.4,
        rise: 0.85,
    };

    /// The ground and planks of one form.
    pub(super) fn scene(
        &self,
        bodies: usize,
        seed: u64,
        form: Field,
    ) -> Result<BodyScene, BodySceneError> {
        let mut scene = Builder::new(seed, 0x4255_4D50);
        let shape = scene.shape(form)?;
        let stack = 2 * self.layers;
        let stacks = (bodies - 1).div_ceil(stack);
        let columns = (stacks as f64).sqrt().ceil() as usize;
        let rows = stacks.div_ceil(columns.max(1));
        for index in 0..bodies - 1 {
            let (column, row) = (index / stack % columns, index / stack / columns);
            let (layer, second) = (index % stack / 2, index % 2);
            let quarters = (layer % 2) as f64;
            let turn = Rotation::from_axis_angle(DVec3::Z, core::f64::consts::FRAC_PI_2 * quarters);
            let beside = turn.rotate(DVec3::Y) * (self.abreast * (second as f64 - 0.5));
            let [x, y] = [(); 2].map(|()| scene.rng.range(-0.02, 0.02));
            let at = beside
                + DVec3::new(
                    self.apart * middle(column, columns) + x,
                    self.apart * middle(row, rows) + y,
                    self.first + self.rise * layer as f64,
                );
            let lean = Rotation::from_scaled_axis(scene.rng.direction() * 0.03);
            scene.add(shape, PLANK_SCALE, at, lean.after(turn));
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
