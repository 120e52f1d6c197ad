//! Winding numbers by a tree: what is far counts as a dipole and its first correction.
//!
//! G. Barill, N. G. Dickson, R. Schmidt, D. I. W. Levin and A. Jacobson, "Fast winding numbers for soups and clouds",
//! ACM Transactions on Graphics 37(4), 2018.

use glam::DVec3;
use jostle_broad::bvh::{Bvh, Node};

use super::triangle;

/// The triangles below a node, seen from afar.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    /// The mean of the centres, weighted by area.
    centre: DVec3,
    /// All is within.
    radius: f64,
    /// The sum of the area vectors A.
    area: DVec3,
    /// The sum of δ ⊗ A, with δ from the centre to that of the triangle, made symmetric: xx, yy, zz.
    square: DVec3,
    /// Its xy, yz and zx.
    mixed: DVec3,
    /// The sum of the absolute areas.
    weight: f64,
}

/// The moments of every node of a tree.
#[derive(Clone, Debug, Default)]
pub(super) struct WindingTree {
    moments: Vec<Moments>,
}

impl WindingTree {
    /// For a tree whose leaves are the triangles. Cost: O(n).
    pub(super) fn new(tree: &Bvh, triangles: &[[DVec3; 3]]) -> Self {
        let nodes = tree.nodes();
        let mut moments = vec![Moments::default(); nodes.len()];
        // Children come after their parents.
        for (at, node) in nodes.iter().enumerate().rev() {
            moments[at] = if node.is_leaf() {
                leaf(&triangles[node.id() as usize])
            } else {
                let first = node.first_child() as usize;
                join(&moments[first], &moments[first + 1], node)
            };
        }
        Self { moments }
    }

    /// The winding number at a point. A node counts as far when its centre is further than its radius, times `far`: its
    /// error is of the order of the inverse cube of that.
    pub(super) fn at(&self, p: DVec3, tree: &Bvh, triangles: &[[DVec3; 3]], far: f64) -> f64 {
        let nodes = tree.nodes();
        let mut stack = [0_u32; Bvh::MAX_DEPTH + 2];
        let mut height = usize::from(!nodes.is_empty());
        let mut sum = 0.0;
        let mut seen = 0.0;
        let limit = far * far;
        while height > 0 {
            height -= 1;
            let at = stack[height] as usize;
            let moments = &self.moments[at];
            let r = moments.centre - p;
            let squared = r.length_squared();
            if squared > moments.radius * moments.radius * limit {
                seen += moments.seen(r, squared);
            } else if nodes[at].is_leaf() {
                sum += triangle::winding(p, &triangles[nodes[at].id() as usize]);
            } else {
                let first = nodes[at].first_child();
                stack[height] = first + 1;
                stack[height + 1] = first;
                height += 2;
            }
        }
        sum + seen * (0.25 * core::f64::consts::FRAC_1_PI)
    }
}

impl Moments {
    /// The solid angle seen from −r: the dipole, and its change with the place of each triangle.
    fn seen(&self, r: DVec3, squared: f64) -> f64 {
        let inverse = 1.0 / squared;
        let cube = inverse / squared.sqrt();
        let trace = self.square.element_sum();
        let along = (r * r).dot(self.square)
            + 2.0
                * (r.x * r.y * self.mixed.x + r.y * r.z * self.mixed.y + r.z * r.x * self.mixed.z);
        cube * (self.area.dot(r) + trace - 3.0 * inverse * along)
    }

    /// Adds those of a child, whose centre is off by `offset`.
    fn add(&mut self, child: &Self) {
        let d = child.centre - self.centre;
        let a = child.area;
        self.area += a;
        self.square += child.square + d * a;
        let swapped = DVec3::new(
            d.x * a.y + d.y * a.x,
            d.y * a.z + d.z * a.y,
            d.z * a.x + d.x * a.z,
        );
        self.mixed += child.mixed + 0.5 * swapped;
    }
}

fn leaf(&[a, b, c]: &[DVec3; 3]) -> Moments {
    let centre = (a + b + c) / 3.0;
    let area = 0.5 * (b - a).cross(c - a);
    let radius = [a, b, c].map(|v| v.distance_squared(centre));
    Moments {
        centre,
        radius: radius[0].max(radius[1]).max(radius[2]).sqrt(),
        area,
        weight: area.length(),
        ..Moments::default()
    }
}

fn join(a: &Moments, b: &Moments, node: &Node) -> Moments {
    let bounds = node.bounds();
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let weight = a.weight + b.weight;
    let centre = if weight > 0.0 {
        (a.centre * a.weight + b.centre * b.weight) / weight
    } else {
        0.5 * (min + max)
    };
    // The furthest corner of the box, or the further one of the two balls.
    let corner = (max - centre).max(centre - min).length();
    let ball = |m: &Moments| m.centre.distance(centre) + m.radius;
    let mut moments = Moments {
        centre,
        radius: corner.min(ball(a).max(ball(b))),
        weight,
        ..Moments::default()
    };
    moments.add(a);
    moments.add(b);
    moments
}
