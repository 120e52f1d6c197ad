//! A small software renderer: meshes coloured by time of impact, as PNG.
//!
//! Visibility by a z-buffer, then one pass over the pixels: key light with a shadow map, ambient
//! light with screen-space occlusion, thin lines along the edges, a floor that only catches
//! shadow. Pictures are drawn at twice their size and averaged down. Nothing here affects results.

mod buffer;
mod camera;
mod canvas;
mod font;
mod legend;
mod palette;
mod shade;

pub(crate) use camera::Camera;
pub(crate) use canvas::Canvas;
pub(crate) use legend::draw_legend;
pub(crate) use palette::{Rgb, by_time};
pub(crate) use shade::{Look, Surface, render};
