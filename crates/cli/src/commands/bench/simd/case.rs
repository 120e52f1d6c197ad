//! A kernel with data to run on, whatever its types, and how one is timed.

use std::hint::black_box;
use std::time::Instant;

use jostle::simd::SimdLevel;
use jostle::simd::batch::BitMask;
use jostle::simd::fearless_simd::Level;
use jostle::simd::kernels::KernelError;

use super::roof::Demand;
use crate::error::CliError;

/// Calls shorter than this are timed several at once, so that the clock does not count.
const SHORTEST_NS: f64 = 3_000.0;

/// What all repeats of one way at one size may take together.
const BUDGET_NS: f64 = 400e6;

/// Up to this many elements a branch predictor could learn all outcomes: pairs are turned against each
/// other between repeats.
const LEARNT: usize = 20_000;

/// Questions whose answers are compared.
const COMPARED: usize = 4;

/// Number of questions asked of `n` elements in turn. Predictors of today remember the outcomes of a
/// hundred thousand tests that come again; of four million they do not.
pub(super) fn questions(n: usize) -> usize {
    (4_000_000 / n.max(1)).clamp(64, 4_096)
}

/// A way to run a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// One struct after the other, leaving each test as soon as it is lost.
    Aos,
    /// Columns, without branches, as the compiler vectorises it.
    Soa,
    /// The kernel at a level.
    Level(SimdLevel, Level),
}

impl Way {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Aos => "scalar",
            Self::Soa => "auto-vectorised",
            Self::Level(SimdLevel::Scalar, _) => "twin",
            Self::Level(level, _) => level.name(),
        }
    }
}

/// Where ways put their answers; which of them a kernel uses is its own affair.
#[derive(Debug, Default)]
pub(super) struct Out {
    pub mask: BitMask,
    pub ids: Vec<u32>,
    /// Whether levels write ids rather than the mask, where a kernel can do both.
    pub to_ids: bool,
    /// A distance for each element, infinite where there is none.
    pub reals: Vec<f32>,
    /// Zero or one for each element.
    pub bytes: Vec<u8>,
}

impl Out {
    /// Room for `n` elements.
    pub(super) fn new(n: usize) -> Self {
        Self {
            reals: vec![f32::INFINITY; n],
            bytes: vec![0; n],
            ..Self::default()
        }
    }

    /// What is marked in the mask.
    pub(super) fn masked(&self) -> Vec<u32> {
        self.mask.iter().map(|i| i as u32).collect()
    }

    /// What has a one.
    pub(super) fn flagged(&self) -> Vec<u32> {
        let hits = (0..).zip(&self.bytes).filter(|(_, byte)| **byte != 0);
        hits.map(|(id, _)| id).collect()
    }
}

/// What the calls of a pairwise kernel are given.
pub(super) type PairRun<A, B, L, R> =
    fn(Way, (&[A], &[B]), (&L, &R), &mut Out) -> Result<(), KernelError>;

/// What the calls of a kernel of one against many are given.
pub(super) type OneRun<Q, A, B> = fn(Way, &Q, &[A], &B, &mut Out);

/// A kernel with its data.
pub(super) trait Case {
    /// Tests of a call.
    fn tests(&self) -> usize;

    /// The next question: takes no time worth the name.
    fn next(&mut self) {}

    /// Changes the data, so that the same branches are not taken again.
    fn stir(&mut self) {}

    /// Answers the question.
    fn run(&mut self, way: Way) -> Result<(), KernelError>;

    /// The last answer in a form that is the same for all ways: ids of hits and whatever belongs to
    /// them.
    fn answer(&self, way: Way) -> Vec<u32>;

    /// Number of tests that hit, when that is not the length of the answer.
    fn hits(&self) -> Option<usize> {
        None
    }
}

/// A row of the list of kernels.
pub(super) struct Kernel {
    /// Its name in reports.
    pub name: &'static str,
    /// Whether there is a loop that the compiler vectorises; not where nobody would write one.
    pub columns: bool,
    /// What a test costs.
    pub demand: Demand,
    /// Bytes of the data that a pass over `n` elements touches, an element.
    pub element: usize,
    /// Whether the scalar loop and the auto-vectorised one decide by the same rule, so that
    /// their answers must be the same too, not only those of the levels.
    pub same_rule: bool,
    /// Its data for `n` elements from a seed.
    pub case: fn(n: usize, seed: u64) -> Box<dyn Case>,
}

/// What one way took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub way: Way,
    /// Median time of a call, in nanoseconds.
    pub ns: f64,
}

/// A kernel at one size.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    /// Tests of a call.
    pub tests: usize,
    /// Share of the tests that hit.
    pub hits: f64,
    /// The fewest repeats behind a median.
    pub repeats: usize,
    pub timings: Vec<Timing>,
}

