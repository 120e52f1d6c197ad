//! Keeping a step within a memory limit.

use jostle_broad::step::CHUNK;
use jostle_geom::MovingMesh;

use super::types::{StepError, StepOptions};
use crate::NarrowPhase;

/// Bytes of a box, of its share of the trees, and of its diagonal bounds.
const BOX_BYTES: u64 = 24;
const TREE_BYTES: u64 = 48;
const DOP_BYTES: u64 = 64;
/// Bytes of a vertex prepared for the march.
const POINT_BYTES: u64 = 64;
/// Bytes that one thread holds while it works on a task: chunks of both kinds in the broad phase,
/// what is left of one in the narrow phase, and the stack of a traversal.
const THREAD_BYTES: u64 = 8 * 8 * CHUNK as u64;

/// How many tasks are worked on between two looks at the memory.
pub(super) struct Budget {
    /// Tasks a batch; `usize::MAX` without a limit.
    pub(super) tasks_per_batch: usize,
}

impl Budget {
    /// Plans a step of `mesh`.
    ///
    /// The boxes, trees and bounds of all elements are held throughout; what is left over is for
    /// the candidates of a batch of tasks, each worth one thread's buffers.
    pub(super) fn new(mesh: &MovingMesh<'_>, options: &StepOptions) -> Result<Self, StepError> {
        let Some(limit) = options.memory_limit else {
            return Ok(Self {
                tasks_per_batch: usize::MAX,
            });
        };
        let boxes = mesh.topology().box_count() as u64;
        let mut fixed = boxes * (BOX_BYTES + TREE_BYTES);
        if options.narrow_phase == NarrowPhase::Separating {
            fixed += boxes * DOP_BYTES + mesh.topology().vertex_count() as u64 * POINT_BYTES;
        }
        let threads = thread_count() as u64;
        let needed = fixed + threads * THREAD_BYTES;
        if limit < needed {
            return Err(StepError::MemoryLimit { limit, needed });
        }
        // Every task of a batch may end with a chunk of hits.
        let tasks = ((limit - fixed) / THREAD_BYTES).min(16 * threads);
        Ok(Self {
            tasks_per_batch: tasks as usize,
        })
    }
}

#[cfg(feature = "parallel")]
fn thread_count() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
fn thread_count() -> usize {
    1
}
