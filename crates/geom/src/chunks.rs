//! Work in parallel where the feature allows it, with results that do not depend on threads.

/// Calls `fill(first, chunk)` for consecutive chunks of `out`, `first` being the index of the
/// chunk's first item. What is written must not depend on how the chunks are spread over threads.
pub fn fill_chunks<T: Send>(out: &mut [T], chunk: usize, fill: impl Fn(usize, &mut [T]) + Sync) {
    #[cfg(feature = "parallel")]
    if out.len() > chunk {
        use rayon::prelude::*;
        out.par_chunks_mut(chunk)
            .enumerate()
            .for_each(|(i, out)| fill(i * chunk, out));
        return;
    }
    for (i, out) in out.chunks_mut(chunk).enumerate() {
        fill(i * chunk, out);
    }
}

/// Runs both and returns both results.
pub fn both<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "parallel")]
    return rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    (a(), b())
}
