//! Manifolds of all pairs, from step to step.

use jostle_geom::Manifold;
use thiserror::Error;

use super::prepared::Prepared;
use super::update::{Memory, Scratch, Step, update};
use super::{ContactOptions, FieldBody};
use crate::level::enter;

/// Why contacts cannot be found.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ContactError {
    /// An option makes no sense.
    #[error("{option} is {value}, which is not {range}")]
    Option {
        /// Which.
        option: &'static str,
        /// As given.
        value: f64,
        /// What it has to be.
        range: &'static str,
    },
    /// A pair names a body that does not exist, or one body twice, or the pairs are not sorted.
    #[error(
        "pair {index} ({a}, {b}) is not one of two of {bodies} bodies, smaller first, after the pair before it"
    )]
    Pair {
        /// In the list.
        index: usize,
        /// As given.
        a: u32,
        /// As given.
        b: u32,
        /// How many there are.
        bodies: usize,
    },
}

/// What a step cost. Sums over its pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContactStats {
    /// Pairs whose boxes, grown by half the margin, overlap.
    pub pairs: u64,
    /// Of them those proved apart.
    pub apart: u64,
    /// Active points.
    pub contacts: u64,
    /// Evaluations of the objective: each is one of both fields.
    pub evaluations: u64,
    /// Steps of the optimiser.
    pub iterations: u64,
}

impl ContactStats {
    /// The sums of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            pairs: self.pairs + other.pairs,
            apart: self.apart + other.apart,
            contacts: self.contacts + other.contacts,
            evaluations: self.evaluations + other.evaluations,
            iterations: self.iterations + other.iterations,
        }
    }
}

/// The manifolds of all pairs of a world, kept from step to step.
#[derive(Clone, Debug)]
pub struct FieldContacts {
    options: ContactOptions,
    manifolds: Vec<Manifold>,
    memories: Vec<Memory>,
    /// Steps so far.
    steps: u64,
    /// Evaluations of the last step.
    work: u64,
}

impl FieldContacts {
    /// Without any manifold yet.
    ///
    /// # Errors
    /// Options that make no sense.
    pub fn new(options: &ContactOptions) -> Result<Self, ContactError> {
        options.check()?;
        Ok(Self {
            options: *options,
            manifolds: Vec::new(),
            memories: Vec::new(),
            steps: 0,
            work: 0,
        })
    }

    /// As given.
    pub fn options(&self) -> &ContactOptions {
        &self.options
    }

    /// Finds the contacts of a step of `dt` seconds.
    ///
    /// `pairs` are candidates, each with the smaller index first, sorted, without duplicates; those whose boxes do not
    /// overlap, or whose bodies are both fixed, cost next to nothing. A pair that was there in the last step keeps its
    /// points, as they are when both bodies are fixed; one that is missing loses them. What was proved of a pair is believed
    /// while both bodies have the same shapes, by where these are in memory, and scales. The results do not depend on the number
    /// of threads.
    ///
    /// Cost: O(bodies + pairs), and for a pair that may touch some tens of evaluations of both fields.
    ///
    /// # Errors
    /// Pairs that are not such a list.
    pub fn update(
        &mut self,
        bodies: &[FieldBody<'_>],
        pairs: &[[u32; 2]],
        dt: f64,
    ) -> Result<ContactStats, ContactError> {
        check_pairs(pairs, bodies.len())?;
        self.take_over(pairs);
        let prepared: Vec<_> = bodies.iter().map(Prepared::new).collect();
        let step = Step {
            options: &self.options,
            dt,
            number: self.steps,
        };
        self.steps += 1;
        let stats = update_all(
            &step,
            &prepared,
            self.work,
            &mut self.manifolds,
            &mut self.memories,
        );
        self.work = stats.evaluations;
        Ok(stats)
    }

    /// Makes the list of manifolds that of the pairs, in their order.
    fn take_over(&mut self, pairs: &[[u32; 2]]) {
        let same = |m: &Manifold, p: &[u32; 2]| [m.a, m.b] == *p;
        if self.manifolds.len() == pairs.len()
            && self.manifolds.iter().zip(pairs).all(|(m, p)| same(m, p))
        {
            return;
        }
        let mut old = core::mem::take(&mut self.manifolds)
            .into_iter()
            .zip(core::mem::take(&mut self.memories))
            .peekable();
        self.manifolds.reserve(pairs.len());
        self.memories.reserve(pairs.len());
        for &[a, b] in pairs {
            while old.peek().is_some_and(|(m, _)| [m.a, m.b] < [a, b]) {
                old.next();
            }
            let (manifold, memory) =
                old.next_if(|(m, _)| [m.a, m.b] == [a, b])
                    .unwrap_or_else(|| {
                        let manifold = Manifold {
                            a,
                            b,
                            ..Manifold::default()
                        };
                        (manifold, Memory::default())
                    });
            self.manifolds.push(manifold);
            self.memories.push(memory);
        }
    }

    /// One for each pair that was asked for, sorted by pair; without points where nothing is near.
    pub fn manifolds(&self) -> &[Manifold] {
        &self.manifolds
    }

    /// The same, for a solver that leaves its impulses there.
    pub fn manifolds_mut(&mut self) -> &mut [Manifold] {
        &mut self.manifolds
    }
}

fn check_pairs(pairs: &[[u32; 2]], bodies: usize) -> Result<(), ContactError> {
    for (index, &[a, b]) in pairs.iter().enumerate() {
        let sorted = index == 0 || pairs[index - 1] < [a, b];
        if a >= b || b as usize >= bodies || !sorted {
            return Err(ContactError::Pair {
                index,
                a,
                b,
                bodies,
            });
        }
    }
    Ok(())
}

/// Pairs that one task looks at.
#[cfg(feature = "parallel")]
const CHUNK: usize = 8;

/// Evaluations in a step from which threads pay: waking them takes as long as some hundred.
#[cfg(feature = "parallel")]
const WORTH_SHARING: u64 = 1200;

/// All pairs, in chunks that threads share. `work` is what the last step took.
fn update_all(
    step: &Step<'_>,
    bodies: &[Prepared<'_>],
    work: u64,
    manifolds: &mut [Manifold],
    memories: &mut [Memory],
) -> ContactStats {
    #[cfg(not(feature = "parallel"))]
    let _ = work;
    #[cfg(feature = "parallel")]
    if work >= WORTH_SHARING && manifolds.len() > 4 * CHUNK && rayon::current_num_threads() > 1 {
        use rayon::prelude::*;
        return manifolds
            .par_chunks_mut(CHUNK)
            .zip(memories.par_chunks_mut(CHUNK))
            .map_init(Scratch::default, |scratch, (manifolds, memories)| {
                update_chunk(step, bodies, manifolds, memories, scratch)
            })
            .reduce(ContactStats::default, ContactStats::plus);
    }
    update_chunk(step, bodies, manifolds, memories, &mut Scratch::default())
}

fn update_chunk(
    step: &Step<'_>,
    bodies: &[Prepared<'_>],
    manifolds: &mut [Manifold],
    memories: &mut [Memory],
    scratch: &mut Scratch,
) -> ContactStats {
    let mut stats = ContactStats::default();
    enter!(step.options.level, simd => {
        for (manifold, memory) in manifolds.iter_mut().zip(memories.iter_mut()) {
            let pair = [&bodies[manifold.a as usize], &bodies[manifold.b as usize]];
            update(simd, step, pair, manifold, memory, scratch, &mut stats);
        }
    });
    stats
}
