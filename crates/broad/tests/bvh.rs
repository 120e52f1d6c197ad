//! Trees against brute force.

use core::ops::ControlFlow;

use fearless_simd::Level;
use jostle_broad::bvh::{Builder, Bvh};
use jostle_broad::{Method, PairOptions};
use jostle_geom::Aabb;

fn scattered(n: usize) -> Vec<Aabb> {
    let mut rng = jostle_testkit::Rng::new(5);
    (0..n)
        .map(|_| {
            let min: glam::Vec3 = [0; 3].map(|_| rng.unit() as f32 * 10.0).into();
            Aabb::new(min, min + glam::Vec3::splat(rng.unit() as f32))
        })
        .collect()
}

#[test]
fn every_builder_and_every_method_agree_with_brute_force() {
    for n in [0, 1, 2, 3, 100, 1000] {
        let boxes = scattered(n);
        let expected = jostle_broad::brute::self_pairs(&boxes).unwrap();
        for builder in Builder::ALL {
            let tree = Bvh::build(&boxes, builder, Level::new()).unwrap();
            tree.validate(&boxes).unwrap();
            let mut pairs = Vec::new();
            tree.self_pairs_recursive(&mut |a, b| {
                pairs.push([a, b]);
                ControlFlow::Continue(())
            });
            pairs.sort_unstable();
            assert_eq!(pairs, expected, "{builder}, {n} boxes");
        }
        for method in Method::ALL {
            let pairs = method.self_pairs(&boxes, &PairOptions::default());
            assert_eq!(pairs.unwrap(), expected, "{method}, {n} boxes");
        }
    }
}
