//! Which bodies may touch: candidates for some time, and those whose boxes overlap now.

use std::sync::Arc;

use glam::DVec3;
use jostle_broad::{BroadPhase, PairOptions};
use jostle_geom::{Aabb, rounding};
use jostle_sdf::Shape;

use super::bodies::Body;
use super::error::WorldError;
use super::options::WorldOptions;
use super::threads::fill_chunks;
use super::tolerances::{CHUNK, SLACK};

/// The box of a body in the world, grown by so much on every side and rounded outward.
pub(super) fn world_box(shape: &Shape, body: &Body, by: f64) -> Aabb {
    let local = shape.aabb();
    let (low, high) = (local.min.as_dvec3(), local.max.as_dvec3());
    let turned = body.pose.rotation.matrix() * f64::from(body.scale);
    let place = body.pose.position + body.pose.rotation.rotate(body.origin);
    let columns = [turned.x_axis, turned.y_axis, turned.z_axis];
    if !(low.is_finite() && high.is_finite()) {
        return endless_box(place, columns, low, high, by);
    }
    let (mid, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let centre = place + turned * mid;
    let reach = columns[0].abs() * half.x + columns[1].abs() * half.y + columns[2].abs() * half.z;
    // Rounding in f64 is covered by a few of its last places of the largest numbers in the sums.
    let slop =
        4e-15 * (place.abs().max_element() + centre.abs().max_element() + reach.max_element());
    let reach = reach + (by + slop);
    outward(centre - reach, centre + reach)
}

/// The same for a shape without an end on some side.
fn endless_box(place: DVec3, columns: [DVec3; 3], low: DVec3, high: DVec3, by: f64) -> Aabb {
    let (mut min, mut max) = (place, place);
    for (axis, column) in columns.into_iter().enumerate() {
        // Times nothing, a bound without end is nothing.
        let times =
            |bound: f64| DVec3::select(column.cmpeq(DVec3::ZERO), DVec3::ZERO, column * bound);
        let (a, b) = (times(low[axis]), times(high[axis]));
        min += a.min(b);
        max += a.max(b);
    }
    let finite = |v: f64| if v.is_finite() { v.abs() } else { 0.0 };
    let all = [place, min, max].map(|v| v.to_array().map(finite));
    let slop = by + 4e-15 * all.as_flattened().iter().fold(0.0, |a: f64, b| a.max(*b));
    outward(min - slop, max + slop)
}

fn outward(min: DVec3, max: DVec3) -> Aabb {
    Aabb::new(
        min.to_array().map(rounding::down).into(),
        max.to_array().map(rounding::up).into(),
    )
}

/// A box that overlaps none, for bodies that are not there: a point farther away than any body goes.
const NOWHERE: Aabb = Aabb::new(glam::Vec3::splat(-3.0e38), glam::Vec3::splat(-3.0e38));

/// The broad phase and its candidates.
pub(super) struct Broad {
    phase: Box<dyn BroadPhase>,
    /// Half the margin of contacts, m.
    half_margin: f64,
    /// Boxes now, grown by half the margin.
    now: Vec<Aabb>,
    /// Boxes for some time, in which those of now have to stay.
    grown: Vec<Aabb>,
    /// The bodies that never move and the other ones, in the order of the phase.
    fixed: Vec<u32>,
    moving: Vec<u32>,
    /// Whether bodies have come, gone or changed since the candidates were found.
    changed: bool,
    candidates: Vec<[u32; 2]>,
    spare: Vec<[u32; 2]>,
    starts: Vec<u32>,
    boxes: Vec<Aabb>,
    /// Those of the candidates whose boxes overlap now, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// How often candidates were found anew.
    pub searches: u64,
}

impl core::fmt::Debug for Broad {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Broad")
            .field("candidates", &self.candidates.len())
            .field("pairs", &self.pairs.len())
            .finish_non_exhaustive()
    }
}

impl Broad {
    pub(super) fn new(options: &WorldOptions) -> Self {
        let mut broad = PairOptions::default();
        broad.level = options.level;
        Self {
            phase: options.method.start(&broad),
            half_margin: 0.5 * f64::from(options.contacts.margin),
            now: Vec::new(),
            grown: Vec::new(),
            fixed: Vec::new(),
            moving: Vec::new(),
            changed: true,
            candidates: Vec::new(),
            spare: Vec::new(),
            starts: Vec::new(),
            boxes: Vec::new(),
            pairs: Vec::new(),
            searches: 0,
        }
    }

    /// To be called when bodies come, go or are moved.
    pub(super) fn changed(&mut self) {
        self.changed = true;
    }

    /// Finds the pairs of now. `horizon` is for how long candidates should last, s. Cost: O(bodies + candidates), and a
    /// broad phase where a body has left its box.
    pub(super) fn refresh(
        &mut self,
        bodies: &[Body],
        shapes: &[Arc<Shape>],
        gravity: DVec3,
        horizon: f64,
    ) -> Result<(), WorldError> {
        self.now.resize(bodies.len(), NOWHERE);
        let (changed, half) = (self.changed, self.half_margin);
        fill_chunks(&mut self.now, CHUNK, |first, now| {
            for (now, body) in now.iter_mut().zip(&bodies[first..]) {
                if !body.alive {
                    *now = NOWHERE;
                } else if changed || body.awake() || body.moves() {
                    *now = world_box(&shapes[body.shape as usize], body, half);
                }
            }
        });
        let stale = || {
            let mut all = self.now.iter().zip(&self.grown);
            !all.all(|(now, grown)| grown.contains(now))
        };
        if self.changed || stale() {
            self.search(bodies, gravity, horizon)?;
        }
        // Half of the candidates overlap and no processor can guess which: no branches.
        self.pairs.resize(self.candidates.len(), [0; 2]);
        let mut kept = 0;
        for &[a, b] in &self.candidates {
            let (one, other) = (&self.now[a as usize], &self.now[b as usize]);
            let apart = one.min.cmpgt(other.max).bitmask() | other.min.cmpgt(one.max).bitmask();
            self.pairs[kept] = [a, b];
            kept += usize::from(apart == 0);
        }
        self.pairs.truncate(kept);
        Ok(())
    }

