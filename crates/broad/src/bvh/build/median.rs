//! Top-down halving.

use jostle_geom::chunks::both;

use super::emit::Place;
use super::record::Record;
use crate::tuning::BUILD_TASK;

/// Halves the boxes by count at the median centre of the axis on which the centres spread most.
/// O(n log n); the depth is that of a balanced tree.
pub(super) fn build(records: &mut [Record], place: Place<'_>) {
    if let [record] = records {
        place.leaf(record);
        return;
    }
    let mut bounds = Record::EMPTY;
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for record in &*records {
        bounds = bounds.union(record);
        for axis in 0..3 {
            let centre = record.centre2(axis);
            low[axis] = low[axis].min(centre);
            high[axis] = high[axis].max(centre);
        }
    }
    let spread = |axis: usize| high[axis] - low[axis];
    let widest = |best, axis| {
        if spread(axis) > spread(best) {
            axis
        } else {
            best
        }
    };
    let axis = (0..3).fold(0, widest);
    let middle = records.len() / 2;
    records.select_nth_unstable_by(middle, |a, b| {
        let centres = a.centre2(axis).total_cmp(&b.centre2(axis));
        centres.then_with(|| a.id().cmp(&b.id()))
    });
    let (_, first, second) = place.inner(&bounds.bounds(), middle);
    let (left, right) = records.split_at_mut(middle);
    if left.len() > BUILD_TASK {
        both(|| build(left, first), || build(right, second));
    } else {
        build(left, first);
        build(right, second);
    }
}
