//! The scalar twins of a sub-step: grain by grain and pair by pair, with the bits of the wide forms.

use super::law::{Contact, Stretch};
use super::lists::{Lists, WITHIN};
use super::rows::Row;
use super::substep::{COINCIDENT, Globals, Pushes, Table, add, motion_of, order};
use jostle_simd::lanes::V3;

/// The twin of [`push_pairs`](super::substep::push_pairs).
#[inline(never)]
pub(super) fn push_pairs<const ROLL: bool, const EQUAL: bool>(
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
                let (lever, its_lever) = if EQUAL {
                    (0.5, 0.5)
                } else {
                    (there[3] / reach, me[3] / reach)
                };
                let contact = Contact {
                    touching: reach - distance > 0.0,
                    normal,
                    overlap: reach - distance,
                    inverse_mass,
                    velocity: velocity - there_velocity,
                    surface: surface + there_surface,
                    roll: if EQUAL {
                        (surface - there_surface).times(0.5)
                    } else {
                        surface.times(lever) - there_surface.times(its_lever)
                    },
                };
                let (push, stretch) = law.push::<_, ROLL>(&contact, lists.stretch(slot, lane));
                lists.set_stretch(slot, lane, stretch);
                lists.live[slot] = true;
                let (own, its) = if ROLL {
                    (
                        push.moment + push.roll.times(lever),
                        push.moment - push.roll.times(its_lever),
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

/// The twin of [`advance`](super::substep::advance).
#[inline(never)]
pub(super) fn advance(
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
