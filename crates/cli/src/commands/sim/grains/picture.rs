//! Pictures of grains: the scene cut open along y = 0, several moments side by side.

use glam::{DVec3, Vec3};
use jostle::dynamics::GrainFlow;
use jostle::scenes::grains::{Grain, GrainScene, WallShape};

use super::shell::Shell;
use crate::render::{Ball, Camera, Canvas, Look, Rgb, Surface, by_time, draw_label, render};

/// Pixels.
const SIZE: [usize; 2] = [1280, 840];
/// Layers that grains are coloured by.
const LAYERS: f64 = 12.0;
const WALL: Rgb = Rgb::bytes([205, 213, 223]);
/// Grains that came in after the start.
const LATE: Rgb = Rgb::bytes([232, 236, 240]);
const WHITE: Rgb = Rgb::bytes([255, 255, 255]);

/// Grains at a moment.
pub(crate) struct Moment {
    /// Seconds since the start.
    time: f64,
    grains: Vec<(u64, Grain)>,
}

impl Moment {
    /// Now.
    pub(crate) fn of(flow: &GrainFlow, frame: f64) -> Self {
        Self {
            time: flow.frame() as f64 * frame,
            grains: flow.numbered_grains(),
        }
    }
}

/// Draws moments of a scene, from left to right. Grains are coloured by the layer in which they started, or by size where they
/// differ; those in front of the cut are left out.
pub(crate) fn draw(scene: &GrainScene, moments: &[Moment]) -> Canvas {
    let radius = scene.grains.iter().map(|g| g.radius).fold(0.0, f32::max);
    let extent = Extent::of(scene, moments, radius);
    let [low, high] = [extent.low, extent.high];
    let shell = Shell::behind(scene, 0.5 * radius, high.z);
    let pitch = 1.2 * (high.x - low.x);
    let shift =
        |index: usize| Vec3::X * (pitch * (index as f32 - (moments.len() - 1) as f32 / 2.0));

    let mut positions = Vec::new();
    let mut faces = Vec::new();
    let mut balls = Vec::new();
    let colours = Colours::of(scene);
    for (index, moment) in moments.iter().enumerate() {
        let shift = shift(index);
        let first = positions.len() as u32;
        positions.extend(shell.positions.iter().map(|&p| p + shift.as_dvec3()));
        faces.extend(shell.faces.iter().map(|face| face.map(|i| i + first)));
        let behind = moment.grains.iter().filter(|(_, g)| extent.shows(g));
        balls.extend(behind.map(|(id, grain)| Ball {
            centre: grain.centre + shift,
            radius: grain.radius,
            colour: colours.colour(*id, grain),
        }));
    }
    let surface = Surface {
        positions: &positions,
        normals: &[],
        faces: &faces,
        colours: &vec![WALL; faces.len()],
        balls: &balls,
    };
    let wide = pitch * moments.len() as f32;
    let camera = camera(wide, low.z, high.z, moments.len() > 1);
    let look = Look {
        smooth: true,
        floor: extent.floor,
        reach: 5.0 * radius,
        lines: 0.0,
    };
    let mut canvas = render(surface, &camera, look, SIZE);
    // Below everything, so that labels stand in a line.
    let lowest = balls.iter().map(|ball| {
        let below = ball.centre - Vec3::Z * ball.radius;
        camera.place(below.as_dvec3(), SIZE)[1]
    });
    let lowest = lowest.fold(0.0, f32::max);
    for (index, moment) in moments.iter().enumerate() {
        let text = format!("t = {:.1} s", moment.time);
        let [x, _] = camera.place(shift(index).as_dvec3().with_z(f64::from(low.z)), SIZE);
        draw_label(&mut canvas, &text, [x, lowest]);
    }
    canvas
}

