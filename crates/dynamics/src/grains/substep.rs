//! One sub-step of a chunk of grains: pushes, kick, drift.

use fearless_simd::{f32x4, f32x8, mask32x8, prelude::*};

use super::law::{Contact, Law, Stretch};
use super::lists::{CHUNK, Lists, ROWS, WITHIN};
use super::rows::{self, Row, load3, store3};
use jostle_simd::lanes::{Real, V3};

/// Below this squared distance two centres coincide and the normal is chosen by index, m².
pub(super) const COINCIDENT: f32 = 1e-30;

/// The grains of a chunk before a sub-step, then two rows for nobody, then the grains outside that they may touch.
pub(super) type Table = [Row; ROWS];

/// What is the same for all grains and contacts.
#[derive(Clone, Copy)]
pub(super) struct Globals {
    /// Coefficients of the contact law.
    pub law: Law,
    /// Acceleration, m/s².
    pub gravity: [f32; 3],
    /// The inverse mass of all grains when they are equal, 1/kg.
    pub inverse_mass: f32,
    /// The radius of all grains when they are equal, m.
    pub radius: f32,
}

/// What pushes a grain: force, N, and moment over radius, N, each with one lane that is not used.
pub(super) type PushRow = [f32; 8];

/// What pushes the grains of a chunk.
///
/// Powers of two, so that masked indices are in range.
pub(super) struct Pushes {
    /// On grains that are the first of a pair, and by walls.
    pub ones: Box<[PushRow; 2 * CHUNK]>,
    /// On grains that are the second of a pair, the force turned around.
    pub others: Box<[PushRow; 2 * CHUNK]>,
}

impl Pushes {
    /// Nothing pushes.
    pub(super) fn clear(&mut self) {
        self.ones.fill([0.0; 8]);
        self.others.fill([0.0; 8]);
    }
}

/// Which variant of the sub-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variant {
    /// Rolling is resisted.
    pub rolling: bool,
    /// All grains have the same mass and radius.
    pub equal: bool,
}

/// Slots that go through the stages together. A slot alone is one long chain of roots and quotients; stages over several let
/// a core work at all of them at once.
const TOGETHER: usize = 8;

/// A slot of which some pairs touch, between the stages.
#[derive(Clone, Copy)]
struct Met {
    slot: usize,
    normal: [[f32; 8]; 3],
    /// Overlap, 0 where the pair does not touch, m.
    overlap: [f32; 8],
    force: [[f32; 8]; 3],
    moment: [[f32; 8]; 3],
    roll: [[f32; 8]; 3],
}

impl Met {
    const NONE: Self = Self {
        slot: 0,
        normal: [[0.0; 8]; 3],
        overlap: [0.0; 8],
        force: [[0.0; 8]; 3],
        moment: [[0.0; 8]; 3],
        roll: [[0.0; 8]; 3],
    };
}

/// Adds to `pushes` what the grains push each other.
#[inline(always)]
pub(super) fn push_pairs<S: Simd, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    globals: &Globals,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
) {
    let mut met = [Met::NONE; TOGETHER];
    let mut from = 0;
    for (kind, within) in WITHIN.into_iter().enumerate() {
        let end = lists.ends[kind];
        while from < end {
            let to = end.min(from + TOGETHER);
            let mut count = 0;
            for slot in from..to {
                if meet::<S, ROLL, EQUAL>(simd, globals, table, lists, slot, &mut met[count]) {
                    count += 1;
                }
            }
            for met in &mut met[..count] {
                answer::<S, ROLL, EQUAL>(simd, globals, table, lists, met);
            }
            for met in &met[..count] {
                scatter::<S, ROLL, EQUAL>(simd, table, lists, met, within, pushes);
            }
            from = to;
        }
    }
}

/// Where the pairs of a slot touch; tells whether any does. Springs of slots without contacts are let go.
#[inline(always)]
fn meet<S: Simd, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    globals: &Globals,
    table: &Table,
    lists: &mut Lists,
    slot: usize,
    met: &mut Met,
) -> bool {
    let (ones, others) = (lists.slots[slot].one, lists.slots[slot].other);
    let (ours, theirs) = (pick(table, ones), pick(table, others));
    let d = rows::differences(simd, places(theirs), places(ours));
    let d = V3::new(d[0], d[1], d[2]);
    let square = d.dot(d);
    let reach = if EQUAL {
        f32x8::splat(simd, globals.radius) + f32x8::splat(simd, globals.radius)
    } else {
        radii(simd, ours) + radii(simd, theirs)
    };
    let touching = square.simd_lt(reach * reach);
    if !touching.any_true() {
        if lists.live[slot] {
            lists.live[slot] = false;
            lists.slide[slot] = [[0.0; 8]; 3];
            if ROLL {
                lists.roll[slot] = [[0.0; 8]; 3];
            }
        }
        return false;
    }
    let distance = square.root();
    let mut normal = d.times(f32x8::splat(simd, 1.0) / distance);
    let coincident = square.simd_lt(f32x8::splat(simd, COINCIDENT));
    if coincident.any_true() {
        normal = apart(simd, coincident, normal, lists, ones, others);
    }
    met.slot = slot;
    store3(&mut met.normal, normal);
    met.overlap = touching
        .select(reach - distance, f32x8::splat(simd, 0.0))
        .into();
    true
}

