//! Manifolds in blocks of eight that share no body that can move.

use jostle_geom::{Impulse, Manifold};

use super::super::bodies::Body;
use super::super::tolerances::COLOURS;
use super::{Solved, usable};

/// A number in each of eight lanes, or eight numbers of one body.
pub(super) type Row = [f32; 8];

/// Eight manifolds of one colour. Lanes without a manifold read the body that rests and write where nobody reads; so
/// do bodies that contacts do not move, whose rows more than one lane of a block may have.
#[derive(Clone, Debug)]
pub(super) struct Head {
    /// Which rows the bodies are read from.
    pub from: [[u32; 8]; 2],
    /// Which rows they are written to.
    pub to: [[u32; 8]; 2],
    /// The manifolds.
    manifolds: [u32; 8],
    /// How many lanes have one.
    lanes: u32,
    /// The first of its points.
    first: u32,
    /// How many points the fullest of its manifolds has.
    count: u32,
}

impl Head {
    /// Its points.
    #[inline(always)]
    pub(super) fn range(&self) -> core::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// What a block knows of its bodies: inverse inertia and mass of both, friction and restitution.
#[derive(Clone, Debug)]
pub(super) struct Inertias {
    pub bodies: [[Row; 7]; 2],
    pub friction: Row,
    pub restitution: Row,
    /// The skins that keep the bodies apart, m.
    pub margin: Row,
}

/// A point of each manifold of a block.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// From A to B; zero in empty lanes, which makes all their masses and impulses zero.
    pub normal: [Row; 3],
    /// Across the normal; the second tangent is normal × tangent.
    pub tangent: [Row; 3],
    /// From the centres of mass to the contact, m.
    pub arms: [[Row; 3]; 2],
    /// Effective masses along normal and tangents, kg.
    pub masses: [Row; 3],
    /// How fast an impulse of 1 N s along the normal makes the contact slide along the tangents, 1/kg.
    pub coupling: [Row; 2],
    /// The speed along the normal to be reached, m/s.
    pub target: Row,
}

const EMPTY: Point = Point {
    normal: [[0.0; 8]; 3],
    tangent: [[0.0; 8]; 3],
    arms: [[[0.0; 8]; 3]; 2],
    masses: [[0.0; 8]; 3],
    coupling: [[0.0; 8]; 2],
    target: [0.0; 8],
};

/// The manifolds of a sub-step in blocks.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    pub heads: Vec<Head>,
    pub inertias: Vec<Inertias>,
    pub points: Vec<Point>,
    /// Along normal and tangents.
    pub impulses: Vec<[Row; 3]>,
    /// How far a point is within the margin, m, and then the speed at which it should be pushed apart, m/s.
    pub biases: Vec<Row>,
    /// Pseudo-impulses along the normals.
    pub pushes: Vec<Row>,
    /// The colours that the manifolds of a body have: 0 for bodies without.
    pub used: Vec<u64>,
    /// Colour and number of points of each manifold that has any, and its index.
    keys: Vec<(u16, u32)>,
    order: Vec<(u16, u32)>,
    starts: Vec<u32>,
    /// Which point of its manifold each lane has.
    sources: Vec<[u32; 8]>,
}

/// Manifolds with at least so many points are not told apart by their number.
const MANY: usize = 15;

impl Blocks {
    /// Puts the manifolds that have contacts into blocks. O(manifolds + points + bodies).
    pub(super) fn lay_out(
        &mut self,
        bodies: &[Body],
        manifolds: &mut [Manifold],
        solved: &mut Solved,
    ) {
        self.used.clear();
        self.used.resize(bodies.len(), 0);
        self.keys.clear();
        self.starts.clear();
        self.starts.resize(COLOURS * (MANY + 1) + 1, 0);
        for (index, manifold) in manifolds.iter_mut().enumerate() {
            let (count, dropped) = tidy(bodies, manifold);
            solved.contacts += count as u64;
            solved.dropped += dropped;
            if count == 0 {
                continue;
            }
            let [a, b] = [manifold.a, manifold.b].map(|i| i as usize);
            let mut taken = 0;
            for body in [a, b] {
                if bodies[body].awake() {
                    taken |= self.used[body];
                }
            }
            // The last colour takes what finds no other one.
            let colour = (taken.trailing_ones() as usize).min(COLOURS - 1);
            for body in [a, b] {
                if bodies[body].awake() {
                    self.used[body] |= 1 << colour;
                }
            }
            // Full ones first, so that a block has manifolds of about as many points.
            let key = colour * (MANY + 1) + (MANY - count.min(MANY));
            self.keys.push((key as u16, index as u32));
            self.starts[key + 1] += 1;
        }
        for i in 1..self.starts.len() {
            self.starts[i] += self.starts[i - 1];
        }
        self.order.clear();
        self.order.resize(self.keys.len(), (0, 0));
        for &(key, index) in &self.keys {
            let place = &mut self.starts[key as usize];
            self.order[*place as usize] = (key, index);
            *place += 1;
        }
        self.cut(bodies, manifolds);
    }

