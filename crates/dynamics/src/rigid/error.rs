//! What can be wrong with a world of bodies.

use jostle_broad::PairError;
use jostle_sdf::contact::ContactError;
use thiserror::Error;

/// Why a world cannot start or go on.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum WorldError {
    /// A property of a body is out of range.
    #[error("body {body}: {what} is {value}, which is not {range}")]
    Body {
        /// Which one.
        body: usize,
        /// Which of its properties.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What is possible.
        range: &'static str,
    },
    /// A body has a shape that does not exist.
    #[error("body {body} has shape {shape}, but there are {shapes}")]
    Shape {
        /// Which one.
        body: usize,
        /// As given.
        shape: u32,
        /// How many there are.
        shapes: usize,
    },
    /// A body that contacts should move has no usable mass or inertia: its shape has no volume, no thickness, or no end.
    #[error("body {body}: {what} is {value}, which no motion can be worked out from")]
    Mass {
        /// Which one.
        body: usize,
        /// Mass or a moment of inertia.
        what: &'static str,
        /// Its value, kg or kg m².
        value: f64,
    },
    /// The box of a body is empty or not a number.
    #[error("body {body} has an empty box: its shape has no surface")]
    EmptyBox {
        /// Which one.
        body: usize,
    },
    /// The scene or an option makes no sense.
    #[error("{what} is {value}, which is not {range}")]
    Option {
        /// Which.
        what: &'static str,
        /// As given.
        value: f64,
        /// What it has to be.
        range: &'static str,
    },
    /// More bodies than 32-bit indices can name.
    #[error("{bodies} bodies are more than 32-bit indices can name")]
    TooMany {
        /// How many.
        bodies: usize,
    },
    /// A body that is not there any more, or never was.
    #[error("there is no body {index} of generation {generation}")]
    NoSuchBody {
        /// Its index.
        index: u32,
        /// Its generation.
        generation: u32,
    },
    /// The contacts cannot be found.
    #[error(transparent)]
    Contacts(#[from] ContactError),
    /// The broad phase refuses a box.
    #[error(transparent)]
    Pairs(#[from] PairError),
}