/// What the contacts of a slot answer to their overlap and motion.
#[inline(always)]
fn answer<S: Simd, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    globals: &Globals,
    table: &Table,
    lists: &mut Lists,
    met: &mut Met,
) {
    let slot = met.slot;
    let (ones, others) = (lists.slots[slot].one, lists.slots[slot].other);
    let (ours, theirs) = (pick(table, ones), pick(table, others));
    let zero = f32x8::splat(simd, 0.0);
    let normal = load3(simd, &met.normal);
    let overlap = f32x8::load_array_ref(simd, &met.overlap);
    let velocity = rows::differences(simd, velocities(ours), velocities(theirs));
    let surface = rows::sums(simd, surfaces(ours), surfaces(theirs));
    let equal = f32x8::splat(simd, globals.inverse_mass);
    let roll = if !ROLL {
        normal
    } else if EQUAL {
        let roll = rows::differences(simd, surfaces(ours), surfaces(theirs));
        V3::new(roll[0], roll[1], roll[2]).times(f32x8::splat(simd, 0.5))
    } else {
        // Where sizes differ the levers do, and rolling needs both motions apart.
        let [own, its] = levers(simd, ours, theirs);
        let mine = rows::columns(simd, surfaces(ours));
        let other = rows::columns(simd, surfaces(theirs));
        V3::new(mine[0], mine[1], mine[2]).times(own)
            - V3::new(other[0], other[1], other[2]).times(its)
    };
    let contact = Contact {
        touching: zero.simd_lt(overlap),
        normal,
        overlap,
        inverse_mass: if EQUAL { equal + equal } else { surface[3] },
        velocity: V3::new(velocity[0], velocity[1], velocity[2]),
        surface: V3::new(surface[0], surface[1], surface[2]),
        roll,
    };
    let stretch = Stretch {
        slide: load3(simd, &lists.slide[slot]),
        roll: if ROLL {
            load3(simd, &lists.roll[slot])
        } else {
            normal
        },
    };
    let (push, stretch) = globals.law.push::<_, ROLL>(&contact, stretch);
    store3(&mut lists.slide[slot], stretch.slide);
    store3(&mut met.force, push.force);
    store3(&mut met.moment, push.moment);
    if ROLL {
        store3(&mut lists.roll[slot], stretch.roll);
        store3(&mut met.roll, push.roll);
    }
    lists.live[slot] = true;
}

/// The reduced radius as a share of the first and of the second radius.
#[inline(always)]
fn levers<S: Simd>(simd: S, ours: [&Row; 8], theirs: [&Row; 8]) -> [f32x8<S>; 2] {
    let (a, b) = (radii(simd, ours), radii(simd, theirs));
    [b / (a + b), a / (a + b)]
}

/// Adds what the contacts of a slot push to the grains of the chunk.
#[inline(always)]
fn scatter<S: Simd, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    table: &Table,
    lists: &Lists,
    met: &Met,
    within: bool,
    pushes: &mut Pushes,
) {
    let (ones, others) = (lists.slots[met.slot].one, lists.slots[met.slot].other);
    let (zero, half) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 0.5));
    let (first, second) = (&mut *pushes.ones, &mut *pushes.others);
    let force = load3(simd, &met.force);
    let force = [force.x, force.y, force.z, zero];
    let moment = load3(simd, &met.moment);
    let roll = load3(simd, &met.roll);
    let [own, its] = if ROLL && !EQUAL {
        levers(simd, pick(table, ones), pick(table, others))
    } else {
        [half, half]
    };
    let mine = if ROLL {
        moment + roll.times(own)
    } else {
        moment
    };
    let rows = rows::long_rows(force, [mine.x, mine.y, mine.z, zero]);
    for lane in 0..8 {
        let to = &mut first[usize::from(ones[lane]) % (2 * CHUNK)];
        *to = (f32x8::load_array_ref(simd, to) + rows[lane]).into();
    }
    if !within {
        return;
    }
    let rows = if ROLL {
        let moment = moment - roll.times(its);
        rows::long_rows(force, [moment.x, moment.y, moment.z, zero])
    } else {
        rows
    };
    for lane in 0..8 {
        let to = &mut second[usize::from(others[lane]) % (2 * CHUNK)];
        *to = (f32x8::load_array_ref(simd, to) + rows[lane]).into();
    }
}

