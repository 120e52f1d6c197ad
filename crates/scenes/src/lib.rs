//! Seeded scenes shared by the tests, benches, command line and demo of the Jostle engine.
//!
//! Every scene is a pure function of its parameters and its seed: the same bits on every platform,
//! because it uses only correctly rounded operations and the sine, cosine and arctangent of
//! `libm`. A [`Scene`] is a topology with two or more frames of positions, in metres; consecutive
//! frames make a step of linear motion. A [`BoxScene`] is boxes that stand still and boxes that move
//! from frame to frame, for a broad phase alone; a [`GrainScene`](grains::GrainScene) is grains that
//! flow between walls; a [`BodyScene`](bodies::BodyScene) is rigid bodies whose forms are distance fields.
//!
//! | name | what it is |
//! |---|---|
//! | [`cloth-ball`](ClothBall) | a sheet draped over a ball, pushed and pinched in the last step |
//! | [`tumbling`](Tumbling) | a cloud of cubes and icospheres of constant density, each moving and turning |
//! | [`strands`](Strands) | swaying polylines and falling points over a floor: mostly codimensional |
//! | [`mixed`](Terrain) | boxes that move above a terrain of triangles with props on it |
//! | [`uniform`](UniformBoxes) | boxes in a cube, 3.9 overlaps each |
//! | [`clustered`](ClusteredBoxes) | boxes in clusters, sizes over five decades |
//! | [`stirred`](StirredBoxes) | boxes in a cube that a flow stirs for ever |
//! | [`hopper`](grains::Hopper) | grains in a cone with an outlet; they leave and come in again |
//! | [`column-collapse`](grains::ColumnCollapse) | a column of grains that spreads over a rough floor |
//! | [`drum`](grains::Drum) | grains in a drum that turns, half full |
//! | [`tumbler`](grains::Tumbler) | a drum of grains of two sizes, which separate |
//!
//! Scenes of bodies are named by [`BodySceneKind`](bodies::BodySceneKind): stacks, heaps of primitives, of warped planks
//! and of baked meshes, gears, spikes, a colosseum, a funnel.
//!
//! [`BoxSet`] names sets of boxes that are hard on a broad phase, for tests.
//!
//! ```
//! use jostle_scenes::{ClothBall, SceneKind};
//!
//! let scene = ClothBall { cells: 24, ..ClothBall::default() }.build()?;
//! let step = scene.step(0).expect("scenes have at least one step");
//! assert_eq!(step.t0().len(), scene.topology.vertex_count());
//!
//! let cloud = SceneKind::Tumbling.with_boxes(10_000, 2, 7)?;
//! assert_eq!(cloud.frames.len(), 2);
//! # Ok::<(), jostle_scenes::SceneError>(())
//! ```

pub mod bodies;
mod box_scene;
mod box_set;
mod cloth_ball;
mod clouds;
pub mod grains;
mod scene;
mod shapes;
mod stirred;
mod strands;
mod terrain;
mod tumbling;

pub use box_scene::{BoxScene, BoxSceneKind};
pub use box_set::BoxSet;
pub use cloth_ball::ClothBall;
pub use clouds::{ClusteredBoxes, UniformBoxes};
pub use jostle_geom::{Fnv, Rng};
pub use scene::{Scene, SceneError, SceneKind, UnknownScene};
pub use shapes::Shape;
pub use stirred::StirredBoxes;
pub use strands::Strands;
pub use terrain::Terrain;
pub use tumbling::Tumbling;
