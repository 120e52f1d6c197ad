//! Many readers, one writer, on real threads.
#![cfg(not(crossbeam_loom))]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::thread;

use jostle_snapshot::publish;

/// A value that knows whether it is whole, and counts how many of its kind are alive.
struct Counted {
    numbers: Vec<u64>,
    alive: Arc<AtomicUsize>,
}

impl Counted {
    fn new(value: u64, alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, Relaxed);
        Self {
            numbers: vec![value; 64],
            alive: Arc::clone(alive),
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.numbers.fill(u64::MAX);
        self.alive.fetch_sub(1, Relaxed);
    }
}

#[test]
fn readers_see_whole_values_in_order_and_old_ones_go() {
    const FRAMES: u64 = 100_000;
    let alive = Arc::new(AtomicUsize::new(0));
    let (mut publisher, reader) = publish(Counted::new(0, &alive));
    let done = AtomicBool::new(false);
    let start = Barrier::new(9);
    let most = thread::scope(|scope| {
        for _ in 0..8 {
            let reader = reader.clone();
            let (done, start) = (&done, &start);
            scope.spawn(move || {
                let mut last = 0;
                start.wait();
                while !done.load(Relaxed) {
                    let snapshot = reader.latest();
                    assert!(snapshot.generation() >= last, "went back in time");
                    last = snapshot.generation();
                    assert!(snapshot.numbers.iter().all(|&n| n == last), "torn");
                    reader.with(|now| assert!(now.generation() >= last));
                    thread::yield_now();
                }
            });
        }
        start.wait();
        let mut most = 0;
        for frame in 1..=FRAMES {
            assert_eq!(publisher.publish(Counted::new(frame, &alive)), frame);
            most = most.max(alive.load(Relaxed));
        }
        done.store(true, Relaxed);
        most
    });
    assert_eq!(reader.latest().generation(), FRAMES);
    // Only a reader that the system stops in the middle keeps old values, and never for half the frames.
    assert!(
        (most as u64) < FRAMES / 2,
        "{most} values were alive at once"
    );
    drop((publisher, reader));
}

#[test]
fn a_kept_snapshot_outlives_its_publisher() {
    let (mut publisher, reader) = publish(String::from("first"));
    let kept = reader.latest();
    for i in 0..1000 {
        publisher.publish(format!("{i}"));
    }
    let late = publisher.reader().latest();
    drop((publisher, reader));
    assert_eq!((kept.as_str(), kept.generation()), ("first", 0));
    assert_eq!((late.as_str(), late.generation()), ("999", 1000));
}