/// Compares the answers of all ways and then times them in turn.
pub(super) fn measure(
    kernel: &Kernel,
    elements: usize,
    seed: u64,
    ways: &[Way],
    most: usize,
) -> Result<Measured, CliError> {
    let refused = |error: KernelError| CliError::Kernel {
        kernel: kernel.name,
        elements,
        what: error.to_string(),
    };
    let mut ways = ways.to_vec();
    ways.retain(|way| kernel.columns || !matches!(way, Way::Soa));
    let mut case = (kernel.case)(elements, seed);
    let mut hits = 0;
    for _ in 0..COMPARED {
        case.next();
        case.stir();
        hits += compare(kernel, elements, case.as_mut(), &ways)?;
    }
    let mut samples = vec![Vec::new(); ways.len()];
    let mut plans = Vec::new();
    for &way in &ways {
        let mut plan = Plan { way, calls: 1 };
        let first = plan.time(case.as_mut(), false).map_err(refused)?;
        // Ways full of branches get no second look at the same pairs.
        if !matches!(way, Way::Aos | Way::Level(SimdLevel::Scalar, _)) {
            plan.calls = (SHORTEST_NS / first.max(1.0)).ceil().max(1.0) as usize;
        }
        let repeats = (BUDGET_NS / (first * plan.calls as f64 * 2.0)) as usize;
        plans.push((plan, repeats.clamp(most.min(5), most)));
    }
    for repeat in 0..most {
        for ((plan, repeats), samples) in plans.iter().zip(&mut samples) {
            if repeat < *repeats {
                let time = plan.time(case.as_mut(), elements <= LEARNT);
                samples.push(time.map_err(refused)?);
            }
        }
    }
    let timings = plans.iter().zip(&mut samples).map(|((plan, _), samples)| {
        samples.sort_unstable_by(f64::total_cmp);
        Timing {
            way: plan.way,
            ns: samples[samples.len() / 2],
        }
    });
    let timings = timings.collect();
    let tests = case.tests();
    Ok(Measured {
        tests,
        hits: hits as f64 / (COMPARED * tests).max(1) as f64,
        repeats: samples.iter().map(Vec::len).min().unwrap_or(0),
        timings,
    })
}

/// How a way is timed.
struct Plan {
    way: Way,
    calls: usize,
}

impl Plan {
    /// The time of a call, after one that is not counted. Between the two the question changes, and
    /// the data if asked to: branches cannot have been learnt.
    fn time(&self, case: &mut dyn Case, stir: bool) -> Result<f64, KernelError> {
        case.run(self.way)?;
        if stir {
            case.stir();
            // What the stirring has brought into the cache is not what the wide ways read.
            if self.calls > 1 {
                case.run(self.way)?;
            }
        }
        let clock = Instant::now();
        for _ in 0..self.calls {
            case.next();
            case.run(black_box(self.way))?;
        }
        Ok(clock.elapsed().as_nanos() as f64 / self.calls as f64)
    }
}

/// Runs all ways on one question. Gives the number of hits.
fn compare(
    kernel: &Kernel,
    elements: usize,
    case: &mut dyn Case,
    ways: &[Way],
) -> Result<usize, CliError> {
    let wrong = |what: String| CliError::Kernel {
        kernel: kernel.name,
        elements,
        what,
    };
    let mut answers = Vec::new();
    for &way in ways {
        case.run(way).map_err(|error| wrong(error.to_string()))?;
        answers.push((way, case.answer(way)));
    }
    let level = |way: &Way| matches!(way, Way::Level(..));
    let reference = answers.iter().find(|(way, _)| level(way));
    let Some((reference, expected)) = reference else {
        return Ok(0);
    };
    for (way, answer) in &answers {
        let same = if kernel.same_rule || level(way) {
            answer == expected
        } else {
            // Another rule decides about what lies on an edge.
            answer.len().abs_diff(expected.len()) <= 1 + expected.len() / 1000
        };
        if !same {
            let ways = [reference.name(), way.name()];
            return Err(wrong(format!("{} and {} disagree", ways[0], ways[1])));
        }
    }
    Ok(case.hits().unwrap_or(expected.len()))
}

/// One element after the other of a list of questions against a batch.
pub(super) struct OneToMany<Q, A, B> {
    pub queries: Vec<Q>,
    pub at: usize,
    pub structs: Vec<A>,
    pub batch: B,
    pub out: Out,
    pub run: OneRun<Q, A, B>,
    pub answer: fn(Way, &Out) -> Vec<u32>,
    pub hits: Option<fn(&Q, &B) -> usize>,
}

impl<Q, A, B> Case for OneToMany<Q, A, B> {
    fn tests(&self) -> usize {
        self.structs.len()
    }

    fn next(&mut self) {
        self.at = (self.at + 1) % self.queries.len();
    }

    fn run(&mut self, way: Way) -> Result<(), KernelError> {
        let query = &self.queries[self.at];
        (self.run)(way, query, &self.structs, &self.batch, &mut self.out);
        Ok(())
    }

    fn answer(&self, way: Way) -> Vec<u32> {
        (self.answer)(way, &self.out)
    }

    fn hits(&self) -> Option<usize> {
        self.hits
            .map(|hits| hits(&self.queries[self.at], &self.batch))
    }
}

/// Element i of one batch against element i of another.
pub(super) struct Pairwise<A, B, L, R> {
    pub left: Vec<A>,
    pub right: Vec<B>,
    pub left_batch: L,
    pub right_batch: R,
    pub set: fn(&mut L, usize, &A),
    pub out: Out,
    pub run: PairRun<A, B, L, R>,
    pub answer: fn(Way, &Out) -> Vec<u32>,
}

impl<A, B, L, R> Case for Pairwise<A, B, L, R> {
    fn tests(&self) -> usize {
        self.left.len()
    }

    fn stir(&mut self) {
        self.left.rotate_left(1);
        for (i, element) in self.left.iter().enumerate() {
            (self.set)(&mut self.left_batch, i, element);
        }
    }

    fn run(&mut self, way: Way) -> Result<(), KernelError> {
        let batches = (&self.left_batch, &self.right_batch);
        (self.run)(way, (&self.left, &self.right), batches, &mut self.out)
    }

    fn answer(&self, way: Way) -> Vec<u32> {
        (self.answer)(way, &self.out)
    }
}
