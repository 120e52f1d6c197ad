//! What walls push on the grains of a chunk.

use fearless_simd::{f32x8, prelude::*};
use jostle_scenes::grains::WallSpin;

use super::Shape;
use crate::grains::law::{Contact, Law, Stretch};
use crate::grains::lists::WallSlot;
use crate::grains::rows::{columns, lane3, load3, set_lane3, store3};
use crate::grains::substep::{Pushes, Table, add, motion_of, pick, places, surfaces, velocities};
use jostle_simd::lanes::{Real, V3};

/// A wall, ready to be asked.
#[derive(Clone, Debug)]
pub(in crate::grains) struct Touching {
    pub shape: Shape,
    pub spin: Option<WallSpin>,
}

/// Velocity of the surface of a wall at a point.
#[inline(always)]
fn surface_velocity<R: Real>(spin: Option<WallSpin>, p: V3<R>) -> V3<R> {
    let zero = p.x.all(0.0);
    let Some(WallSpin { pivot, rate }) = spin else {
        return V3::new(zero, zero, zero);
    };
    let arm = V3::new(
        p.x - zero.all(pivot.x),
        p.y - zero.all(pivot.y),
        p.z - zero.all(pivot.z),
    );
    V3::new(zero.all(rate.x), zero.all(rate.y), zero.all(rate.z)).cross(arm)
}

/// A grain against a wall in lanes: the wall has no end of mass, and what rolls is the grain alone.
#[inline(always)]
fn contact<R: Real>(
    (distance, away): (R, V3<R>),
    place: V3<R>,
    radius: R,
    (velocity, inverse_mass, surface): (V3<R>, R, V3<R>),
    spin: Option<WallSpin>,
) -> Contact<R> {
    let zero = radius.all(0.0);
    let at = place - away.times(distance);
    Contact {
        // A row without a grain has no radius.
        touching: distance.below(R::choose(zero.below(radius), radius, zero.all(f32::MIN))),
        normal: V3::new(zero, zero, zero) - away,
        overlap: radius - distance,
        inverse_mass,
        velocity: velocity - surface_velocity(spin, at),
        surface,
        roll: surface,
    }
}

/// Adds to `pushes` what the walls push on the grains of a chunk, and tells whether a grain is so deep in a wall
/// that it would pass.
#[inline(always)]
pub(in crate::grains) fn push<S: Simd, const ROLL: bool>(
    simd: S,
    law: &Law,
    walls: &[Touching],
    slots: &mut [WallSlot],
    table: &Table,
    pushes: &mut Pushes,
) -> bool {
    if simd.level().is_fallback() {
        return push_scalar::<ROLL>(law, walls, slots, table, pushes);
    }
    let mut pierced = false;
    for slot in slots {
        let wall = &walls[slot.wall as usize];
        let rows = pick(table, slot.grain);
        let place = columns(simd, places(rows));
        let at = V3::new(place[0], place[1], place[2]);
        let v = columns(simd, velocities(rows));
        let u = columns(simd, surfaces(rows));
        let motion = (V3::new(v[0], v[1], v[2]), u[3], V3::new(u[0], u[1], u[2]));
        let contact = contact(
            wall.shape.distance8(simd, at, &slot.part),
            at,
            place[3],
            motion,
            wall.spin,
        );
        if !contact.touching.any_true() {
            slot.slide = [[0.0; 8]; 3];
            slot.roll = [[0.0; 8]; 3];
            continue;
        }
        let deep = f32x8::splat(simd, DEEPEST) * place[3];
        pierced |= (contact.touching & deep.simd_lt(contact.overlap)).any_true();
        let stretch = Stretch {
            slide: load3(simd, &slot.slide),
            roll: load3(simd, &slot.roll),
        };
        let (more, stretch) = law.push::<_, ROLL>(&contact, stretch);
        store3(&mut slot.slide, stretch.slide);
        store3(&mut slot.roll, stretch.roll);
        let (mut force, mut moment) = ([[0.0; 8]; 3], [[0.0; 8]; 3]);
        store3(&mut force, more.force);
        store3(
            &mut moment,
            if ROLL {
                more.moment + more.roll
            } else {
                more.moment
            },
        );
        for lane in 0..slot.used as usize {
            let grain = slot.grain[lane] as usize;
            add(
                &mut pushes.ones[grain],
                lane3(&force, lane),
                lane3(&moment, lane),
            );
        }
    }
    pierced
}

/// A grain may overlap a wall by this share of its radius; deeper, the next steps might take it through.
///
/// A sheet does not know its sides, so that a centre that has just passed it looks like one that has not. With a quarter of
/// the radius left on either side, and steps of at most a quarter, none passes unseen.
pub(super) const DEEPEST: f32 = 0.75;

/// The twin of [`push`], grain by grain.
#[inline(never)]
fn push_scalar<const ROLL: bool>(
    law: &Law,
    walls: &[Touching],
    slots: &mut [WallSlot],
    table: &Table,
    pushes: &mut Pushes,
) -> bool {
    let mut pierced = false;
    let none = V3::new(0.0, 0.0, 0.0);
    for slot in slots {
        let wall = &walls[slot.wall as usize];
        for lane in 0..slot.used as usize {
            let grain = slot.grain[lane] as usize;
            let row = &table[grain];
            let [x, y, z, radius] = row.place;
            let at = V3::new(x, y, z);
            let distance = wall.shape.distance(at, slot.part[lane]);
            let contact = contact(distance, at, radius, motion_of(row), wall.spin);
            if !contact.touching {
                set_lane3(&mut slot.slide, lane, none);
                set_lane3(&mut slot.roll, lane, none);
                continue;
            }
            pierced |= DEEPEST * radius < contact.overlap;
            let stretch = Stretch {
                slide: lane3(&slot.slide, lane),
                roll: lane3(&slot.roll, lane),
            };
            let (more, stretch) = law.push::<_, ROLL>(&contact, stretch);
            set_lane3(&mut slot.slide, lane, stretch.slide);
            set_lane3(&mut slot.roll, lane, stretch.roll);
            let moment = if ROLL {
                more.moment + more.roll
            } else {
                more.moment
            };
            add(&mut pushes.ones[grain], more.force, moment);
        }
    }
    pierced
}
