//! One sub-step of a chunk of grains: pushes, kick, drift.

use fearless_simd::{f32x4, f32x8, mask32x8, prelude::*};

use super::lanes::{Real, V3};
use super::law::{Contact, Law, Push, Stretch};
use super::lists::{CHUNK, Lists, ROWS, WITHIN};
use super::rows::{self, Row, load3, store3};

/// Below this squared distance two centres coincide and the normal is chosen by index, m².
const COINCIDENT: f32 = 1e-30;

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
    /// No friction, no damping: energy is kept.
    pub elastic: bool,
    /// Rolling is resisted.
    pub rolling: bool,
    /// All grains have the same mass and radius.
    pub equal: bool,
}

/// Adds to `pushes` what the grains push each other.
#[inline(always)]
pub(super) fn push_pairs<S: Simd, const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    globals: &Globals,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
) {
    let law = &globals.law;
    let one = f32x8::splat(simd, 1.0);
    let half = f32x8::splat(simd, 0.5);
    let equal = f32x8::splat(simd, globals.inverse_mass);
    let globals_reach = f32x8::splat(simd, globals.radius) + f32x8::splat(simd, globals.radius);
    let mut from = 0;
    for (kind, within) in WITHIN.into_iter().enumerate() {
        for slot in from..lists.ends[kind] {
            let (ones, others) = (lists.slots[slot].one, lists.slots[slot].other);
            let (ours, theirs) = (pick(table, ones), pick(table, others));
            let d = rows::differences(simd, places(theirs), places(ours));
            let d = V3::new(d[0], d[1], d[2]);
            let square = d.dot(d);
            let reach = if EQUAL {
                globals_reach
            } else {
                reaches(simd, ours, theirs)
            };
            let touching = square.simd_lt(reach * reach);
            if !touching.any_true() {
                if lists.live[slot] {
                    lists.live[slot] = false;
                    lists.slots[slot].slide = [[0.0; 8]; 3];
                    if ROLL {
                        lists.roll[slot] = [[0.0; 8]; 3];
                    }
                }
                continue;
            }
            let distance = square.root();
            let mut normal = d.times(one / distance);
            let coincident = square.simd_lt(f32x8::splat(simd, COINCIDENT));
            if coincident.any_true() {
                normal = apart(simd, coincident, normal, lists, ones, others);
            }
            let velocity = rows::differences(simd, velocities(ours), velocities(theirs));
            let surface = rows::sums(simd, surfaces(ours), surfaces(theirs));
            let inverse_mass = if EQUAL { equal + equal } else { surface[3] };
            // Where sizes differ the levers do, and rolling needs both motions apart.
            let lever = if EQUAL {
                half
            } else {
                radii(simd, theirs) / reach
            };
            let roll = if !ROLL {
                d
            } else if EQUAL {
                let roll = rows::differences(simd, surfaces(ours), surfaces(theirs));
                V3::new(roll[0], roll[1], roll[2]).times(half)
            } else {
                let mine = rows::columns(simd, surfaces(ours));
                let its = rows::columns(simd, surfaces(theirs));
                V3::new(mine[0], mine[1], mine[2]).times(lever)
                    - V3::new(its[0], its[1], its[2]).times(one - lever)
            };
            let contact = Contact {
                touching,
                normal,
                overlap: reach - distance,
                inverse_mass,
                velocity: V3::new(velocity[0], velocity[1], velocity[2]),
                surface: V3::new(surface[0], surface[1], surface[2]),
                roll,
            };
            if ELASTIC {
                let zero = f32x8::splat(simd, 0.0);
                let push = Push {
                    force: law.elastic(&contact),
                    moment: V3::new(zero, zero, zero),
                    roll: V3::new(zero, zero, zero),
                };
                scatter::<S, false>(simd, &push, lever, ones, others, within, pushes);
                continue;
            }
            let stretch = Stretch {
                slide: load3(simd, &lists.slots[slot].slide),
                roll: if ROLL {
                    load3(simd, &lists.roll[slot])
                } else {
                    d
                },
            };
            let (push, stretch) = law.push::<_, ROLL>(&contact, stretch);
            store3(&mut lists.slots[slot].slide, stretch.slide);
            if ROLL {
                store3(&mut lists.roll[slot], stretch.roll);
            }
            lists.live[slot] = true;
            scatter::<S, ROLL>(simd, &push, lever, ones, others, within, pushes);
        }
        from = lists.ends[kind];
    }
}

