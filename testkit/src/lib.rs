//! Development only: exact oracles, generators of hard inputs, the corpus runner.
//!
//! - [`data_dir`]: where the public data sets are.
//! - [`hard_queries`], [`query_strategy`]: seeded queries that break careless collision detection.
//! - [`oracle`]: contact and distance at one time, in rational arithmetic.
//! - [`check_certificate`]: whether the pieces of a certificate prove what they claim.
//! - [`surface_points`]: samples of the surface of a field.
//! - [`corpus`]: the collision cases other engines got wrong.

mod certificate;
pub mod corpus;
mod data;
mod hard_queries;
pub mod oracle;
mod rational;
mod rng;
mod surface;

pub use certificate::check_certificate;
pub use data::data_dir;
pub use hard_queries::{Family, hard_queries, hard_query, query_strategy};
pub use rng::Rng;
pub use surface::surface_points;
