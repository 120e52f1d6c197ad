//! The publishing protocol under every interleaving that loom finds. Built with
//! `RUSTFLAGS="--cfg crossbeam_loom" cargo test -p jostle-snapshot --features loom --test loom --release`.
#![cfg(crossbeam_loom)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use jostle_snapshot::publish;
use loom::cell::UnsafeCell;
use loom::thread;

/// Loom sees it when this is read while it is dropped.
struct Watched {
    value: UnsafeCell<u64>,
    drops: Arc<AtomicUsize>,
}

// Reads go through loom's cell, which reports a race as a failure.
#[allow(
    unsafe_code,
    reason = "loom's cell is not Sync, and checks what Sync would promise"
)]
// SAFETY: only read, except by the destructor; that those do not meet is what is tested.
unsafe impl Sync for Watched {}

impl Watched {
    fn new(value: u64, drops: &Arc<AtomicUsize>) -> Self {
        Self {
            value: UnsafeCell::new(value),
            drops: Arc::clone(drops),
        }
    }

    #[allow(unsafe_code, reason = "loom hands out raw pointers")]
    fn read(&self) -> u64 {
        // SAFETY: the pointer is that of a live cell; loom fails the test if someone writes.
        self.value.with(|value| unsafe { *value })
    }
}

impl Drop for Watched {
    #[allow(unsafe_code, reason = "loom hands out raw pointers")]
    fn drop(&mut self) {
        // SAFETY: as above, with a write.
        self.value.with_mut(|value| unsafe { *value = u64::MAX });
        self.drops.fetch_add(1, Relaxed);
    }
}

fn explore(test: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(test);
}

#[test]
fn a_reader_sees_whole_values_in_order() {
    explore(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let (mut publisher, reader) = publish(Watched::new(0, &drops));
        let looking = thread::spawn(move || {
            let first = reader.latest();
            assert_eq!(first.read(), first.generation());
            let second = reader.with(|now| (now.read(), now.generation()));
            assert_eq!(second.0, second.1);
            assert!(second.1 >= first.generation());
        });
        publisher.publish(Watched::new(1, &drops));
        looking.join().unwrap();
        assert_eq!(publisher.reader().latest().read(), 1);
    });
}

#[test]
fn a_kept_snapshot_survives_being_replaced_twice() {
    explore(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let (mut publisher, reader) = publish(Watched::new(0, &drops));
        let keeping = thread::spawn(move || reader.latest());
        publisher.publish(Watched::new(1, &drops));
        publisher.publish(Watched::new(2, &drops));
        let kept = keeping.join().unwrap();
        assert_eq!(kept.read(), kept.generation());
        drop(publisher);
        assert_eq!(kept.read(), kept.generation());
        assert!(drops.load(Relaxed) <= 2);
    });
}
