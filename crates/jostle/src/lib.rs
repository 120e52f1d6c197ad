//! A collision engine that never misses: one name for all its crates.
//!
//! | module | what is in it |
//! |---|---|
//! | [`geom`] | meshes, their edges and box ids, moving meshes and their boxes |
//! | [`broad`] | which boxes overlap: every broad phase, trees and their queries, the dual tree |
//! | [`ccd`] | times of impact: of one query, of a whole step |
//! | [`dynamics`] | granular flow: grains that push each other and walls |
//! | [`check`] | is a mesh fit for collision: holes, degenerate faces, self-intersections |
//! | [`io`] | OBJ, PLY and STL meshes, files of queries |
//! | [`scenes`] | seeded scenes for tests, benches and demos |
//! | [`snapshot`] | one writer publishes a world, readers query it, nobody waits |
//! | [`simd`] | levels of vector instructions and the kernels behind the rest |
//!
//! [`prelude`] has what most programs name. Lengths are metres; a time of impact is a share of the
//! step, from 0 to 1.
//!
//! ```
//! use jostle::prelude::*;
//!
//! // A tetrahedron that falls onto a triangle at rest.
//! let faces = vec![[0, 1, 2], [3, 4, 5], [3, 5, 6], [3, 6, 4], [4, 6, 5]];
//! let topology = Topology::new(7, faces, &[])?;
//! let at_height = |z: f64| -> Vec<DVec3> {
//!     let floor = [[-2.0, -2.0, 0.0], [4.0, -2.0, 0.0], [-2.0, 4.0, 0.0]];
//!     let body = [[0.0, 0.0, z], [0.5, 0.0, z + 1.0], [0.0, 0.5, z + 1.0], [-0.5, -0.5, z + 1.0]];
//!     floor.into_iter().chain(body).map(DVec3::from).collect()
//! };
//! let (t0, t1) = (at_height(0.75), at_height(-0.25));
//!
//! let step = MovingMesh::new(&topology, &t0, &t1)?;
//! let report = earliest_impact(&step, &StepOptions::default(), &())?;
//!
//! // The tip is the vertex with index 3; it reaches the face with index 0 at t = 3/4. The time
//! // returned is never later than that.
//! let hit = report.first.expect("the tip goes through the face");
//! assert_eq!((hit.kind, hit.a, hit.b), (PairKind::VertexFace, 3, 0));
//! assert!(hit.toi <= 0.75 && hit.toi > 0.75 - 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! - `parallel` (default): steps run on the threads of the current rayon pool. The results do not
//!   depend on how many there are.

pub use glam;
pub use jostle_broad as broad;
pub use jostle_ccd as ccd;
pub use jostle_check as check;
pub use jostle_dynamics as dynamics;
pub use jostle_geom as geom;
pub use jostle_io as io;
pub use jostle_scenes as scenes;
pub use jostle_sdf as sdf;
pub use jostle_simd as simd;
pub use jostle_snapshot as snapshot;

/// What most programs name, in one `use`.
pub mod prelude {
    pub use glam::DVec3;
    pub use jostle_broad::dual::{DualTree, Filter, StaticFilters};
    pub use jostle_broad::step::StepMethod;
    pub use jostle_broad::{Method, PairOptions};
    pub use jostle_ccd::step::{
        Hit, Observer, StepOptions, StepReport, all_impacts, candidates, earliest_impact,
    };
    pub use jostle_ccd::{NarrowPhase, Outcome, Query, QueryOptions, time_of_impact};
    pub use jostle_check::{CheckOptions, check as check_mesh, triangles_intersect};
    pub use jostle_dynamics::{FlowError, FlowOptions, GrainFlow};
    pub use jostle_geom::{Aabb, Mesh, MovingMesh, PairKind, Topology};
    pub use jostle_io::read_mesh;
    pub use jostle_scenes::grains::{Grain, GrainScene, GrainSceneKind, Hopper};
    pub use jostle_simd::SimdLevel;
}

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
