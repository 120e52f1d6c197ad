//! The pairs of features two primitives can touch with, as polynomials in time.

use dashu::integer::IBig;
use jostle_geom::PairKind;

use super::number::sign;
use super::poly::{Poly, Vec3, cross, dot, sub3};
use super::roots::Root;

/// The four points of a query, each coordinate a polynomial in time (of degree 1, or 0 when the
/// time is fixed), and the minimum separation in the same unit of length.
pub(super) struct Points {
    pub(super) kind: PairKind,
    pub(super) at: [Vec3; 4],
    pub(super) min_separation: IBig,
}

/// A feature of one primitive against a feature of the other.
///
/// The differences of their points form the affine set `w + u e + v g`; with a point or a line,
/// `u` and `v` or `v` are missing. All three are polynomials in time. The set is *regular* at a
/// time when the `den`ominator is positive there: then the point of the set closest to the origin
/// is unique and has the weights `inside / den`, which are all ≥ 0 exactly when it belongs to the
/// features themselves.
pub(super) enum Feature {
    /// Vertex and vertex.
    Point { w: Vec3 },
    /// Vertex and edge.
    Line { w: Vec3, e: Vec3 },
    /// Vertex and face (`triangle`), or edge and edge. `n = e × g`.
    Plane {
        w: Vec3,
        e: Vec3,
        g: Vec3,
        n: Vec3,
        triangle: bool,
    },
}

impl Feature {
    /// All of them; the one of highest dimension first.
    pub(super) fn all(points: &Points) -> impl Iterator<Item = Self> + '_ {
        let (corners, edges): (&[[usize; 2]], &[[usize; 3]]) = match points.kind {
            PairKind::VertexFace => (
                &[[0, 1], [0, 2], [0, 3]],
                &[[0, 1, 2], [0, 2, 3], [0, 3, 1]],
            ),
            PairKind::EdgeEdge => (
                &[[0, 2], [0, 3], [1, 2], [1, 3]],
                &[[0, 2, 3], [1, 2, 3], [2, 0, 1], [3, 0, 1]],
            ),
        };
        let p = &points.at;
        let plane = core::iter::once_with(|| Self::plane(points));
        let lines = edges.iter().map(|&[vertex, from, to]| Self::Line {
            w: sub3(&p[vertex], &p[from]),
            e: sub3(&p[from], &p[to]),
        });
        let corners = corners.iter().map(|&[a, b]| Self::Point {
            w: sub3(&p[a], &p[b]),
        });
        plane.chain(lines).chain(corners)
    }

    fn plane(points: &Points) -> Self {
        let [p0, p1, p2, p3] = &points.at;
        let (w, e, g, triangle) = match points.kind {
            PairKind::VertexFace => (sub3(p0, p1), sub3(p1, p2), sub3(p1, p3), true),
            PairKind::EdgeEdge => (sub3(p0, p2), sub3(p1, p0), sub3(p2, p3), false),
        };
        let n = cross(&e, &g);
        Self::Plane {
            w,
            e,
            g,
            n,
            triangle,
        }
    }

    /// Polynomials whose squares add up to `den` times the squared distance of the affine set from
    /// the origin.
    fn residuals(&self) -> Vec<Poly> {
        match self {
            Self::Point { w } => w.to_vec(),
            Self::Line { w, e } => cross(w, e).to_vec(),
            Self::Plane { w, n, .. } => vec![dot(w, n)],
        }
    }

    /// Not negative; zero when the set is not regular.
    pub(super) fn den(&self) -> Poly {
        match self {
            Self::Point { .. } => Poly::new(vec![IBig::ONE]),
            Self::Line { e, .. } => dot(e, e),
            Self::Plane { n, .. } => dot(n, n),
        }
    }

    /// `den` times the squared distance of the affine set from the origin.
    pub(super) fn num(&self) -> Poly {
        self.residuals()
            .iter()
            .fold(Poly::new(Vec::new()), |sum, r| sum.add(&r.mul(r)))
    }

    /// `den` times the weights of the closest point.
    fn inside(&self) -> Vec<Poly> {
        match self {
            Self::Point { .. } => Vec::new(),
            Self::Line { w, e } => {
                let u = dot(w, e).neg();
                let rest = dot(e, e).sub(&u);
                vec![u, rest]
            }
            Self::Plane {
                w,
                e,
                g,
                n,
                triangle,
            } => {
                let u = dot(&cross(w, g), n).neg();
                let v = dot(&cross(w, e), n);
                let nn = dot(n, n);
                if *triangle {
                    let rest = nn.sub(&u).sub(&v);
                    vec![u, v, rest]
                } else {
                    let (u_rest, v_rest) = (nn.sub(&u), nn.sub(&v));
                    vec![u, v, u_rest, v_rest]
                }
            }
        }
    }

    /// A polynomial that vanishes exactly when the affine set, where it is regular, has the
    /// minimum separation from the origin. `None` when it does so at all times.
    pub(super) fn contact_polynomial(&self, min_separation: &IBig) -> Option<Poly> {
        let p = if min_separation.is_zero() {
            // A sum of squares is zero where all of them are.
            let mut residuals = self.residuals().into_iter().filter(|r| !r.is_zero());
            let first = residuals.next()?;
            residuals.fold(first, |common, r| {
                if common.degree() == 0 {
                    common
                } else {
                    common.gcd(&r)
                }
            })
        } else {
            let square = min_separation * min_separation;
            self.num().sub(&self.den().scale(&square))
        };
        (!p.is_zero()).then_some(p)
    }

    /// Whether the set is regular at a root of its contact polynomial, and if so whether the
    /// closest point belongs to the features.
    pub(super) fn reached_at(&self, root: &mut Root) -> Reach {
        if root.sign_of(&self.den()) == 0 {
            Reach::Singular
        } else if self.inside().iter().all(|p| root.sign_of(p) >= 0) {
            Reach::Touches
        } else {
            Reach::Misses
        }
    }

    /// For a fixed time: the squared distance of the features, as a numerator and a denominator,
    /// when the set is regular and the closest point belongs to the features.
    pub(super) fn squared_distance(&self) -> Reached {
        let den = self.den().constant();
        if den.is_zero() {
            Reached::Singular
        } else if self.inside().iter().all(|p| sign(&p.constant()) >= 0) {
            Reached::At(self.num().constant(), den)
        } else {
            Reached::Outside
        }
    }
}

/// What a feature does at a root of its contact polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Not regular: features of lower dimension decide.
    Singular,
    /// The closest point is outside.
    Misses,
    /// The primitives are exactly the minimum separation apart, or closer.
    Touches,
}

/// What a feature says about the distance at a fixed time.
pub(super) enum Reached {
    /// Not regular: features of lower dimension decide.
    Singular,
    /// The closest point is outside.
    Outside,
    /// The squared distance, as a numerator and a positive denominator.
    At(IBig, IBig),
}
