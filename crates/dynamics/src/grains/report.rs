//! What a flow is doing: energy, momentum, overlaps, and a hash of its state.

use glam::{DVec3, Vec3};
use jostle_scenes::Fnv;

use super::chunk::Scene;
use super::flow::{GONE, GrainFlow, each_chunk};
use super::lists::WITHIN;
use super::rows::Row;

/// The state of a flow between two frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowReport {
    /// Grains that ever came in, those of the start included; grains that come in again count again.
    pub emitted: u64,
    /// Grains inside.
    pub inside: u64,
    /// Grains that left. `emitted = inside + drained`.
    pub drained: u64,
    /// Grains inside whose centre is outside the world of the scene.
    pub escaped: u64,
    /// Kinetic energy of motion and spin, J.
    pub kinetic: f64,
    /// Potential energy of gravity, J; zero at the origin.
    pub gravitational: f64,
    /// Energy stored in the springs of contacts, J.
    pub elastic: f64,
    /// Momentum, kg m/s.
    pub momentum: DVec3,
    /// Pairs of grains that are listed as neighbours right after a rebuild of the lists.
    pub pairs: u64,
    /// Contacts between grains and with walls.
    pub contacts: u64,
    /// Mean overlap of the contacts in radii, the smaller radius where they differ.
    pub overlap_mean: f64,
    /// Largest overlap in radii.
    pub overlap_max: f64,
    /// Largest overlap, m.
    pub overlap_most: f64,
}

impl FlowReport {
    /// All energy, J.
    pub fn energy(&self) -> f64 {
        self.kinetic + self.gravitational + self.elastic
    }
}

impl GrainFlow {
    /// Energy, momentum, contacts and counts now. Costs a copy of the flow, a rebuild of its lists and a sub-step: about as
    /// much as two frames.
    ///
    /// Velocities of the leapfrog scheme belong to times half a sub-step before and after the positions. The kinetic
    /// energy is ½ m times the product of both: with it the energy of linear springs is constant but for
    /// rounding, as is that of free fall, while ½ m times the square of their mean would oscillate with each contact.
    pub fn report(&self) -> FlowReport {
        let count = self.len();
        let mut now = self.clone();
        let dt = self.options.frame / f64::from(self.time_step.substeps);
        let (mut globals, variant) = self.globals(dt);
        // Springs as they are: a rebuild keeps them, and no time passes for them.
        // Lists that have no room leave out contacts of a state that the next step refuses.
        let _ = now.rebuild(variant.rolling);
        let mut report = now.contacts();
        globals.law.dt = dt as f32;
        let scene = Scene {
            level: self.options.level,
            variant,
            globals: &globals,
            walls: &now.walls,
            before: &now.rows,
        };
        now.spare.rows.resize(count, Row::NOWHERE);
        each_chunk(&scene, &mut now.lists, &mut now.spare.rows);
        for (row, after) in now.rows.iter().zip(&now.spare.rows) {
            let [x, y, z, _] = row.place;
            let ([vx, vy, vz, _], [ux, uy, uz, inverse_mass]) = (row.velocity, row.surface);
            let ([wx, wy, wz, _], [sx, sy, sz, _]) = (after.velocity, after.surface);
            let (m, place) = (1.0 / f64::from(inverse_mass), Vec3::new(x, y, z));
            let (v, w) = (
                Vec3::new(vx, vy, vz).as_dvec3(),
                Vec3::new(wx, wy, wz).as_dvec3(),
            );
            let (u, s) = (
                Vec3::new(ux, uy, uz).as_dvec3(),
                Vec3::new(sx, sy, sz).as_dvec3(),
            );
            report.kinetic += 0.5 * m * (v.dot(w) + 0.4 * u.dot(s));
            report.gravitational -= m * self.gravity.dot(place.as_dvec3());
            report.momentum += v * m;
            let world = &self.world;
            if !(place.cmpge(world.min).all() && place.cmple(world.max).all()) {
                report.escaped += 1;
            }
        }
        report.emitted = self.emitted;
        report.inside = count as u64;
        report.drained = self.drained;
        report
    }

    /// Contacts, their overlaps and their energy, from lists that hold.
    fn contacts(&self) -> FlowReport {
        let mut report = FlowReport::default();
        let mut sum = 0.0;
        let mut listed = 0;
        let k = self.material.stiffness;
        let across = k * self.material.tangential_stiffness;
        let mut add = |overlap: f32, radius: f32, share: f64, stretch: [[f32; 3]; 2]| {
            let depth = f64::from(overlap);
            let squares = stretch
                .iter()
                .flatten()
                .map(|&x| f64::from(x) * f64::from(x))
                .sum::<f64>();
            report.elastic += share * 0.5 * (k * depth * depth + across * squares);
            sum += share * depth / f64::from(radius);
            report.contacts += (2.0 * share) as u64;
            report.overlap_most = report.overlap_most.max(depth);
            report.overlap_max = report.overlap_max.max(depth / f64::from(radius));
        };
        for lists in &self.lists {
            let mut from = 0;
            for (kind, within) in WITHIN.into_iter().enumerate() {
                // Contacts across chunks are listed twice.
                let share = if within { 1.0 } else { 0.5 };
                for slot in from..lists.ends[kind] {
                    for lane in 0..8 {
                        let one = lists.grain(lists.slots[slot].one[lane]) as usize;
                        let other = lists.grain(lists.slots[slot].other[lane]) as usize;
                        let (Some(a), Some(b)) = (self.rows.get(one), self.rows.get(other)) else {
                            continue;
                        };
                        listed += (2.0 * share) as u64;
                        let (a, b) = (a.place, b.place);
                        let d = Vec3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
                        let overlap = a[3] + b[3] - d.length();
                        if overlap > 0.0 {
                            let stretch = lists.stretch(slot, lane);
                            let s = [stretch.slide, stretch.roll].map(|v| [v.x, v.y, v.z]);
                            add(overlap, a[3].min(b[3]), share, s);
                        }
                    }
                }
                from = lists.ends[kind];
            }
            for slot in &lists.walls {
                for lane in 0..slot.used as usize {
                    let grain = lists.first as usize + usize::from(slot.grain[lane]);
                    let [x, y, z, radius] = self.rows[grain].place;
                    let p = jostle_simd::lanes::V3::new(x, y, z);
                    let wall = &self.walls[slot.wall as usize];
                    let overlap = radius - wall.shape.distance(p, slot.part[lane]).0;
                    if overlap > 0.0 {
                        let take =
                            |from: &[[f32; 8]; 3]| [from[0][lane], from[1][lane], from[2][lane]];
                        add(overlap, radius, 1.0, [take(&slot.slide), take(&slot.roll)]);
                    }
                }
            }
        }
        // Halves were counted.
        report.contacts /= 2;
        report.pairs = listed / 2;
        if report.contacts > 0 {
            report.overlap_mean = sum / report.contacts as f64;
        }
        report
    }

    /// FNV-1a over the grains in the order in which they came in: equal for equal states. Cost: O(n log n).
    pub fn state_hash(&self) -> u64 {
        let mut order: Vec<usize> = (0..self.rows.len())
            .filter(|&i| self.ids[i] != GONE)
            .collect();
        order.sort_unstable_by_key(|&i| self.ids[i]);
        let mut hash = Fnv::default();
        for i in order {
            hash.eat(&self.ids[i].to_le_bytes());
            let row = &self.rows[i];
            for x in row.place.iter().chain(&row.velocity).chain(&row.surface) {
                hash.eat(&x.to_bits().to_le_bytes());
            }
        }
        hash.value()
    }
}
