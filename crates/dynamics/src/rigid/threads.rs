//! Work for more than one thread, where there is more than one: handing work to a pool of one thread costs two switches
//! and gains nothing.

use jostle_geom::chunks;

fn some() -> bool {
    #[cfg(feature = "parallel")]
    return rayon::current_num_threads() > 1;
    #[cfg(not(feature = "parallel"))]
    false
}

/// As `chunks::fill_chunks`.
pub(super) fn fill_chunks<T: Send>(
    out: &mut [T],
    chunk: usize,
    fill: impl Fn(usize, &mut [T]) + Sync,
) {
    if some() {
        chunks::fill_chunks(out, chunk, fill);
    } else {
        fill(0, out);
    }
}

/// As `chunks::both`.
pub(super) fn both(first: impl FnOnce() + Send, second: impl FnOnce() + Send) {
    if some() {
        chunks::both(first, second);
    } else {
        first();
        second();
    }
}
