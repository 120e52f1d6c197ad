//! Pairs and single queries.

use core::ops::ControlFlow;

use glam::Vec3;
use jostle_geom::Aabb;

use super::DynamicTree;
use crate::bvh::{Bvh, Counters, Node};

/// Which pairs are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PairQuery {
    /// Pairs of boxes that are at most this far apart on every axis are reported too, metres. At
    /// least 0; with NaN, as with 0.
    pub margin: f32,
    /// Only pairs in which a box moved since the frame began. Subtrees at rest are skipped whole.
    pub moved_only: bool,
}

impl PairQuery {
    /// All overlapping pairs.
    pub const ALL: Self = Self {
        margin: 0.0,
        moved_only: false,
    };

    /// Overlapping pairs in which a box moved since the frame began.
    pub const MOVED: Self = Self {
        margin: 0.0,
        moved_only: true,
    };

    /// The same with pairs up to `margin` metres apart.
    pub fn within(self, margin: f32) -> Self {
        Self { margin, ..self }
    }
}

/// A tree as the walks see it.
trait Side {
    fn nodes(&self) -> &[Node];
    /// Whether anything at or below a node moved.
    fn moved(&self, node: &Node) -> bool;
    /// The box that decides at a leaf.
    fn tight(&self, leaf: &Node) -> Aabb;
}

impl Side for DynamicTree {
    #[inline(always)]
    fn nodes(&self) -> &[Node] {
        self.nodes()
    }

    #[inline(always)]
    fn moved(&self, node: &Node) -> bool {
        self.moved(node) == self.frame
    }

    #[inline(always)]
    fn tight(&self, leaf: &Node) -> Aabb {
        self.tight[leaf.id() as usize]
    }
}

impl Side for Bvh {
    #[inline(always)]
    fn nodes(&self) -> &[Node] {
        self.nodes()
    }

    #[inline(always)]
    fn moved(&self, _: &Node) -> bool {
        false
    }

    #[inline(always)]
    fn tight(&self, leaf: &Node) -> Aabb {
        leaf.bounds()
    }
}

/// Whether boxes are at most `margin` apart on every axis; without `MARGIN`, whether they overlap.
///
/// Rounding a difference keeps it on its side of the margin. A difference of equal infinities is
/// NaN and counts as none.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "which axis separates two boxes cannot be foreseen: no branches"
)]
#[inline(always)]
fn near<const MARGIN: bool>(a: &Aabb, b: &Aabb, margin: f32) -> bool {
    if MARGIN {
        let apart = |low: f32, high: f32| low - high > margin;
        !(apart(a.min.x, b.max.x)
            | apart(b.min.x, a.max.x)
            | apart(a.min.y, b.max.y)
            | apart(b.min.y, a.max.y)
            | apart(a.min.z, b.max.z)
            | apart(b.min.z, a.max.z))
    } else {
        (a.min.x <= b.max.x)
            & (b.min.x <= a.max.x)
            & (a.min.y <= b.max.y)
            & (b.min.y <= a.max.y)
            & (a.min.z <= b.max.z)
            & (b.min.z <= a.max.z)
    }
}

/// A simultaneous walk down two trees, or down one with itself.
struct Walk<'a, A, B, F> {
    a: &'a A,
    b: &'a B,
    query: PairQuery,
    counters: Counters,
    /// Pairs of nodes whose boxes are near, not both of them leaves.
    stack: Vec<(u32, u32)>,
    visit: F,
}