/// Kicks and drifts the grains at the start of the table, as many as `after` holds, and tells whether one of them left
/// its tether.
///
/// A row at a time: lanes that are not velocities are zero and stay so, and what they are added to stays as it is.
///
/// The moment of inertia of a solid sphere is ⅖ m r², so that ω r changes by 5/2 of the moment over the radius
/// and the mass.
#[inline(always)]
pub(super) fn advance<S: Simd>(
    simd: S,
    globals: &Globals,
    table: &Table,
    pushes: &Pushes,
    after: &mut [Row],
) -> bool {
    let step = f32x4::splat(simd, globals.law.dt);
    let turn = f32x4::splat(simd, 2.5 * globals.law.dt);
    let [gx, gy, gz] = globals.gravity;
    let gravity = f32x4::load_array(simd, [gx, gy, gz, 0.0]);
    let mut stale = false;
    for (((row, ones), others), after) in table
        .iter()
        .zip(&*pushes.ones)
        .zip(&*pushes.others)
        .zip(after)
    {
        let (push, pull) = (
            f32x8::load_array_ref(simd, ones).split(),
            f32x8::load_array_ref(simd, others).split(),
        );
        let (force, moment) = (push.0 - pull.0, push.1 + pull.1);
        let inverse_mass = f32x4::splat(simd, row.surface[3]);
        let place = f32x4::load_array_ref(simd, &row.place);
        let velocity = f32x4::load_array_ref(simd, &row.velocity);
        let surface = f32x4::load_array_ref(simd, &row.surface);
        let velocity = velocity + (force * inverse_mass + gravity) * step;
        let surface = surface + moment * (inverse_mass * turn);
        let place = place + velocity * step;
        let off = place - f32x4::load_array_ref(simd, &row.tether);
        let square: [f32; 4] = (off * off).into();
        let slack = row.tether[3];
        stale |= slack * slack < square[0] + square[1] + square[2];
        after.place = place.into();
        after.velocity = velocity.into();
        after.surface = surface.into();
        after.tether = row.tether;
    }
    stale
}

/// Normals of grains whose centres coincide: along x, from the smaller index to the larger.
#[inline(never)]
fn apart<S: Simd>(
    simd: S,
    coincident: mask32x8<S>,
    normal: V3<f32x8<S>>,
    lists: &Lists,
    ones: [u16; 8],
    others: [u16; 8],
) -> V3<f32x8<S>> {
    let mut x = [0.0; 8];
    for lane in 0..8 {
        x[lane] = order(lists, ones[lane], others[lane]);
    }
    let zero = f32x8::splat(simd, 0.0);
    V3::new(
        coincident.select(f32x8::load_array(simd, x), normal.x),
        coincident.select(zero, normal.y),
        coincident.select(zero, normal.z),
    )
}

/// 1 when the first grain has the smaller index, else −1.
pub(super) fn order(lists: &Lists, one: u16, other: u16) -> f32 {
    if lists.grain(one) < lists.grain(other) {
        1.0
    } else {
        -1.0
    }
}

/// Adds a force and a moment to what pushes a grain.
#[inline(always)]
pub(super) fn add(push: &mut PushRow, force: V3<f32>, moment: V3<f32>) {
    push[0] += force.x;
    push[1] += force.y;
    push[2] += force.z;
    push[4] += moment.x;
    push[5] += moment.y;
    push[6] += moment.z;
}

/// Velocity, inverse mass and surface velocity of a row.
#[inline(always)]
pub(super) fn motion_of(row: &Row) -> (V3<f32>, f32, V3<f32>) {
    let ([vx, vy, vz, _], [ux, uy, uz, inverse_mass]) = (row.velocity, row.surface);
    (V3::new(vx, vy, vz), inverse_mass, V3::new(ux, uy, uz))
}

/// Eight rows of the table.
#[inline(always)]
pub(super) fn pick(table: &Table, [a, b, c, d, e, f, g, h]: [u16; 8]) -> [&Row; 8] {
    [
        &table[usize::from(a)],
        &table[usize::from(b)],
        &table[usize::from(c)],
        &table[usize::from(d)],
        &table[usize::from(e)],
        &table[usize::from(f)],
        &table[usize::from(g)],
        &table[usize::from(h)],
    ]
}

/// Centres and radii of eight rows.
#[inline(always)]
pub(super) fn places([a, b, c, d, e, f, g, h]: [&Row; 8]) -> [&[f32; 4]; 8] {
    [
        &a.place, &b.place, &c.place, &d.place, &e.place, &f.place, &g.place, &h.place,
    ]
}

/// Velocities of eight rows.
#[inline(always)]
pub(super) fn velocities([a, b, c, d, e, f, g, h]: [&Row; 8]) -> [&[f32; 4]; 8] {
    [
        &a.velocity,
        &b.velocity,
        &c.velocity,
        &d.velocity,
        &e.velocity,
        &f.velocity,
        &g.velocity,
        &h.velocity,
    ]
}

/// Surface velocities and inverse masses of eight rows.
#[inline(always)]
pub(super) fn surfaces([a, b, c, d, e, f, g, h]: [&Row; 8]) -> [&[f32; 4]; 8] {
    [
        &a.surface, &b.surface, &c.surface, &d.surface, &e.surface, &f.surface, &g.surface,
        &h.surface,
    ]
}

/// Radii of eight rows.
#[inline(always)]
fn radii<S: Simd>(simd: S, [a, b, c, d, e, f, g, h]: [&Row; 8]) -> f32x8<S> {
    let radii = [
        a.place[3], b.place[3], c.place[3], d.place[3], e.place[3], f.place[3], g.place[3],
        h.place[3],
    ];
    f32x8::load_array(simd, radii)
}