/// In front of the cut, a little above, with everything in view.
fn camera(wide: f32, low: f32, high: f32, straight: bool) -> Camera {
    // Moments side by side stand in a line only when seen from the front.
    let aside = if straight { 0.0 } else { 0.10 };
    let tall = 1.22 * (high - low);
    let size = tall.max(wide * SIZE[1] as f32 / SIZE[0] as f32);
    let distance = f64::from(4.5 * size);
    let target = DVec3::new(
        0.0,
        0.0,
        f64::from(low + high) / 2.0 - 0.02 * f64::from(size),
    );
    Camera {
        eye: target + DVec3::new(aside, -1.0, 0.26).normalize() * distance,
        target,
        half_height: 0.5 * size / distance as f32,
    }
}

/// What of a scene is in the picture.
struct Extent {
    low: Vec3,
    high: Vec3,
    floor: f32,
    /// Below it grains are seen whole.
    open: f32,
}

impl Extent {
    fn of(scene: &GrainScene, moments: &[Moment], radius: f32) -> Self {
        let mut low = Vec3::MAX;
        let mut high = Vec3::MIN;
        for (_, grain) in moments.iter().flat_map(|moment| &moment.grains) {
            low = low.min(grain.centre - radius);
            high = high.max(grain.centre + radius);
        }
        if moments.iter().all(|moment| moment.grains.is_empty()) {
            (low, high) = (scene.world.min, scene.world.max);
        }
        let mut floor = f32::MAX;
        let mut open = f32::MAX;
        for wall in &scene.walls {
            match wall.shape {
                WallShape::Frustum {
                    base,
                    axis,
                    length,
                    radii,
                } => {
                    let wide = radii[0].max(radii[1]);
                    if axis.z > 0.99 {
                        low = low.min(Vec3::new(-wide, -wide, base.z));
                        high = high.max(Vec3::new(wide, wide, base.z));
                        open = open.min(base.z);
                    } else {
                        let ends = [base, base + axis * length];
                        for end in ends {
                            low = low.min(end - wide);
                            high = high.max(end + wide);
                        }
                    }
                }
                WallShape::Plane { normal, offset } if normal.z > 0.99 => floor = offset,
                _ => {}
            }
        }
        high.z += 3.0 * radius;
        if open == f32::MAX || scene.drains.is_empty() {
            open = f32::MIN;
        }
        if floor == f32::MAX {
            floor = if scene.drains.is_empty() {
                low.z
            } else {
                low.z - 4.0 * radius
            };
        }
        Self {
            low,
            high,
            floor,
            open,
        }
    }

    fn shows(&self, grain: &Grain) -> bool {
        grain.centre.y >= 0.0 || grain.centre.z < self.open
    }
}

/// What grains are coloured by.
enum Colours<'a> {
    /// The height at which they started.
    Layer {
        grains: &'a [Grain],
        low: f64,
        high: f64,
    },
    /// Their size.
    Size { low: f32, high: f32 },
}

impl<'a> Colours<'a> {
    fn of(scene: &'a GrainScene) -> Self {
        let grains = &scene.grains[..];
        let span = |of: fn(&Grain) -> f32| {
            grains
                .iter()
                .map(of)
                .fold((f32::MAX, f32::MIN), |(a, b), x| (a.min(x), b.max(x)))
        };
        let (small, large) = span(|g| g.radius);
        if large > 1.02 * small {
            return Self::Size {
                low: small,
                high: large,
            };
        }
        let (low, high) = span(|g| g.centre.z);
        Self::Layer {
            grains,
            low: f64::from(low),
            high: f64::from(high),
        }
    }

    fn colour(&self, id: u64, grain: &Grain) -> Rgb {
        match *self {
            Self::Size { low, high } => {
                by_time(1.0 - 0.9 * f64::from((grain.radius - low) / (high - low)))
            }
            Self::Layer { grains, low, high } => {
                let Some(start) = usize::try_from(id).ok().and_then(|id| grains.get(id)) else {
                    return LATE;
                };
                let share = (f64::from(start.centre.z) - low) / (high - low).max(1e-9);
                let layer = (share * LAYERS).floor().clamp(0.0, LAYERS - 1.0);
                let colour = by_time(1.0 - layer / (LAYERS - 1.0));
                let pale = if layer as i64 % 2 == 0 { 0.0 } else { 0.28 };
                colour.mix(WHITE, pale)
            }
        }
    }
}
