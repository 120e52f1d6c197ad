//! Where grains come in and where they leave.

use jostle_scenes::Rng;
use jostle_scenes::grains::{Drain, Emitter, Grain};

use super::error::FlowError;
use super::flow::{FrameStats, GONE, GrainFlow, check_radius};
use super::tolerances::{EMISSION_FRAMES, FARTHEST_PLACE};

/// Distance of the places of an emitter in diameters of its largest grain.
const SPACING: f32 = 1.02;

/// Places that an emitter may have.
const MOST_PLACES: f64 = 1e7;

pub(super) fn check_emitter(index: usize, emitter: &Emitter) -> Result<(), FlowError> {
    let wrong = |reason| FlowError::Traffic {
        what: "emitter",
        index,
        reason,
    };
    check_radius(index, emitter.radii[0])?;
    check_radius(index, emitter.radii[1])?;
    if emitter.radii[0] > emitter.radii[1] {
        return Err(wrong("the smallest radius is larger than the largest"));
    }
    if !emitter.region.is_valid() {
        return Err(wrong("the region is not finite or is inverted"));
    }
    if !emitter.velocity.is_finite() || emitter.velocity.abs().max_element() > 1e6 {
        return Err(wrong("the velocity is not finite or too large"));
    }
    if !(emitter.rate >= 0.0 && emitter.rate <= 1e12) {
        return Err(wrong("the rate must be between 0 and 1e12 a second"));
    }
    let corners = [emitter.region.min, emitter.region.max];
    if corners
        .iter()
        .any(|c| c.abs().max_element() > FARTHEST_PLACE)
    {
        return Err(wrong("the region is too far away"));
    }
    let places = places(emitter, emitter.radii[1]).map(|n| n as f64);
    if places[0] * places[1] * places[2] > MOST_PLACES {
        return Err(wrong(
            "the region has room for more than ten million grains",
        ));
    }
    Ok(())
}

pub(super) fn check_drains(drains: &[Drain]) -> Result<(), FlowError> {
    for (index, drain) in drains.iter().enumerate() {
        let length = drain.normal.length();
        if !((0.999..=1.001).contains(&length) && drain.offset.is_finite()) {
            return Err(FlowError::Traffic {
                what: "drain",
                index,
                reason: "the normal must have length 1 and the offset must be finite",
            });
        }
    }
    Ok(())
}

/// Places of an emitter along each axis for grains of a radius.
fn places(emitter: &Emitter, radius: f32) -> [usize; 3] {
    let spacing = f64::from(radius) * 2.0 * f64::from(SPACING);
    let extent = emitter.region.max.as_dvec3() - emitter.region.min.as_dvec3();
    (extent / spacing)
        .to_array()
        .map(|n| (n as usize).saturating_add(1))
}

impl GrainFlow {
    /// Takes out what has left, then lets in what is due and finds room.
    pub(super) fn traffic(&mut self, stats: &mut FrameStats) {
        self.drain(stats);
        let frame = self.options.frame;
        self.since_emission += 1;
        let now = self.stale || self.since_emission >= EMISSION_FRAMES;
        for index in 0..self.emitters.len() {
            let (emitter, state) = &mut self.emitters[index];
            let left = emitter.limit.saturating_sub(state.made);
            state.owed = (state.owed + emitter.rate * frame).min(left as f64);
            if now && (state.owed >= 1.0 || !self.waiting.is_empty()) {
                self.emit(index, stats);
            }
        }
    }

    fn drain(&mut self, stats: &mut FrameStats) {
        if self.drains.is_empty() {
            return;
        }
        for i in 0..self.rows.len() {
            let [x, y, z, radius] = self.rows[i].place;
            let out = |d: &&Drain| d.normal.x * x + d.normal.y * y + d.normal.z * z < d.offset;
            if self.ids[i] == GONE {
                continue;
            }
            let Some(drain) = self.drains.iter().find(out) else {
                continue;
            };
            if drain.recycle && !self.emitters.is_empty() {
                self.waiting.push_back(radius);
            }
            self.take_out(i);
            stats.drained += 1;
        }
        self.drained += stats.drained;
    }

    /// Fills free places of an emitter, in an order drawn anew each frame.
    fn emit(&mut self, index: usize, stats: &mut FrameStats) {
        let (emitter, state) = self.emitters[index];
        // Grains that come in again may be larger than those it makes.
        let large = self
            .waiting
            .iter()
            .copied()
            .fold(emitter.radii[1], f32::max);
        let n = places(&emitter, large);
        let spacing = 2.0 * SPACING * large;
        let mut taken = vec![false; n[0] * n[1] * n[2]];
        let (min, max) = (emitter.region.min, emitter.region.max);
        for row in &self.rows {
            let [x, y, z, r] = row.place;
            let reach = r + large;
            let p = glam::Vec3::new(x, y, z);
            if !(p.cmpge(min - reach).all() && p.cmple(max + reach).all()) {
                continue;
            }
            mark(&mut taken, n, (p - min) / spacing, reach / spacing);
        }
        let mut rng = Rng::new(self.seed ^ self.frame, 0x4752_4149 + index as u64);
        let before = stats.emitted;
        let mut made = state.made;
        let mut owed = state.owed;
        let start = rng.index(taken.len().max(1));
        for k in 0..taken.len() {
            let place = (start + k) % taken.len();
            if taken[place] {
                continue;
            }
            let radius = if let Some(radius) = self.waiting.pop_front() {
                radius
            } else if owed >= 1.0 {
                owed -= 1.0;
                made += 1;
                let [low, high] = emitter.radii.map(f64::from);
                rng.range(low, high) as f32
            } else {
                break;
            };
            let at = [place % n[0], place / n[0] % n[1], place / (n[0] * n[1])];
            // Less than half the gap between places, so that neighbours never touch.
            let gap = f64::from(spacing * (1.0 - 1.0 / SPACING)) * 0.4;
            let jitter = (rng.cube() * gap).as_vec3();
            let centre = min + glam::Vec3::from(at.map(|i| i as f32)) * spacing + jitter;
            self.add(&Grain {
                centre,
                velocity: emitter.velocity,
                spin: glam::Vec3::ZERO,
                radius,
            });
            stats.emitted += 1;
        }
        if stats.emitted > before {
            self.stale = true;
            self.since_emission = 0;
        }
        self.emitters[index].1.made = made;
        self.emitters[index].1.owed = owed;
    }
}

/// Marks the places within a reach of a point, both in units of the spacing.
fn mark(taken: &mut [bool], n: [usize; 3], p: glam::Vec3, reach: f32) {
    let mut range = [[0; 2]; 3];
    for axis in 0..3 {
        let low = (p[axis] - reach - 0.05).ceil().max(0.0) as usize;
        let high = (p[axis] + reach + 0.05).floor();
        if high < 0.0 {
            return;
        }
        range[axis] = [low, (high as usize).min(n[axis] - 1)];
    }
    for z in range[2][0]..=range[2][1] {
        for y in range[1][0]..=range[1][1] {
            for x in range[0][0]..=range[0][1] {
                let d = glam::Vec3::new(x as f32, y as f32, z as f32) - p;
                if d.length_squared() < (reach + 0.05) * (reach + 0.05) {
                    taken[(z * n[1] + y) * n[0] + x] = true;
                }
            }
        }
    }
}
