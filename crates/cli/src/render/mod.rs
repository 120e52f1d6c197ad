//! A small software renderer: meshes and balls, as PNG.
//!
//! Visibility by a z-buffer, then one pass over the pixels: key light with a shadow map, ambient
//! light with screen-space occlusion, thin lines along the edges, a floor that only catches
//! shadow. Pictures are drawn at twice their size and averaged down. Nothing here affects results.

mod ball;
mod buffer;
mod camera;
mod canvas;
mod font;
mod legend;
mod palette;
mod shade;

pub(crate) use ball::Ball;
pub(crate) use camera::Camera;
pub(crate) use canvas::Canvas;
pub(crate) use legend::{draw_label, draw_legend};
pub(crate) use palette::{Rgb, by_time};
pub(crate) use shade::{Look, Surface, render};
