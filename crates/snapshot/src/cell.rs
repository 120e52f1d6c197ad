//! A value that one thread replaces while others look at it. All the `unsafe` of the engine.
#![allow(
    unsafe_code,
    reason = "freeing what other threads may see needs a proof that the compiler cannot follow"
)]

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};

use crossbeam_epoch::{Atomic, Guard, Owned, Shared, pin, unprotected};

/// Holds one value behind a pointer.
///
/// Invariant: the pointer is never null and owns a value made by `Owned::new`; a value that it no
/// longer names is freed once, by an epoch that began after the pointer was swapped.
pub(crate) struct Cell<T: Send + Sync + 'static> {
    current: Atomic<T>,
}

impl<T: Send + Sync + 'static> Cell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            current: Atomic::new(value),
        }
    }

    /// Looks at the value that is current now.
    pub(crate) fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        let guard = pin();
        look(self.load(&guard))
    }

    fn load<'g>(&self, guard: &'g Guard) -> &'g T {
        // `Acquire` pairs with the release of the swap: the value is seen whole.
        let shared = self.current.load(Acquire, guard);
        // SAFETY: not null, and made by `Owned::new` (invariant). If it is replaced from now on, it
        // is freed in an epoch later than the one that `guard` holds, so it outlives `guard`.
        unsafe { shared.deref() }
    }

    /// Replaces the value; the old one is dropped when nobody can look at it.
    pub(crate) fn replace(&self, value: T) {
        let guard = pin();
        let old = self.current.swap(Owned::new(value), AcqRel, &guard);
        // SAFETY: `old` came out of the swap, so this is the only caller that got it and no later
        // load can return it; who loaded it before is pinned, and destruction waits for those.
        // Dropping on another thread is fine as `T: Send + 'static`.
        unsafe { guard.defer_destroy(old) };
        // Values are whole worlds: hand them over for collection now, not when 64 have come
        // together.
        guard.flush();
    }
}

impl<T: Send + Sync + 'static> Drop for Cell<T> {
    fn drop(&mut self) {
        // SAFETY: `&mut self` proves that no other thread can load, so no guard is needed, and the
        // value is owned by the pointer (invariant), which is null from here on.
        unsafe {
            let last = self.current.swap(Shared::null(), Relaxed, unprotected());
            drop(last.into_owned());
        }
    }
}