impl<A: Side, B: Side, F: FnMut(u32, u32) -> ControlFlow<()>> Walk<'_, A, B, F> {
    /// Looks at two nodes and reports them or puts them on the stack.
    #[inline(always)]
    fn meet<const MARGIN: bool>(&mut self, at_a: u32, at_b: u32) -> ControlFlow<()> {
        let (a, b) = (
            &self.a.nodes()[at_a as usize],
            &self.b.nodes()[at_b as usize],
        );
        self.counters.nodes += 1;
        self.counters.tests += 1;
        let margin = self.query.margin;
        if !near::<MARGIN>(&a.bounds(), &b.bounds(), margin) {
            return ControlFlow::Continue(());
        }
        if self.query.moved_only && !self.a.moved(a) && !self.b.moved(b) {
            return ControlFlow::Continue(());
        }
        if a.is_leaf() && b.is_leaf() {
            if near::<MARGIN>(&self.a.tight(a), &self.b.tight(b), margin) {
                return (self.visit)(a.id(), b.id());
            }
        } else {
            self.stack.push((at_a, at_b));
        }
        ControlFlow::Continue(())
    }

    /// Goes on until the stack is empty.
    fn run<const MARGIN: bool>(&mut self) -> ControlFlow<()> {
        while let Some((at_a, at_b)) = self.stack.pop() {
            let a = &self.a.nodes()[at_a as usize];
            let b = &self.b.nodes()[at_b as usize];
            match (a.is_leaf(), b.is_leaf()) {
                (false, false) => {
                    let (a, b) = (a.first_child(), b.first_child());
                    self.meet::<MARGIN>(a, b)?;
                    self.meet::<MARGIN>(a, b + 1)?;
                    self.meet::<MARGIN>(a + 1, b)?;
                    self.meet::<MARGIN>(a + 1, b + 1)?;
                }
                (false, true) => {
                    let a = a.first_child();
                    self.meet::<MARGIN>(a, at_b)?;
                    self.meet::<MARGIN>(a + 1, at_b)?;
                }
                (true, _) => {
                    let b = b.first_child();
                    self.meet::<MARGIN>(at_a, b)?;
                    self.meet::<MARGIN>(at_a, b + 1)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn between<const MARGIN: bool>(&mut self) -> ControlFlow<()> {
        if self.a.nodes().is_empty() || self.b.nodes().is_empty() {
            return ControlFlow::Continue(());
        }
        self.meet::<MARGIN>(0, 0)?;
        self.run::<MARGIN>()
    }

    /// The tree `a` with itself; `b` must be the same.
    fn within<const MARGIN: bool>(&mut self) -> ControlFlow<()> {
        let Some(root) = self.a.nodes().first() else {
            return ControlFlow::Continue(());
        };
        let mut families = Vec::new();
        if !root.is_leaf() {
            families.push(0);
        }
        while let Some(at) = families.pop() {
            let node = &self.a.nodes()[at as usize];
            self.counters.nodes += 1;
            if self.query.moved_only && !self.a.moved(node) {
                continue;
            }
            let child = node.first_child();
            for at in [child + 1, child] {
                if !self.a.nodes()[at as usize].is_leaf() {
                    families.push(at);
                }
            }
            self.meet::<MARGIN>(child, child + 1)?;
            self.run::<MARGIN>()?;
        }
        ControlFlow::Continue(())
    }
}

impl DynamicTree {
    /// Calls `visit(a, b)` for every pair of boxes of this tree, `a < b`, each once, until `visit`
    /// breaks. The order depends on the history of the tree alone.
    pub fn self_pairs(
        &self,
        query: PairQuery,
        mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut walk = Walk {
            a: self,
            b: self,
            query,
            counters: Counters::default(),
            stack: Vec::new(),
            visit: |a: u32, b: u32| visit(a.min(b), a.max(b)),
        };
        // Whether the visitor stopped is the visitor's to know.
        let _ = if query.margin > 0.0 {
            walk.within::<true>()
        } else {
            walk.within::<false>()
        };
        walk.counters
    }

    /// Calls `visit(a, b)` for every pair of a box `a` of this tree and a box `b` of a fixed tree,
    /// each once, until `visit` breaks. Boxes of the fixed tree do not move.
    pub fn pairs_with(
        &self,
        fixed: &Bvh,
        query: PairQuery,
        visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        self.between(fixed, query, visit)
    }

    /// As [`pairs_with`](Self::pairs_with) for another tree whose boxes move.
    pub fn pairs_with_dynamic(
        &self,
        other: &Self,
        query: PairQuery,
        visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        self.between(other, query, visit)
    }

    fn between<B: Side>(
        &self,
        other: &B,
        query: PairQuery,
        visit: impl FnMut(u32, u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut walk = Walk {
            a: self,
            b: other,
            query,
            counters: Counters::default(),
            stack: Vec::new(),
            visit,
        };
        // As above.
        let _ = if query.margin > 0.0 {
            walk.between::<true>()
        } else {
            walk.between::<false>()
        };
        walk.counters
    }

    /// Calls `visit(index)` for every box that overlaps `aabb`, until `visit` breaks. A box that is
    /// inverted or has a NaN bound overlaps nothing.
    pub fn query_aabb(&self, aabb: &Aabb, visit: impl FnMut(u32) -> ControlFlow<()>) -> Counters {
        if !aabb.min.cmple(aabb.max).all() {
            return Counters::default();
        }
        self.query(|b| near::<false>(b, aabb, 0.0), visit)
    }

    /// Calls `visit(index)` for every box that has a point at most `radius` metres from `centre`,
    /// until `visit` breaks. Nothing for a negative radius or one that is NaN. Computed in double
    /// precision and rounded so that no box is missed: one that is apart by 10⁻¹⁵ of the radius may
    /// be reported.
    pub fn query_sphere(
        &self,
        centre: Vec3,
        radius: f32,
        visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Counters {
        if !(radius >= 0.0 && centre.is_finite()) {
            return Counters::default();
        }
        let reach = f64::from(radius) * f64::from(radius) * (1.0 + 4.0 * f64::EPSILON);
        self.query(|b| distance_squared(b, centre) <= reach, visit)
    }

    /// Calls `visit(index)` for every box for which `test` is true, until `visit` breaks. Only
    /// subtrees whose bounds pass `test` are looked at, so it must be true for every box that
    /// contains one for which it is true.
    pub fn query(
        &self,
        test: impl Fn(&Aabb) -> bool,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> Counters {
        let mut counters = Counters::default();
        let nodes = self.nodes();
        let mut waiting = Vec::new();
        if !nodes.is_empty() {
            waiting.push(0);
        }
        while let Some(at) = waiting.pop() {
            let node = &nodes[at as usize];
            counters.nodes += 1;
            counters.tests += 1;
            if !test(&node.bounds()) {
                continue;
            }
            if !node.is_leaf() {
                waiting.extend([node.first_child() + 1, node.first_child()]);
            } else if test(&self.tight[node.id() as usize]) && visit(node.id()).is_break() {
                break;
            }
        }
        counters
    }
}

/// Squared distance from a point to a box, 0 inside.
fn distance_squared(b: &Aabb, p: Vec3) -> f64 {
    let mut sum = 0.0;
    for axis in 0..3 {
        let below = f64::from(b.min[axis]) - f64::from(p[axis]);
        let above = f64::from(p[axis]) - f64::from(b.max[axis]);
        let outside = below.max(above).max(0.0);
        sum += outside * outside;
    }
    sum
}
