use jostle_dynamics::*;
use jostle_scenes::grains::*;
use jostle_simd::SimdLevel;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let frames: usize = a[2].parse().unwrap();
    let level: SimdLevel = a[3].parse().unwrap();
    let threads: usize = a[4].parse().unwrap();
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .unwrap();
    let scene = Hopper {
        grains: n,
        ..Hopper::default()
    }
    .build()
    .unwrap();
    let mut f = GrainFlow::new(
        &scene,
        &FlowOptions {
            level: level.token().unwrap(),
            ..Default::default()
        },
    )
    .unwrap();
    println!("{:?}", f.time_step());
    let mut times = vec![];
    for i in 0..frames {
        let t = Instant::now();
        let s = f.step().unwrap();
        let ms = t.elapsed().as_secs_f64() * 1e3;
        times.push(ms);
        if i % (frames / 10).max(1) == 0 || i + 1 == frames {
            let r = f.report();
            println!(
                "{i} {ms:.2} ms sub {} reb {} in {} out {} esc {} kin {:.3} E {:.4} el {:.4} contacts {} ov {:.5} max {:.4} {:016x}",
                s.substeps,
                s.rebuilds,
                r.inside,
                r.drained,
                r.escaped,
                r.kinetic,
                r.energy(),
                r.elastic,
                r.contacts,
                r.overlap_mean,
                r.overlap_max,
                f.state_hash()
            );
        }
    }
    times.sort_by(f64::total_cmp);
    println!(
        "median {:.3} p90 {:.3}",
        times[times.len() / 2],
        times[times.len() * 9 / 10]
    );
}
