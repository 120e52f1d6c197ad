//! Laws of granular flow that the scenes reproduce, with the material and the time step they are timed with.

mod common;

use common::flow;
use jostle_scenes::grains::{ColumnCollapse, Grain, GrainSceneKind, Hopper};

/// Outflow of a flat-bottomed silo: W = C (D − k d)^5/2 with k = 1.4 (W. A. Beverloo, H. A. Leniger and J. van de
/// Velde, "The flow of granular solids through orifices", Chem. Eng. Sci. 15, 1961): one C fits five outlets.
///
/// Grains that leave come in again at the top, so that the flow is steady. The silo is 2.5 outlets wide
/// at least, so that its wall does not matter.
#[test]
fn the_outflow_of_a_silo_follows_beverloo() {
    let mut constants = Vec::new();
    for outlet in [6.0, 8.0, 10.0, 12.0, 16.0_f64] {
        let across = (2.5 * outlet).max(20.0);
        let depth = (1.25 * outlet).max(14.0);
        let scene = Hopper {
            grains: (0.855 * across * across * depth) as usize,
            across,
            outlet,
            half_angle: 90.0,
            ..Hopper::default()
        };
        let mut flow = flow(&scene.build().expect("the scene is fine"));
        for _ in 0..90 {
            flow.step().expect("it steps");
        }
        // The flow is far more even than a random one: a thousand grains tell the rate to less than 3 %.
        let (mut drained, mut frames) = (0, 0);
        while drained < 1000 || frames < 60 {
            drained += flow.step().expect("it steps").drained;
            frames += 1;
            assert!(frames < 1500, "the silo is blocked");
        }
        let rate = drained as f64 / f64::from(frames);
        let report = flow.report();
        assert_eq!(report.escaped, 0);
        assert_eq!(report.emitted, report.inside + report.drained);
        let open = outlet - 1.4;
        constants.push(rate / (open * open * open.sqrt()));
    }
    let least = constants.iter().copied().fold(f64::INFINITY, f64::min);
    let most = constants.iter().copied().fold(0.0, f64::max);
    let middle = 0.5 * (least + most);
    assert!(
        most <= 1.1 * middle && least >= 0.9 * middle,
        "{constants:.4?}"
    );
}

/// Where a heap ends: the distance from the axis beyond which rings two grains wide are covered by
/// grains to less than a third. Single grains that rolled on do not count.
fn front(grains: &[Grain]) -> f64 {
    let mut distances: Vec<f64> = grains
        .iter()
        .map(|g| f64::from(g.centre.truncate().length()))
        .collect();
    distances.sort_by(f64::total_cmp);
    let r = f64::from(grains[0].radius);
    let step = 2.0 * r;
    let mut inner = 0.0;
    loop {
        let outer = inner + 2.0 * step;
        let inside = |limit: f64| distances.partition_point(|&x| x < limit);
        let count = inside(outer) - inside(inner);
        let cover = count as f64 * r * r / (outer * outer - inner * inner);
        if cover < 1.0 / 3.0 {
            return inner + step;
        }
        inner += 0.25 * step;
    }
}

/// Run-out of a column that collapses: (r∞ − r₀)/r₀ = 1.24 a for a height by radius a < 1.7 (Lube et al. 2004).
#[test]
fn the_run_out_of_a_column_follows_lube() {
    for aspect in [0.6, 1.0, 1.5] {
        let column = ColumnCollapse {
            aspect,
            ..ColumnCollapse::default()
        };
        let scene = column.build().expect("the scene is fine");
        let wide = column.column_radius();
        // Twice the height of the centre of mass above the tops of the floor's spheres.
        let sum: f64 = scene.grains.iter().map(|g| f64::from(g.centre.z)).sum();
        let height = 2.0 * (sum / scene.grains.len() as f64 - column.radius);
        let mut flow = flow(&scene);
        let mut heap = front(&flow.grains());
        // Until the front stands still for a second, and four seconds at least.
        for second in 0.. {
            for _ in 0..60 {
                flow.step().expect("it steps");
            }
            let now = front(&flow.grains());
            if second >= 4 && now == heap {
                break;
            }
            heap = now;
            assert!(second < 20, "the heap never comes to rest");
        }
        let run_out = (heap - wide) / wide;
        let law = 1.24 * height / wide;
        assert!(
            (run_out / law - 1.0).abs() <= 0.15,
            "{aspect}: {run_out} against {law}"
        );
        assert_eq!(flow.report().escaped, 0);
    }
}

/// Grains overlap by less than a hundredth of a radius on average, from the first frame on, at rest and in motion.
#[test]
fn contacts_overlap_by_less_than_a_hundredth() {
    for (kind, grains) in [
        (GrainSceneKind::Hopper, 10_000),
        (GrainSceneKind::ColumnCollapse, 5_000),
        (GrainSceneKind::Drum, 2_000),
        (GrainSceneKind::Tumbler, 2_000),
    ] {
        let scene = kind.with_grains(grains, 0).expect("the scene is fine");
        assert_eq!(scene.grains.len(), grains, "{kind} has room for all");
        let mut flow = flow(&scene);
        for frame in 0..150 {
            flow.step().expect("it steps");
            if frame % 3 == 0 {
                let report = flow.report();
                assert!(
                    report.overlap_mean < 0.01,
                    "{kind} {frame}: {}",
                    report.overlap_mean
                );
                assert_eq!(report.escaped, 0);
            }
        }
    }
}

/// In a drum of two sizes the small grains gather in the core, the large ones around it.
#[test]
fn sizes_separate_in_a_tumbler() {
    let scene = GrainSceneKind::Tumbler
        .with_grains(1500, 0)
        .expect("the scene is fine");
    let limit = 1.25
        * scene
            .grains
            .iter()
            .map(|g| g.radius)
            .fold(f32::INFINITY, f32::min);
    // How much farther the large grains are from the middle of the bed, as a share.
    let apart = |grains: &[Grain]| {
        let middle = grains.iter().map(|g| g.centre).sum::<glam::Vec3>() / grains.len() as f32;
        let mean = |large: bool| {
            let distances = grains
                .iter()
                .filter(|g| (g.radius > limit) == large)
                .map(|g| (g.centre - middle).with_y(0.0).length());
            distances.clone().sum::<f32>() / distances.count() as f32
        };
        mean(true) / mean(false) - 1.0
    };
    let mut flow = flow(&scene);
    let before = apart(&flow.grains());
    for _ in 0..2400 {
        flow.step().expect("it steps");
    }
    let after = apart(&flow.grains());
    assert!(before.abs() < 0.06, "mixed at the start: {before}");
    assert!(after > 0.12, "separated: {before} to {after}");
}
