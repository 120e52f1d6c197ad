//! Does a tree that is kept from frame to frame get worse? A stirred box of bodies, its cost over
//! time against that of a tree built anew.

use std::time::Instant;

use jostle::broad::bvh::Builder;
use jostle::broad::dynamic::{DynamicTree, Handle, Move};
use jostle::broad::upkeep;
use jostle::scenes::StirredBoxes;

use super::Bench;
use crate::commands::bench::short_count;
use crate::error::CliError;
use crate::report::{Curve, Figures, Row};

/// Frames for which a tree without upkeep is followed: long enough to see where it goes.
const WITHOUT: usize = 300;

/// A tree and how its cost went.
struct Kept {
    tree: DynamicTree,
    /// Of the bodies in their order.
    handles: Vec<Handle>,
    treelets: usize,
    costs: Vec<(f64, f64)>,
    ms: Vec<f64>,
    rebuilt: usize,
}

impl Bench<'_> {
    /// Stirs bodies for so many frames and gives the costs over time: kept with upkeep, without, and
    /// built anew.
    pub(super) fn drift(&mut self, bodies: usize, frames: usize) -> Result<Vec<Curve>, CliError> {
        self.progress
            .message(format!("{} bodies stirred", short_count(bodies)));
        let level = self.config.common.simd.token()?;
        let wrong = |error: &dyn std::fmt::Display| CliError::Tree(error.to_string());
        let mut scene = StirredBoxes {
            boxes: bodies,
            seed: self.config.seed,
        }
        .build()?;
        let mut kept = Vec::new();
        for treelets in [upkeep::TREELETS, 0] {
            let mut tree = DynamicTree::new();
            let mut handles = Vec::with_capacity(bodies);
            for &aabb in &scene.moving {
                handles.push(tree.insert(aabb).map_err(|e| wrong(&e))?);
            }
            tree.rebuild(Builder::Balanced, level)
                .map_err(|e| wrong(&e))?;
            kept.push(Kept {
                tree,
                handles,
                treelets,
                costs: Vec::new(),
                ms: Vec::new(),
                rebuilt: 0,
            });
        }
        let mut fresh = Vec::new();
        let every = (frames / 100).max(1);
        let mut moves = Vec::with_capacity(bodies);
        for frame in 1..=frames {
            scene.advance();
            for kept in &mut kept {
                if kept.treelets == 0 && frame > WITHOUT {
                    continue;
                }
                moves.clear();
                let boxes = scene.moving.iter();
                moves.extend(
                    kept.handles
                        .iter()
                        .zip(boxes)
                        .map(|(&h, &b)| Move::new(h, b)),
                );
                let clock = Instant::now();
                kept.tree.begin_frame();
                kept.tree.update(&moves).map_err(|e| wrong(&e))?;
                kept.rebuilt += kept.tree.maintain(kept.treelets);
                kept.ms.push(clock.elapsed().as_secs_f64() * 1e3);
                if frame % every == 0 {
                    kept.costs.push((frame as f64, kept.tree.sah_cost()));
                }
            }
            if frame % every == 0 {
                let cost = kept[0].tree.fresh_cost(Builder::Balanced, level);
                fresh.push((frame as f64, cost.map_err(|e| wrong(&e))?));
            }
        }
        self.progress.next_part();
        let names = [
            (
                format!("kept, at most {} treelets a frame", upkeep::TREELETS),
                [38, 132, 168],
            ),
            ("kept, no treelets".to_owned(), [222, 52, 38]),
        ];
        let mut curves = Vec::new();
        for (kept, (name, colour)) in kept.into_iter().zip(names) {
            self.rows.push(row(bodies, &name, &kept, &fresh));
            curves.push(Curve {
                name,
                colour,
                guide: false,
                points: kept.costs,
            });
        }
        curves.push(Curve {
            name: "built anew".to_owned(),
            colour: [120, 130, 142],
            guide: true,
            points: fresh,
        });
        Ok(curves)
    }
}

/// What upkeep took, and the costs over those of a tree built anew.
fn row(bodies: usize, name: &str, kept: &Kept, fresh: &[(f64, f64)]) -> Row {
    let costs = kept.costs.iter().zip(fresh);
    let ratios: Vec<f64> = costs.map(|((_, kept), (_, fresh))| kept / fresh).collect();
    let mut ms = kept.ms.clone();
    ms.sort_unstable_by(f64::total_cmp);
    let frames = ms.len() as f64;
    let figures = Figures::default()
        .with("frames", ms.len())
        .with(
            "cost_over_fresh_mean",
            ratios.iter().sum::<f64>() / ratios.len().max(1) as f64,
        )
        .with(
            "cost_over_fresh_most",
            ratios.iter().copied().fold(0.0, f64::max),
        )
        .with(
            "cost_over_fresh_last",
            ratios.last().copied().unwrap_or(0.0),
        )
        .with("rebuilt_treelets_per_frame", kept.rebuilt as f64 / frames);
    Row {
        work: format!("stirred-{}", short_count(bodies)),
        method: name.to_owned(),
        ms: ms[ms.len() / 2],
        figures,
    }
}
