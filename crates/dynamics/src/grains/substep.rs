//! One sub-step of a chunk of grains: pushes, kick, drift.

use fearless_simd::{f32x8, prelude::*};

use super::lanes::{Real, V3};
use super::law::{Contact, Law, Push, Stretch};
use super::lists::Lists;
use super::rows::{self, Motion, Place, load3, store3};

/// Below this squared distance two centres coincide and the normal is chosen by index, m².
const COINCIDENT: f32 = 1e-30;

/// What a sub-step reads: all grains before it.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    /// Centres and radii, padded to whole blocks and one row more with [`rows::NOWHERE`].
    pub places: &'a [Place],
    /// Velocities, masses and surface velocities.
    pub motions: &'a [Motion],
    /// Where each grain may go before the lists are stale: centre and radius of a ball.
    pub tethers: &'a [[f32; 4]],
}

/// What is the same for all grains and contacts.
#[derive(Clone, Copy)]
pub(super) struct Globals {
    /// Coefficients of the contact law.
    pub law: Law,
    /// Acceleration, m/s².
    pub gravity: [f32; 3],
    /// The mass of all grains when they are equal, kg.
    pub mass: f32,
}

/// Pushes on the grains of a chunk, block by block: force and moment over radius.
pub(super) type Pushes = [[[f32; 8]; 3]; 2];

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

