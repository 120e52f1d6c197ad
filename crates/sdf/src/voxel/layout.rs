//! Where nodes lie in memory: all bricks with the same strides, so that a look-up reaches its corners without asking of
//! which kind the brick is.

use super::grid::{COARSE, COARSE_NODES, FINE, FINE_NODES};
use super::lookup::WINDOW;
use super::nodes_of;

/// Coarse bricks along the side of a block of the size of a fine brick.
const ABREAST: usize = FINE / COARSE;
/// Coarse bricks in a block.
const IN_BLOCK: usize = ABREAST * ABREAST * ABREAST;

/// The nodes of all bricks and where each starts, in bytes; plus one if it is fine.
///
/// Fine bricks are blocks of 9³ nodes, and 27 coarse bricks of 3³ nodes fill a block too. Nodes have two bytes, which leaves
/// the lowest bit of a place for the mark.
pub(super) fn lay_out(fine: &[bool], packed: &[i16]) -> (Vec<u32>, Vec<u8>) {
    let mut table = Vec::with_capacity(fine.len());
    let mut blocks = 0;
    let mut coarse = 0;
    let mut block = 0;
    for &fine in fine {
        let place = if fine {
            blocks += 1;
            (blocks - 1) * FINE_NODES
        } else {
            if coarse == 0 {
                block = blocks;
                blocks += 1;
            }
            let corner = [
                coarse % ABREAST,
                coarse / ABREAST % ABREAST,
                coarse / (ABREAST * ABREAST),
            ];
            coarse = (coarse + 1) % IN_BLOCK;
            block * FINE_NODES + COARSE * (corner[0] + FINE * (corner[1] + FINE * corner[2]))
        };
        table.push((2 * place) as u32 | u32::from(fine));
    }
    let mut nodes = vec![0; 2 * blocks * FINE_NODES + WINDOW];
    let mut packed = packed.iter();
    for &entry in &table {
        for (at, node) in places(entry).zip(&mut packed) {
            nodes[at..at + 2].copy_from_slice(&node.to_le_bytes());
        }
    }
    (table, nodes)
}

/// Where the nodes of a brick are, in bytes, x first.
pub(super) fn places(entry: u32) -> impl Iterator<Item = usize> {
    let fine = entry & 1 != 0;
    let first = (entry & !1) as usize;
    let side = if fine { FINE } else { COARSE };
    debug_assert_eq!(nodes_of(fine), if fine { FINE_NODES } else { COARSE_NODES });
    (0..nodes_of(fine)).map(move |i| {
        let (x, y, z) = (i % side, i / side % side, i / (side * side));
        first + 2 * (x + FINE * (y + FINE * z))
    })
}