/// Adds what eight contacts push to the grains of the chunk.
#[inline(always)]
#[allow(
    clippy::too_many_arguments,
    reason = "one call, inlined, in the innermost loop"
)]
fn scatter<S: Simd, const ROLL: bool>(
    simd: S,
    push: &Push<f32x8<S>>,
    lever: f32x8<S>,
    ones: [u16; 8],
    others: [u16; 8],
    within: bool,
    pushes: &mut Pushes,
) {
    let zero = f32x8::splat(simd, 0.0);
    let (first, second) = (&mut *pushes.ones, &mut *pushes.others);
    let force = [push.force.x, push.force.y, push.force.z, zero];
    let moment = if ROLL {
        push.moment + push.roll.times(lever)
    } else {
        push.moment
    };
    let rows = rows::long_rows(force, [moment.x, moment.y, moment.z, zero]);
    for lane in 0..8 {
        let to = &mut first[usize::from(ones[lane]) % (2 * CHUNK)];
        *to = (f32x8::load_array_ref(simd, to) + rows[lane]).into();
    }
    if !within {
        return;
    }
    let rows = if ROLL {
        let one = f32x8::splat(simd, 1.0);
        let moment = push.moment - push.roll.times(one - lever);
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
fn order(lists: &Lists, one: u16, other: u16) -> f32 {
    if lists.grain(one) < lists.grain(other) {
        1.0
    } else {
        -1.0
    }
}

/// The twin of [`push_pairs`], pair by pair, with its bits.
#[inline(never)]
pub(super) fn push_pairs_scalar<const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    globals: &Globals,
    table: &Table,
    lists: &mut Lists,
    pushes: &mut Pushes,
) {
    let law = &globals.law;
    let none = V3::new(0.0, 0.0, 0.0);
    let equal = globals.inverse_mass;
    let mut from = 0;
    for (kind, within) in WITHIN.into_iter().enumerate() {
        for slot in from..lists.ends[kind] {
            // As in the wide form, the first grains of a slot are pushed before the second ones.
            let mut opposites = [(none, none); 8];
            for (lane, opposite) in opposites.iter_mut().enumerate() {
                let one = lists.slots[slot].one[lane];
                let other = lists.slots[slot].other[lane];
                let (ours, theirs) = (&table[usize::from(one)], &table[usize::from(other)]);
                let (me, there) = (ours.place, theirs.place);
                let d = V3::new(there[0] - me[0], there[1] - me[1], there[2] - me[2]);
                let square = d.dot(d);
                let reach = me[3] + there[3];
                let touching = square < reach * reach;
                if !touching {
                    if lists.live[slot] {
                        let stretch = Stretch {
                            slide: none,
                            roll: none,
                        };
                        lists.set_stretch(slot, lane, stretch);
                    }
                    continue;
                }
                let distance = square.sqrt();
                let mut normal = d.times(1.0 / distance);
                if square < COINCIDENT {
                    normal = V3::new(order(lists, one, other), 0.0, 0.0);
                }
                let (velocity, own_inverse, surface) = motion_of(ours);
                let (there_velocity, its_inverse, there_surface) = motion_of(theirs);
                let inverse_mass = if EQUAL {
                    equal + equal
                } else {
                    own_inverse + its_inverse
                };
                let lever = if EQUAL { 0.5 } else { there[3] / reach };
                let contact = Contact {
                    touching: true,
                    normal,
                    overlap: reach - distance,
                    inverse_mass,
                    velocity: velocity - there_velocity,
                    surface: surface + there_surface,
                    roll: if EQUAL {
                        (surface - there_surface).times(0.5)
                    } else {
                        surface.times(lever) - there_surface.times(1.0 - lever)
                    },
                };
                let push = if ELASTIC {
                    Push {
                        force: law.elastic(&contact),
                        moment: none,
                        roll: none,
                    }
                } else {
                    let (push, stretch) = law.push::<_, ROLL>(&contact, lists.stretch(slot, lane));
                    lists.set_stretch(slot, lane, stretch);
                    lists.live[slot] = true;
                    push
                };
                let (own, its) = if ROLL {
                    (
                        push.moment + push.roll.times(lever),
                        push.moment - push.roll.times(1.0 - lever),
                    )
                } else {
                    (push.moment, push.moment)
                };
                add(&mut pushes.ones[usize::from(one)], push.force, own);
                *opposite = (push.force, its);
            }
            if within {
                for (lane, (force, moment)) in opposites.into_iter().enumerate() {
                    let other = lists.slots[slot].other[lane];
                    add(&mut pushes.others[usize::from(other)], force, moment);
                }
            }
        }
        from = lists.ends[kind];
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

/// The twin of [`advance`], with its bits.
#[inline(never)]
pub(super) fn advance_scalar(
    globals: &Globals,
    table: &Table,
    pushes: &Pushes,
    after: &mut [Row],
) -> bool {
    let step = globals.law.dt;
    let turn = 2.5 * step;
    let mut stale = false;
    for (i, after) in after.iter_mut().enumerate() {
        let mut row = table[i];
        let (ones, others) = (&pushes.ones[i], &pushes.others[i]);
        let inverse_mass = row.surface[3];
        let mut square = [0.0; 3];
        for axis in 0..3 {
            let (force, moment) = (ones[axis] - others[axis], ones[4 + axis] + others[4 + axis]);
            row.velocity[axis] += (force * inverse_mass + globals.gravity[axis]) * step;
            row.surface[axis] += moment * (inverse_mass * turn);
            row.place[axis] += row.velocity[axis] * step;
            let off = row.place[axis] - row.tether[axis];
            square[axis] = off * off;
        }
        let slack = row.tether[3];
        stale |= slack * slack < square[0] + square[1] + square[2];
        *after = row;
    }
    stale
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

/// Sums of the radii of eight pairs.
#[inline(always)]
fn reaches<S: Simd>(simd: S, ours: [&Row; 8], theirs: [&Row; 8]) -> f32x8<S> {
    radii(simd, ours) + radii(simd, theirs)
}
