//! Scenes of boxes for the broad phase: some that stand still and some that move every frame.

use core::fmt;
use core::str::FromStr;

use glam::{DVec3, Vec3};
use jostle_geom::{Aabb, rounding};

use crate::scene::UnknownScene;
use crate::stirred::Stir;
use crate::terrain::Ground;
use crate::{ClusteredBoxes, Fnv, SceneError, StirredBoxes, Terrain, UniformBoxes};

/// Boxes that stand still, boxes that move, and the triangles behind the former where there are any.
///
/// Ids of a broad phase over all of them: first [`fixed`](Self::fixed), then
/// [`moving`](Self::moving). The bits are the same on every platform, in every frame.
#[derive(Clone, Debug)]
pub struct BoxScene {
    /// The triangle whose box is `fixed[i]`, or nothing when the fixed boxes are not triangles.
    pub triangles: Vec<[Vec3; 3]>,
    /// Boxes that never move.
    pub fixed: Vec<Aabb>,
    /// Boxes of the present frame. [`advance`](Self::advance) overwrites them.
    pub moving: Vec<Aabb>,
    bodies: Vec<Mover>,
    space: Space,
    frame: u64,
}

/// A box that moves: centre and half edges in metres, velocity in metres a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mover {
    pub(crate) centre: DVec3,
    pub(crate) half: DVec3,
    pub(crate) velocity: DVec3,
}

impl Mover {
    fn aabb(&self) -> Aabb {
        let (min, max) = (self.centre - self.half, self.centre + self.half);
        Aabb::new(
            Vec3::from_array(min.to_array().map(rounding::down)),
            Vec3::from_array(max.to_array().map(rounding::up)),
        )
    }
}

/// Where movers turn back.
#[derive(Clone, Debug)]
pub(crate) enum Space {
    /// At the walls of the cube [0, side]³, axis by axis.
    Cube { side: f64 },
    /// Every `frames` frames, at a frame that depends on the index, so that no mover strays far.
    Shuttle { frames: u64 },
    /// At the ground, at a ceiling that follows it, and at the edges of the terrain.
    Above(Ground),
    /// At the walls of a cube, inside which a flow carries them.
    Stirred(Stir),
}

impl BoxScene {
    pub(crate) fn new(triangles: Vec<[Vec3; 3]>, bodies: Vec<Mover>, space: Space) -> Self {
        Self {
            fixed: triangles.iter().map(triangle_box).collect(),
            triangles,
            moving: bodies.iter().map(Mover::aabb).collect(),
            bodies,
            space,
            frame: 0,
        }
    }

    /// Moves on by one frame. Cost: O(moving).
    pub fn advance(&mut self) {
        self.frame += 1;
        for (index, body) in self.bodies.iter_mut().enumerate() {
            match &self.space {
                Space::Cube { side } => {
                    for axis in 0..3 {
                        let next = body.centre[axis] + body.velocity[axis];
                        if next < 0.0 {
                            body.velocity[axis] = body.velocity[axis].abs();
                        } else if next > *side {
                            body.velocity[axis] = -body.velocity[axis].abs();
                        }
                    }
                }
                Space::Shuttle { frames } => {
                    if (self.frame + index as u64).is_multiple_of(*frames) {
                        body.velocity = -body.velocity;
                    }
                }
                Space::Above(ground) => ground.steer(body),
                Space::Stirred(stir) => stir.steer(body, self.frame, index as u64),
            }
            body.centre += body.velocity;
            self.moving[index] = body.aabb();
        }
    }

    /// Number of the present frame: how often [`advance`](Self::advance) was called.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// All boxes, the fixed ones first: box `i` has id `i`.
    pub fn all_boxes(&self) -> Vec<Aabb> {
        [&self.fixed[..], &self.moving].concat()
    }

    /// FNV-1a over the bits of all triangles and boxes: equal for equal scenes.
    pub fn hash(&self) -> u64 {
        let boxes = self.fixed.iter().chain(&self.moving);
        let corners = boxes.flat_map(|b| [b.min, b.max]);
        let mut hash = Fnv::default();
        for p in self.triangles.iter().flatten().copied().chain(corners) {
            for x in p.to_array() {
                hash.eat(&x.to_bits().to_le_bytes());
            }
        }
        hash.value()
    }
}

/// The smallest box around a triangle: exact, because its corners are coordinates of the triangle.
fn triangle_box(&[a, b, c]: &[Vec3; 3]) -> Aabb {
    Aabb::new(a.min(b).min(c), a.max(b).max(c))
}

/// Refuses more boxes than 32-bit ids can name besides a value for none.
pub(crate) fn nameable(boxes: usize) -> Result<(), SceneError> {
    if boxes >= u32::MAX as usize {
        return Err(SceneError::TooManyBoxes { boxes });
    }
    Ok(())
}

/// The box scenes by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BoxSceneKind {
    /// [`Terrain`](crate::Terrain): static triangles and moving boxes.
    Mixed,
    /// [`UniformBoxes`](crate::UniformBoxes).
    Uniform,
    /// [`ClusteredBoxes`](crate::ClusteredBoxes).
    Clustered,
    /// [`StirredBoxes`](crate::StirredBoxes).
    Stirred,
}

impl BoxSceneKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Mixed, Self::Uniform, Self::Clustered, Self::Stirred];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mixed => "mixed",
            Self::Uniform => "uniform",
            Self::Clustered => "clustered",
            Self::Stirred => "stirred",
        }
    }

    /// The scene with so many boxes that move, `mixed` above so many static triangles; the others
    /// have no boxes that stand still, and `fixed` means nothing to them.
    ///
    /// # Errors
    /// As the `build` of the scene.
    pub fn with_boxes(
        self,
        fixed: usize,
        moving: usize,
        seed: u64,
    ) -> Result<BoxScene, SceneError> {
        let boxes = moving;
        match self {
            Self::Mixed => Terrain {
                static_triangles: fixed,
                dynamic: moving,
                seed,
            }
            .build(),
            Self::Uniform => UniformBoxes { boxes, seed }.build(),
            Self::Clustered => ClusteredBoxes { boxes, seed }.build(),
            Self::Stirred => StirredBoxes { boxes, seed }.build(),
        }
    }
}

impl fmt::Display for BoxSceneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BoxSceneKind {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownScene(name.to_owned()))
    }
}