    fn cut(&mut self, bodies: &[Body], manifolds: &[Manifold]) {
        self.heads.clear();
        self.sources.clear();
        let colour = |key: u16| usize::from(key) / (MANY + 1);
        let rest = bodies.len() as u32;
        let mut from = 0;
        while from < self.order.len() {
            let this = colour(self.order[from].0);
            let most = if this == COLOURS - 1 { 1 } else { 8 };
            let block = self.order[from..]
                .iter()
                .take(most)
                .take_while(|&&(key, _)| colour(key) == this);
            let mut head = Head {
                from: [[rest; 8]; 2],
                to: [[rest + 1; 8]; 2],
                manifolds: [0; 8],
                lanes: 0,
                first: self.sources.len() as u32,
                count: 0,
            };
            for &(_, index) in block {
                let manifold = &manifolds[index as usize];
                let lane = head.lanes as usize;
                for (side, body) in [manifold.a, manifold.b].into_iter().enumerate() {
                    head.from[side][lane] = body;
                    if bodies[body as usize].awake() {
                        head.to[side][lane] = body;
                    }
                }
                head.manifolds[lane] = index;
                head.lanes += 1;
                let mut count = 0;
                for (i, point) in manifold.points.iter().enumerate() {
                    if !(point.active && usable(point)) {
                        continue;
                    }
                    if count == head.count {
                        self.sources.push([u32::MAX; 8]);
                        head.count += 1;
                    }
                    self.sources[(head.first + count) as usize][lane] = i as u32;
                    count += 1;
                }
            }
            from += head.lanes as usize;
            self.heads.push(head);
        }
    }

    /// Fills in what is known of bodies and points.
    pub(super) fn fill(&mut self, bodies: &[Body], manifolds: &[Manifold], masses: &[Row]) {
        self.inertias.clear();
        self.points.clear();
        self.points.resize(self.sources.len(), EMPTY);
        self.biases.clear();
        self.biases.resize(self.sources.len(), [0.0; 8]);
        self.impulses.clear();
        self.impulses.resize(self.sources.len(), [[0.0; 8]; 3]);
        for head in &self.heads {
            let mut inertias = Inertias {
                bodies: [[[0.0; 8]; 7]; 2],
                friction: [0.0; 8],
                restitution: [0.0; 8],
                margin: [0.0; 8],
            };
            for lane in 0..head.lanes as usize {
                let manifold = &manifolds[head.manifolds[lane] as usize];
                let [a, b] = [manifold.a, manifold.b].map(|i| &bodies[i as usize]);
                for (side, body) in [manifold.a, manifold.b].into_iter().enumerate() {
                    for (row, value) in inertias.bodies[side].iter_mut().zip(masses[body as usize])
                    {
                        row[lane] = value;
                    }
                }
                inertias.margin[lane] = manifold.margin;
                inertias.friction[lane] = (a.friction * b.friction).sqrt() as f32;
                inertias.restitution[lane] = a.restitution.max(b.restitution) as f32;
                for i in head.range() {
                    let source = self.sources[i][lane];
                    let Some(point) = manifold.points.get(source as usize) else {
                        break;
                    };
                    let to = &mut self.points[i];
                    let arms = [a, b].map(|body| (point.position - body.pose.position).as_vec3());
                    let [arm_a, arm_b] = &mut to.arms;
                    let rows = [
                        (&mut to.normal, point.normal),
                        (arm_a, arms[0]),
                        (arm_b, arms[1]),
                        // For now along world axes.
                        (&mut to.tangent, point.impulse.friction),
                    ];
                    for (rows, v) in rows {
                        rows[0][lane] = v.x;
                        rows[1][lane] = v.y;
                        rows[2][lane] = v.z;
                    }
                    self.biases[i][lane] = manifold.margin - point.separation;
                    self.impulses[i][0][lane] = point.impulse.normal;
                }
            }
            self.inertias.push(inertias);
        }
    }

    /// Leaves the impulses in the manifolds; [`EMPTY`] lanes have none.
    pub(super) fn leave(&self, manifolds: &mut [Manifold]) {
        for head in &self.heads {
            for i in head.range() {
                let (point, impulse) = (&self.points[i], &self.impulses[i]);
                for lane in 0..head.lanes as usize {
                    let manifold = &mut manifolds[head.manifolds[lane] as usize];
                    let source = self.sources[i][lane];
                    let Some(to) = manifold.points.get_mut(source as usize) else {
                        continue;
                    };
                    let n = glam::Vec3::from(point.normal.map(|row| row[lane]));
                    let t = glam::Vec3::from(point.tangent.map(|row| row[lane]));
                    let [normal, first, second] = impulse.map(|row| row[lane]);
                    let friction = t * first + n.cross(t) * second;
                    to.impulse = if normal.is_finite() && friction.is_finite() {
                        Impulse { normal, friction }
                    } else {
                        Impulse::default()
                    };
                }
            }
        }
    }
}

/// Forgets the impulses of points that are no contacts. Returns how many are, and how many cannot be used.
fn tidy(bodies: &[Body], manifold: &mut Manifold) -> (usize, u64) {
    let [a, b] = [manifold.a, manifold.b].map(|i| bodies.get(i as usize));
    let fine = match (a, b) {
        (Some(a), Some(b)) => manifold.a != manifold.b && a.alive && b.alive,
        _ => false,
    };
    // Nothing happens between bodies that rest; what they had stays for when they wake.
    if fine && !bodies[manifold.a as usize].awake() && !bodies[manifold.b as usize].awake() {
        return (0, 0);
    }
    let (mut count, mut dropped) = (0, 0);
    for point in &mut manifold.points {
        let good = fine && usable(point);
        if point.active && good {
            count += 1;
            let Impulse { normal, friction } = point.impulse;
            if normal.is_finite() && friction.is_finite() && normal >= 0.0 {
                continue;
            }
        } else if point.active {
            dropped += 1;
        }
        point.impulse = Impulse::default();
    }
    (if fine { count } else { 0 }, dropped)
}