    fn search(&mut self, bodies: &[Body], gravity: DVec3, horizon: f64) -> Result<(), WorldError> {
        self.searches += 1;
        let fall = gravity.length() * horizon;
        self.grown.resize(bodies.len(), NOWHERE);
        let now = &self.now;
        fill_chunks(&mut self.grown, CHUNK, |first, grown| {
            for (i, grown) in grown.iter_mut().enumerate() {
                let (body, now) = (&bodies[first + i], now[first + i]);
                *grown = if body.alive && (body.awake() || body.moves()) {
                    ahead(body, now, fall, horizon)
                } else {
                    now
                };
            }
        });
        if self.changed {
            self.fixed.clear();
            self.moving.clear();
            for (i, body) in bodies.iter().enumerate().filter(|(_, body)| body.alive) {
                if body.dynamic() || body.moves() {
                    self.moving.push(i as u32);
                } else {
                    self.fixed.push(i as u32);
                }
            }
        }
        self.boxes.clear();
        let moving = self.moving.iter().map(|&i| self.grown[i as usize]);
        self.boxes.extend(moving);
        if self.changed {
            let fixed: Vec<Aabb> = self.fixed.iter().map(|&i| self.grown[i as usize]).collect();
            self.phase
                .build(&fixed, &self.boxes)
                .map_err(jostle_broad::PairError::from)?;
            self.changed = false;
        } else {
            self.phase
                .update(&self.boxes)
                .map_err(jostle_broad::PairError::from)?;
        }
        self.spare.clear();
        self.phase.append_pairs(&mut self.spare)?;
        let fixed = self.fixed.len();
        let body_of = |id: u32| {
            let id = id as usize;
            if id < fixed {
                self.fixed[id]
            } else {
                self.moving[id - fixed]
            }
        };
        let mut kept = 0;
        for i in 0..self.spare.len() {
            let [a, b] = self.spare[i].map(body_of);
            if bodies[a as usize].dynamic() || bodies[b as usize].dynamic() {
                self.spare[kept] = [a.min(b), a.max(b)];
                kept += 1;
            }
        }
        self.spare.truncate(kept);
        sort(
            &self.spare,
            bodies.len(),
            &mut self.starts,
            &mut self.candidates,
        );
        Ok(())
    }
}

/// The box of the way of a body for some time, and a bit more.
fn ahead(body: &Body, now: Aabb, fall: f64, horizon: f64) -> Aabb {
    let size = (now.max - now.min).as_dvec3();
    let side = size.min_element();
    // A turn moves no point farther than its arc; the farthest corner of the box is at most its diagonal away.
    let arc = (body.angular_velocity.length() * horizon).min(2.0) * size.length();
    let slack = SLACK * side + fall * horizon + arc;
    let way = body.velocity * horizon;
    let slack = if slack.is_finite() { slack } else { 0.0 };
    let low = |v: f32, way: f64| rounding::down(f64::from(v) + way.min(0.0) - slack);
    let high = |v: f32, way: f64| rounding::up(f64::from(v) + way.max(0.0) + slack);
    Aabb::new(
        [
            low(now.min.x, way.x),
            low(now.min.y, way.y),
            low(now.min.z, way.z),
        ]
        .into(),
        [
            high(now.max.x, way.x),
            high(now.max.y, way.y),
            high(now.max.z, way.z),
        ]
        .into(),
    )
}

/// Sorts pairs by counting their first ids and ordering the few of each. O(pairs + bodies) where nobody has many.
fn sort(pairs: &[[u32; 2]], bodies: usize, starts: &mut Vec<u32>, out: &mut Vec<[u32; 2]>) {
    starts.clear();
    starts.resize(bodies + 1, 0);
    for &[a, _] in pairs {
        starts[a as usize + 1] += 1;
    }
    for i in 0..bodies {
        starts[i + 1] += starts[i];
    }
    out.clear();
    out.resize(pairs.len(), [0; 2]);
    for &pair in pairs {
        let place = &mut starts[pair[0] as usize];
        out[*place as usize] = pair;
        *place += 1;
    }
    let mut from = 0;
    for &to in &starts[..bodies] {
        out[from..to as usize].sort_unstable();
        from = to as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted() {
        let (mut starts, mut out) = (Vec::new(), Vec::new());
        let pairs = [[3, 4], [0, 9], [0, 2], [3, 9], [1, 2], [0, 1]];
        sort(&pairs, 10, &mut starts, &mut out);
        let mut expected = pairs.to_vec();
        expected.sort_unstable();
        assert_eq!(out, expected);
        sort(&[], 0, &mut starts, &mut out);
        assert!(out.is_empty());
    }
}
