//! On which side of the surface the nodes of a grid lie.
//!
//! A winding number costs more than a distance, and most are not needed. Between two nodes whose distances add up to
//! more than the way from one to the other there is no surface, and there the winding number of a closed mesh is constant
//! and that of an open one changes little: its gradient is the field that a current along the open edges would have
//! (Biot and Savart), no longer than Σ L / (4π d²) over edges of length L at distance d. So a number computed at one node
//! decides its neighbours until what may have changed could make up what it is off one half.

use glam::DVec3;

use crate::mesh_distance::{MeshDistance, OpenEdge, WINDING_ERROR};

/// What is known of the winding number at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// About so much.
    pub(super) winding: f32,
    /// Off by no more than this.
    pub(super) doubt: f32,
}

impl Side {
    /// Not looked at yet.
    pub(super) const UNKNOWN: Self = Self {
        winding: f32::NAN,
        doubt: f32::INFINITY,
    };

    /// The error of a number that was computed.
    const COMPUTED: f32 = WINDING_ERROR as f32;

    /// Outside of the box of the mesh, which counts as outside whatever the winding number.
    pub(super) fn beyond(mesh: &MeshDistance) -> Self {
        Self {
            winding: 0.0,
            // An open mesh may have any number there.
            doubt: if mesh.is_closed() {
                Self::COMPUTED
            } else {
                f32::INFINITY
            },
        }
    }

    pub(super) fn is_known(self) -> bool {
        !self.winding.is_nan()
    }

    pub(super) fn is_inside(self) -> bool {
        self.winding >= 0.5
    }
}

/// Nodes of a box of a grid.
pub(super) struct Nodes<'a> {
    /// How many along each axis.
    pub(super) size: [usize; 3],
    /// From one to the next along y and z, in `distances`.
    pub(super) strides: [usize; 3],
    /// From one to the next, m.
    pub(super) step: f64,
    /// To the mesh, m.
    pub(super) distances: &'a [f32],
}

impl Nodes<'_> {
    /// Makes the sides of all nodes known, starting from those that are; returns how many numbers were computed.
    pub(super) fn flood(
        &self,
        sides: &mut [Side],
        drift: impl Fn([usize; 3]) -> f32,
        winding: impl Fn([usize; 3]) -> f64,
    ) -> u64 {
        let mut computed = 0;
        let mut queue = std::collections::VecDeque::new();
        let each = || {
            let [nx, ny, nz] = self.size;
            (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])))
        };
        queue.extend(each().filter(|&at| sides[self.index(at)].doubt.is_finite()));
        self.spread(sides, &mut queue, &drift);
        for at in each() {
            let index = self.index(at);
            if !sides[index].is_known() {
                sides[index] = Side {
                    winding: winding(at) as f32,
                    doubt: Side::COMPUTED,
                };
                computed += 1;
                queue.push_back(at);
                self.spread(sides, &mut queue, &drift);
            }
        }
        computed
    }

    fn spread(
        &self,
        sides: &mut [Side],
        queue: &mut std::collections::VecDeque<[usize; 3]>,
        drift: &impl Fn([usize; 3]) -> f32,
    ) {
        // Distances are rounded.
        let way = (self.step * (1.0 + 1e-5)) as f32;
        while let Some(at) = queue.pop_front() {
            let index = self.index(at);
            let side = sides[index];
            let doubt = side.doubt + drift(at);
            let certain = (side.winding - 0.5).abs() > doubt;
            if !certain {
                continue;
            }
            for axis in 0..3 {
                for forward in [false, true] {
                    let mut next = at;
                    if forward {
                        next[axis] += 1;
                    } else if at[axis] > 0 {
                        next[axis] -= 1;
                    } else {
                        continue;
                    }
                    if next[axis] == self.size[axis] {
                        continue;
                    }
                    let other = self.index(next);
                    let free = self.distances[index] + self.distances[other] > way;
                    if free && !sides[other].is_known() {
                        sides[other] = Side {
                            winding: side.winding,
                            doubt,
                        };
                        queue.push_back(next);
                    }
                }
            }
        }
    }

    fn index(&self, at: [usize; 3]) -> usize {
        at[0] * self.strides[0] + at[1] * self.strides[1] + at[2] * self.strides[2]
    }
}

/// How much the winding number can change near some place, at most, by metre of way.
#[derive(Clone, Debug, Default)]
pub(super) struct Drift {
    /// Due to edges that are far.
    far: f64,
    near: Vec<OpenEdge>,
}

impl Drift {
    /// More edges are not gone through for every node.
    const MOST: usize = 4096;

    /// In a box about `centre` with half the sides `half`, all relative to the shift of the mesh.
    pub(super) fn in_box(open: &[OpenEdge], centre: DVec3, half: DVec3) -> Self {
        let mut drift = Self::default();
        let near = 2.0 * half.max_element();
        for edge in open {
            let out = ((edge.middle - centre).abs() - half).max(DVec3::ZERO);
            let distance = out.length() - edge.radius;
            if distance > near {
                drift.far += slope(edge, distance);
            } else {
                drift.near.push(*edge);
            }
        }
        if drift.near.len() > Self::MOST {
            drift.near.clear();
            drift.far = f64::INFINITY;
        }
        drift
    }

    /// On a way of length `step` from a point of that box.
    pub(super) fn over(&self, p: DVec3, step: f64) -> f32 {
        let mut sum = self.far;
        for edge in &self.near {
            sum += slope(edge, edge.middle.distance(p) - edge.radius - step);
        }
        (sum * step) as f32
    }
}

/// The bound due to an edge no nearer than a distance.
fn slope(edge: &OpenEdge, distance: f64) -> f64 {
    if distance > 0.0 {
        edge.length / (4.0 * core::f64::consts::PI * distance * distance)
    } else {
        f64::INFINITY
    }
}
