//! Splits by the surface area heuristic at every place between two centres.

use jostle_geom::chunks::both;

use super::emit::{Place, must_halve};
use super::record::Record;
use crate::radix::{float_key, sort_by_key};
use crate::tuning::BUILD_TASK;

/// Builds the tree whose splits are the best of all between different centres on all three axes.
///
/// The ids are sorted once an axis and stay sorted in every node by stable partition (I. Wald and
/// V. Havran, "On building fast kd-trees for ray tracing, and on doing that in O(N log N)", 2006).
/// `records[i]` has the id `i`. Cost: O(n log n).
pub(super) fn build(records: &[Record], place: Place<'_>) {
    let order = |axis| {
        let key = |record: &Record| u64::from(float_key(record.centre2(axis)));
        let mut items: Vec<u64> = records
            .iter()
            .map(|record| (key(record) << 32) | u64::from(record.id()))
            .collect();
        sort_by_key(&mut items, &mut Vec::new());
        items.iter().map(|&item| item as u32).collect::<Vec<_>>()
    };
    let (mut x, (mut y, mut z)) = both(|| order(0), || both(|| order(1), || order(2)));
    let mut spare = vec![0; records.len()];
    let mut costs = vec![0.0; records.len()];
    let lists = Lists {
        order: [&mut x, &mut y, &mut z],
        spare: &mut spare,
        costs: &mut costs,
    };
    grow(records, lists, place, 0);
}

/// The ids of a node, sorted by centre and id on each axis, and room for as many.
struct Lists<'a> {
    order: [&'a mut [u32]; 3],
    spare: &'a mut [u32],
    costs: &'a mut [f32],
}

impl<'a> Lists<'a> {
    fn split(self, middle: usize) -> (Lists<'a>, Lists<'a>) {
        let [x, y, z] = self.order.map(|list| list.split_at_mut(middle));
        let spare = self.spare.split_at_mut(middle);
        let costs = self.costs.split_at_mut(middle);
        let part = |order, spare, costs| Lists {
            order,
            spare,
            costs,
        };
        (
            part([x.0, y.0, z.0], spare.0, costs.0),
            part([x.1, y.1, z.1], spare.1, costs.1),
        )
    }
}

/// The recursion is at most as deep as the tree.
fn grow(records: &[Record], mut lists: Lists<'_>, place: Place<'_>, depth: usize) {
    if let [id] = *lists.order[0] {
        place.leaf(&records[id as usize]);
        return;
    }
    let count = lists.order[0].len();
    let mut best = (f32::INFINITY, 0, 0);
    if !must_halve(depth, count) {
        for (axis, order) in lists.order.iter().enumerate() {
            let (cost, middle) = cheapest(records, order, axis, lists.costs);
            if cost < best.0 {
                best = (cost, axis, middle);
            }
        }
    }
    let (cost, axis, mut middle) = best;
    if cost < f32::INFINITY {
        // Centres differ here.
        let from = records[lists.order[axis][middle] as usize].centre2(axis);
        partition(&mut lists, |id| records[id as usize].centre2(axis) < from);
    } else {
        middle = count / 2;
        halve(records, &mut lists, middle);
    }
    let union = |u: Record, &id: &u32| u.union(&records[id as usize]);
    let bounds = lists.order[0].iter().fold(Record::EMPTY, union);
    let (_, first, second) = place.inner(&bounds.bounds(), middle);
    let (left, right) = lists.split(middle);
    if count > BUILD_TASK {
        both(
            || grow(records, left, first, depth + 1),
            || grow(records, right, second, depth + 1),
        );
    } else {
        grow(records, left, first, depth + 1);
        grow(records, right, second, depth + 1);
    }
}

/// The least cost of a split of the list between two different centres, and where; infinite when
/// there is none.
fn cheapest(records: &[Record], order: &[u32], axis: usize, costs: &mut [f32]) -> (f32, usize) {
    let count = order.len();
    let centre = |place: usize| records[order[place] as usize].centre2(axis);
    let mut best = (f32::INFINITY, 0);
    if centre(0) == centre(count - 1) {
        return best;
    }
    let mut side = Record::EMPTY;
    for place in (1..count).rev() {
        side = side.union(&records[order[place] as usize]);
        costs[place] = side.half_area() * (count - place) as f32;
    }
    side = Record::EMPTY;
    for place in 1..count {
        side = side.union(&records[order[place - 1] as usize]);
        let cost = side.half_area() * place as f32 + costs[place];
        if cost < best.0 && centre(place - 1) < centre(place) {
            best = (cost, place);
        }
    }
    best
}

/// Puts the smaller half to the front: by the axis on which centres spread most, by size where
/// they do not.
fn halve(records: &[Record], lists: &mut Lists<'_>, middle: usize) {
    let spread = |axis: usize| {
        let end = |id: u32| records[id as usize].centre2(axis);
        let order = &lists.order[axis];
        end(order[order.len() - 1]) - end(order[0])
    };
    let widest = |best, axis| {
        if spread(axis) > spread(best) {
            axis
        } else {
            best
        }
    };
    let axis = (0..3).fold(0, widest);
    let by_size = spread(axis) == 0.0;
    let key = |id: u32| {
        let record = &records[id as usize];
        let value = if by_size {
            record.half_area()
        } else {
            record.centre2(axis)
        };
        (float_key(value), id)
    };
    lists.spare.copy_from_slice(lists.order[axis]);
    let (_, &mut pivot, _) = lists
        .spare
        .select_nth_unstable_by_key(middle, |&id| key(id));
    let pivot = key(pivot);
    partition(lists, |id| key(id) < pivot);
}

/// Moves the ids that belong to the front of every list there, in their order.
fn partition(lists: &mut Lists<'_>, to_front: impl Fn(u32) -> bool) {
    for order in &mut lists.order {
        let (mut front, mut back) = (0, 0);
        for place in 0..order.len() {
            let id = order[place];
            let left = to_front(id);
            // No place that is still to be read is written: front is at most place.
            order[front] = id;
            lists.spare[back] = id;
            front += usize::from(left);
            back += usize::from(!left);
        }
        order[front..].copy_from_slice(&lists.spare[..back]);
    }
}
