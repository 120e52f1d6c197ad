//! One writer publishes values, any number of readers look at them, and nobody waits.
//!
//! A simulation builds the next state of its world while other threads still query the last one.
//! [`publish`] starts with a first value and gives the two ends:
//!
//! - [`Publisher::publish`] replaces the current value. It never waits for readers.
//! - [`Reader::latest`] takes a [`Snapshot`] of the value that is current at that moment: immutable,
//!   whole, and valid for as long as it is kept, whatever is published meanwhile.
//!   [`Reader::with`] looks without keeping.
//!
//! Snapshots carry the number of their generation. A reader never sees an older generation after a
//! newer one. A value is dropped when the last snapshot of it is gone and no reader can be just
//! about to take one; that is found out by epochs (K. Fraser, "Practical lock-freedom", 2004, section
//! 5.2.3), with `crossbeam-epoch`.
//!
//! ```
//! let (mut publisher, reader) = jostle_snapshot::publish(vec![1, 2, 3]);
//! let before = reader.latest();
//! publisher.publish(vec![4]);
//! assert_eq!(*before, [1, 2, 3]);
//! assert_eq!(*reader.latest(), [4]);
//! assert_eq!(reader.latest().generation(), 1);
//! ```

mod cell;

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use cell::Cell;

/// Starts publishing with a first value, generation 0.
pub fn publish<T: Send + Sync + 'static>(first: T) -> (Publisher<T>, Reader<T>) {
    let cell = Arc::new(Cell::new(Snapshot::new(first, 0)));
    let publisher = Publisher {
        cell: Arc::clone(&cell),
        generation: 0,
    };
    (publisher, Reader { cell })
}

/// The writing end. There is one; publishing takes it mutably.
pub struct Publisher<T: Send + Sync + 'static> {
    cell: Arc<Cell<Snapshot<T>>>,
    generation: u64,
}

impl<T: Send + Sync + 'static> Publisher<T> {
    /// Makes `value` the current one and returns its generation, one more than that of the last.
    ///
    /// Wait-free but for memory allocation. The value replaced is dropped later, on the thread that
    /// finds out that nobody can see it any more, often this one.
    pub fn publish(&mut self, value: T) -> u64 {
        self.generation += 1;
        self.cell.replace(Snapshot::new(value, self.generation));
        self.generation
    }

    /// Another reading end.
    pub fn reader(&self) -> Reader<T> {
        Reader {
            cell: Arc::clone(&self.cell),
        }
    }
}

/// A reading end. Cheap to clone; one may be shared by threads or each have its own.
pub struct Reader<T: Send + Sync + 'static> {
    cell: Arc<Cell<Snapshot<T>>>,
}

impl<T: Send + Sync + 'static> Reader<T> {
    /// The current value, to keep. Lock-free; costs two atomic counters.
    pub fn latest(&self) -> Snapshot<T> {
        self.cell.with(Snapshot::clone)
    }

    /// Looks at the current snapshot without keeping it.
    ///
    /// While `look` runs, no value replaced after its start is dropped, whoever published it: for
    /// long work take [`latest`](Self::latest) instead.
    pub fn with<R>(&self, look: impl FnOnce(&Snapshot<T>) -> R) -> R {
        self.cell.with(look)
    }
}

impl<T: Send + Sync + 'static> Clone for Reader<T> {
    fn clone(&self) -> Self {
        Self {
            cell: Arc::clone(&self.cell),
        }
    }
}

/// A published value. Clones share it.
pub struct Snapshot<T> {
    shared: Arc<(T, u64)>,
}

impl<T> Snapshot<T> {
    fn new(value: T, generation: u64) -> Self {
        Self {
            shared: Arc::new((value, generation)),
        }
    }

    /// How many values had been published before this one.
    pub fn generation(&self) -> u64 {
        self.shared.1
    }
}

impl<T> Deref for Snapshot<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.shared.0
    }
}

impl<T> Clone for Snapshot<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("generation", &self.generation())
            .field("value", &self.shared.0)
            .finish()
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for Publisher<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publisher")
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

impl<T: Send + Sync + 'static> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("generation", &self.with(Snapshot::generation))
            .finish_non_exhaustive()
    }
}