/// Steps the grains `first..`, as many as there are in `places`, and tells whether one of them left its tether.
#[inline(always)]
pub(super) fn wide<S: Simd, const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    simd: S,
    globals: &Globals,
    before: Before<'_>,
    first: usize,
    lists: &mut Lists,
    walls: &[Pushes],
    places: &mut [Place],
    motions: &mut [Motion],
) -> bool {
    let law = &globals.law;
    let mut stale = false;
    for block in 0..places.len().div_ceil(8) {
        let at = first + 8 * block;
        let (Some(own_places), Some(own_motions), Some(tethers)) = (
            eight(before.places, at),
            eight(before.motions, at),
            eight(before.tethers, at),
        ) else {
            break;
        };
        let me = gather_places(simd, own_places);
        let (velocity, mass, surface) = gather_motions(simd, own_motions);
        let one = f32x8::splat(simd, 1.0);
        let mass = if EQUAL {
            f32x8::splat(simd, globals.mass)
        } else {
            mass
        };
        let inverse = one / mass;
        let mut push = Push {
            force: load3(simd, &walls[block][0]),
            moment: load3(simd, &walls[block][1]),
        };
        let (from, to) = (
            lists.starts[block] as usize,
            lists.starts[block + 1] as usize,
        );
        for slot in from..to {
            let entry = &mut lists.slots[slot];
            let others = entry.other;
            let there = gather_places(simd, pick(before.places, others));
            let d = V3::new(there[0] - me[0], there[1] - me[1], there[2] - me[2]);
            let square = d.dot(d);
            let reach = me[3] + there[3];
            let touching = square.simd_lt(reach * reach);
            if !touching.any_true() {
                if lists.live[slot] {
                    lists.live[slot] = false;
                    entry.slide = [[0.0; 8]; 3];
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
                normal = apart(simd, coincident, normal, at, others);
            }
            let (there_velocity, there_mass, there_surface) =
                gather_motions(simd, pick(before.motions, others));
            let inverse_mass = if EQUAL {
                inverse + inverse
            } else {
                inverse + one / there_mass
            };
            let lever = if EQUAL {
                f32x8::splat(simd, 0.5)
            } else {
                there[3] / reach
            };
            let contact = Contact {
                touching,
                normal,
                overlap: reach - distance,
                inverse_mass,
                velocity: velocity - there_velocity,
                surface: surface + there_surface,
                roll: if ROLL {
                    surface.times(lever) - there_surface.times(one - lever)
                } else {
                    surface
                },
                lever,
            };
            if ELASTIC {
                push.force = push.force + law.elastic(&contact);
                continue;
            }
            let stretch = Stretch {
                slide: load3(simd, &entry.slide),
                roll: if ROLL {
                    load3(simd, &lists.roll[slot])
                } else {
                    surface
                },
            };
            let (more, stretch) = law.push::<_, ROLL>(&contact, stretch);
            push.force = push.force + more.force;
            push.moment = push.moment + more.moment;
            store3(&mut entry.slide, stretch.slide);
            if ROLL {
                store3(&mut lists.roll[slot], stretch.roll);
            }
            lists.live[slot] = true;
        }
        let gravity = V3::new(
            f32x8::splat(simd, globals.gravity[0]),
            f32x8::splat(simd, globals.gravity[1]),
            f32x8::splat(simd, globals.gravity[2]),
        );
        let here = V3::new(me[0], me[1], me[2]);
        let moved = advance(law.dt, here, velocity, surface, inverse, &push, gravity);
        let tether = rows::columns(
            simd,
            [
                &tethers[0],
                &tethers[1],
                &tethers[2],
                &tethers[3],
                &tethers[4],
                &tethers[5],
                &tethers[6],
                &tethers[7],
            ],
        );
        let off = V3::new(
            moved.0.x - tether[0],
            moved.0.y - tether[1],
            moved.0.z - tether[2],
        );
        stale |= (tether[3] * tether[3]).simd_lt(off.dot(off)).any_true();

        let new_places = rows::rows([moved.0.x, moved.0.y, moved.0.z, me[3]]);
        let new_mass = f32x8::load_array(
            simd,
            [
                own_motions[0][0][3],
                own_motions[1][0][3],
                own_motions[2][0][3],
                own_motions[3][0][3],
                own_motions[4][0][3],
                own_motions[5][0][3],
                own_motions[6][0][3],
                own_motions[7][0][3],
            ],
        );
        let linear = rows::rows([moved.1.x, moved.1.y, moved.1.z, new_mass]);
        let turning = rows::rows([moved.2.x, moved.2.y, moved.2.z, f32x8::splat(simd, 0.0)]);
        let end = (8 * block + 8).min(places.len());
        for (lane, i) in (8 * block..end).enumerate() {
            places[i] = new_places[lane];
            motions[i] = [linear[lane], turning[lane]];
        }
    }
    stale
}

/// Where a grain is after a kick and a drift, and its velocities: centre, velocity, surface velocity.
///
/// The moment of inertia of a solid sphere is ⅖ m r², so that ω r changes by 5/2 of the moment over the radius
/// and the mass.
#[inline(always)]
fn advance<R: Real>(
    dt: f32,
    place: V3<R>,
    velocity: V3<R>,
    surface: V3<R>,
    inverse_mass: R,
    push: &Push<R>,
    gravity: V3<R>,
) -> (V3<R>, V3<R>, V3<R>) {
    let step = inverse_mass.all(dt);
    let velocity = velocity + (push.force.times(inverse_mass) + gravity).times(step);
    let surface = surface + push.moment.times(inverse_mass * step.all(2.5)).times(step);
    (place + velocity.times(step), velocity, surface)
}

/// Normals of grains whose centres coincide: along x, from the smaller index to the larger.
#[inline(always)]
fn apart<S: Simd>(
    simd: S,
    coincident: fearless_simd::mask32x8<S>,
    normal: V3<f32x8<S>>,
    at: usize,
    others: [u32; 8],
) -> V3<f32x8<S>> {
    let mut x = [0.0; 8];
    for lane in 0..8 {
        x[lane] = order(at + lane, others[lane]);
    }
    let zero = f32x8::splat(simd, 0.0);
    V3::new(
        coincident.select(f32x8::load_array(simd, x), normal.x),
        coincident.select(zero, normal.y),
        coincident.select(zero, normal.z),
    )
}

/// 1 when the first index is the smaller one, else −1.
#[inline(always)]
fn order(one: usize, other: u32) -> f32 {
    if one < other as usize { 1.0 } else { -1.0 }
}

/// Steps the grains of a chunk one by one: the twin of [`wide`], with its bits.
#[inline(never)]
pub(super) fn scalar<const ELASTIC: bool, const ROLL: bool, const EQUAL: bool>(
    globals: &Globals,
    before: Before<'_>,
    first: usize,
    lists: &mut Lists,
    walls: &[Pushes],
    places: &mut [Place],
    motions: &mut [Motion],
) -> bool {
    let law = &globals.law;
    let mut stale = false;
    for i in 0..places.len() {
        let (block, lane) = (i / 8, i % 8);
        let me = before.places[first + i];
        let (velocity, mass, surface) = motion_of(&before.motions[first + i]);
        let own_mass = mass;
        let mass = if EQUAL { globals.mass } else { mass };
        let inverse = 1.0 / mass;
        let mut push = Push {
            force: rows::lane3(&walls[block][0], lane),
            moment: rows::lane3(&walls[block][1], lane),
        };
        for slot in lists.starts[block] as usize..lists.starts[block + 1] as usize {
            let other = lists.slots[slot].other[lane];
            let there = before.places[other as usize];
            let d = V3::new(there[0] - me[0], there[1] - me[1], there[2] - me[2]);
            let square = d.dot(d);
            let reach = me[3] + there[3];
            let touching = square < reach * reach;
            if !touching {
                if lists.live[slot] {
                    let zero = V3::new(0.0, 0.0, 0.0);
                    lists.set_stretch(
                        slot,
                        lane,
                        Stretch {
                            slide: zero,
                            roll: zero,
                        },
                    );
                }
                continue;
            }
            let distance = square.sqrt();
            let mut normal = d.times(1.0 / distance);
            if square < COINCIDENT {
                normal = V3::new(order(first + i, other), 0.0, 0.0);
            }
            let (there_velocity, there_mass, there_surface) =
                motion_of(&before.motions[other as usize]);
            let inverse_mass = if EQUAL {
                inverse + inverse
            } else {
                inverse + 1.0 / there_mass
            };
            let lever = if EQUAL { 0.5 } else { there[3] / reach };
            let contact = Contact {
                touching,
                normal,
                overlap: reach - distance,
                inverse_mass,
                velocity: velocity - there_velocity,
                surface: surface + there_surface,
                roll: surface.times(lever) - there_surface.times(1.0 - lever),
                lever,
            };
            if ELASTIC {
                push.force = push.force + law.elastic(&contact);
                continue;
            }
            let (more, stretch) = law.push::<_, ROLL>(&contact, lists.stretch(slot, lane));
            push.force = push.force + more.force;
            push.moment = push.moment + more.moment;
            lists.set_stretch(slot, lane, stretch);
            lists.live[slot] = true;
        }
        let [gx, gy, gz] = globals.gravity;
        let here = V3::new(me[0], me[1], me[2]);
        let gravity = V3::new(gx, gy, gz);
        let moved = advance(law.dt, here, velocity, surface, inverse, &push, gravity);
        let [cx, cy, cz, slack] = before.tethers[first + i];
        let off = V3::new(moved.0.x - cx, moved.0.y - cy, moved.0.z - cz);
        stale |= slack * slack < off.dot(off);
        places[i] = [moved.0.x, moved.0.y, moved.0.z, me[3]];
        motions[i] = [
            [moved.1.x, moved.1.y, moved.1.z, own_mass],
            [moved.2.x, moved.2.y, moved.2.z, 0.0],
        ];
    }
    stale
}

/// Velocity, mass and surface velocity of a row.
#[inline(always)]
pub(super) fn motion_of(row: &Motion) -> (V3<f32>, f32, V3<f32>) {
    let [[vx, vy, vz, mass], [ux, uy, uz, _]] = *row;
    (V3::new(vx, vy, vz), mass, V3::new(ux, uy, uz))
}

#[inline(always)]
fn eight<T>(all: &[T], at: usize) -> Option<[&T; 8]> {
    let [a, b, c, d, e, f, g, h] = all.get(at..at + 8)? else {
        return None;
    };
    Some([a, b, c, d, e, f, g, h])
}

#[inline(always)]
fn pick<T>(all: &[T], others: [u32; 8]) -> [&T; 8] {
    [
        &all[others[0] as usize],
        &all[others[1] as usize],
        &all[others[2] as usize],
        &all[others[3] as usize],
        &all[others[4] as usize],
        &all[others[5] as usize],
        &all[others[6] as usize],
        &all[others[7] as usize],
    ]
}

#[inline(always)]
fn gather_places<S: Simd>(simd: S, rows: [&Place; 8]) -> [f32x8<S>; 4] {
    rows::columns(simd, rows)
}

/// Velocity, mass and surface velocity of eight rows.
#[inline(always)]
fn gather_motions<S: Simd>(simd: S, m: [&Motion; 8]) -> (V3<f32x8<S>>, f32x8<S>, V3<f32x8<S>>) {
    let linear = [
        &m[0][0], &m[1][0], &m[2][0], &m[3][0], &m[4][0], &m[5][0], &m[6][0], &m[7][0],
    ];
    let turning = [
        &m[0][1], &m[1][1], &m[2][1], &m[3][1], &m[4][1], &m[5][1], &m[6][1], &m[7][1],
    ];
    let v = rows::columns(simd, linear);
    let u = rows::columns(simd, turning);
    (V3::new(v[0], v[1], v[2]), v[3], V3::new(u[0], u[1], u[2]))
}
