//! Voxel fields as bytes.
//!
//! All numbers are little-endian. A header of 84 bytes, then one bit a brick (whether it is fine), then the nodes of all
//! bricks as 16-bit integers, then the FNV-1a hash of all bytes before it. `docs/fields.md` lists the header.

use glam::Vec3;
use jostle_geom::Fnv;
use jostle_simd::Aabb;
use thiserror::Error;

use super::grid::{BRICK, FINE, FINE_NODES, Grid, MAX_BRICKS};
use super::layout::places;
use super::{Parts, VoxelField, nodes_of};

/// The first bytes of every file.
const MAGIC: [u8; 8] = *b"JOSTLEVF";

/// The version written, and the only one read.
pub const FORMAT_VERSION: u32 = 1;

/// Bytes of the header.
const HEADER: usize = 84;

/// Why bytes are no voxel field.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum VoxelFileError {
    /// The first bytes are others.
    #[error("this is no voxel field: it does not start with JOSTLEVF")]
    Magic,
    /// A version that is not known.
    #[error("byte 8: version {version} is not known; this reader knows {FORMAT_VERSION}")]
    Version {
        /// As read.
        version: u32,
    },
    /// The bytes end too early, or go on too long.
    #[error("there are {bytes} bytes where the header announces {expected}")]
    Length {
        /// How many there are.
        bytes: u64,
        /// How many there should be; at least.
        expected: u64,
    },
    /// A number makes no sense.
    #[error("byte {at}: {what} is {value}, which is not {range}")]
    Number {
        /// Where it starts.
        at: usize,
        /// What it is.
        what: &'static str,
        /// As read.
        value: f64,
        /// What it has to be.
        range: &'static str,
    },
    /// The hash is that of other bytes.
    #[error("the checksum is {stored:016x}, but that of the bytes is {computed:016x}")]
    Checksum {
        /// As read.
        stored: u64,
        /// Of the bytes.
        computed: u64,
    },
    /// Values on the border of the grid have to be positive, those of bricks side by side to agree.
    #[error("brick {brick}, node {node}: {what}")]
    Node {
        /// Which brick.
        brick: usize,
        /// Which of its nodes.
        node: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl VoxelField {
    /// The field as bytes, the same on every platform.
    pub fn to_bytes(&self) -> Vec<u8> {
        let held: usize = self
            .table
            .iter()
            .map(|entry| nodes_of(entry & 1 != 0))
            .sum();
        let mut out = Vec::with_capacity(HEADER + self.table.len() / 8 + 2 * held + 16);
        out.extend(MAGIC);
        out.extend(FORMAT_VERSION.to_le_bytes());
        for n in self.grid.bricks {
            out.extend((n as u32).to_le_bytes());
        }
        out.extend(self.shift.to_le_bytes());
        out.extend((BRICK as u32).to_le_bytes());
        for vector in [self.grid.origin, self.source.min, self.source.max] {
            for value in vector.to_array() {
                out.extend(value.to_le_bytes());
            }
        }
        out.extend(self.grid.spacing.to_le_bytes());
        out.extend(self.unit[0].to_le_bytes());
        out.extend((held as u64).to_le_bytes());
        debug_assert_eq!(out.len(), HEADER);
        for flags in self.table.chunks(8) {
            let bit = |(i, entry): (usize, &u32)| ((entry & 1) as u8) << i;
            out.push(flags.iter().enumerate().map(bit).sum());
        }
        for at in self.table.iter().flat_map(|&entry| places(entry)) {
            out.extend(&self.nodes[at..at + 2]);
        }
        let mut hash = Fnv::default();
        hash.eat(&out);
        out.extend(hash.value().to_le_bytes());
        out
    }

    /// A field from the bytes that [`to_bytes`](Self::to_bytes) gave. Nothing in them is trusted: no memory is reserved
    /// but in proportion to their number, and Lipschitz bounds are measured anew. Cost: O(bytes).
    ///
    /// # Errors
    /// Bytes that are no such field; the first fault is named.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, VoxelFileError> {
        let header = Header::read(bytes)?;
        let mut hash = Fnv::default();
        hash.eat(&bytes[..bytes.len() - 8]);
        let computed = hash.value();
        let mut last = Reader {
            bytes,
            at: bytes.len() - 8,
        };
        let stored = u64::from_le_bytes(last.take()?);
        if stored != computed {
            return Err(VoxelFileError::Checksum { stored, computed });
        }
        let (flags, rest) = bytes[HEADER..].split_at(header.flags);
        let fine: Vec<_> = (0..header.grid.brick_count())
            .map(|brick| flags[brick / 8] >> (brick % 8) & 1 != 0)
            .collect();
        let held: usize = fine.iter().map(|&fine| nodes_of(fine)).sum();
        if held != header.nodes {
            let value = header.nodes as f64;
            return Err(number(
                NODES_AT,
                "the number of nodes",
                value,
                "that of the bricks",
            ));
        }
        let nodes = rest[..2 * held].chunks_exact(2);
        let parts = Parts {
            grid: header.grid,
            unit: header.unit,
            shift: header.shift,
            fine,
            nodes: nodes
                .map(|pair| i16::from_le_bytes([pair[0], pair[1]]))
                .collect(),
            source: header.source,
        };
        check(&parts)?;
        let field = Self::assemble(&parts);
        if !field.lipschitz.is_finite() {
            let value = f64::from(header.unit);
            return Err(number(
                UNIT_AT,
                "the unit",
                value,
                "in proportion to the side of a cell",
            ));
        }
        Ok(field)
    }
}

/// What the header says.
struct Header {
    grid: Grid,
    shift: u32,
    unit: f32,
    source: Aabb,
    /// Bytes of the flags.
    flags: usize,
    nodes: usize,
}

/// Where the unit is.
const UNIT_AT: usize = 72;
/// Where the number of nodes is.
const NODES_AT: usize = 76;

fn number(at: usize, what: &'static str, value: f64, range: &'static str) -> VoxelFileError {
    VoxelFileError::Number {
        at,
        what,
        value,
        range,
    }
}

impl Header {
    /// Reads it, and makes sure that there are as many bytes as it announces.
    fn read(bytes: &[u8]) -> Result<Self, VoxelFileError> {
        let mut reader = Reader { bytes, at: 0 };
        let start = bytes.get(..MAGIC.len()).unwrap_or(bytes);
        if start != MAGIC.get(..start.len()).unwrap_or(&MAGIC) || start.is_empty() {
            return Err(VoxelFileError::Magic);
        }
        reader.at = MAGIC.len();
        let version = u32::from_le_bytes(reader.take()?);
        if version != FORMAT_VERSION {
            return Err(VoxelFileError::Version { version });
        }
        let most = MAX_BRICKS as u32;
        let mut bricks = [0; 3];
        for n in &mut bricks {
            *n = reader.whole(
                "the number of bricks along an axis",
                1,
                most,
                "between 1 and 2^24",
            )? as usize;
        }
        let shift = reader.whole("the exponent of coarse bricks", 0, 40, "at most 40")?;
        reader.whole("the side of a brick", BRICK as u32, BRICK as u32, "8")?;
        let origin = reader.vector("the first node")?;
        let min = reader.vector("the box of the mesh")?;
        let max = reader.vector("the box of the mesh")?;
        let spacing = reader.positive("the side of a cell")?;
        let unit = reader.positive("the unit")?;
        let nodes = u64::from_le_bytes(reader.take()?);
        let count = bricks
            .iter()
            .fold(1_u64, |a, &n| a.saturating_mul(n as u64));
        if count > MAX_BRICKS {
            return Err(number(
                12,
                "the number of bricks",
                count as f64,
                "at most 2^24",
            ));
        }
        let flags = count.div_ceil(8);
        let expected = (HEADER as u64 + 8 + flags).saturating_add(nodes.saturating_mul(2));
        if bytes.len() as u64 != expected {
            return Err(VoxelFileError::Length {
                bytes: bytes.len() as u64,
                expected,
            });
        }
        if expected > u64::from(u32::MAX) {
            return Err(number(
                NODES_AT,
                "the number of nodes",
                nodes as f64,
                "below 2^31",
            ));
        }
        if !min.cmple(max).all() {
            return Err(number(44, "the box of the mesh", f64::from(min.x), "a box"));
        }
        Ok(Self {
            grid: Grid {
                origin,
                spacing,
                bricks,
            },
            shift,
            unit,
            source: Aabb::new(min, max),
            flags: flags as usize,
            nodes: nodes as usize,
        })
    }
}

/// Whether the interpolant is continuous, and positive where the grid ends.
fn check(parts: &Parts) -> Result<(), VoxelFileError> {
    let mut starts = Vec::with_capacity(parts.fine.len());
    let mut at = 0;
    for &fine in &parts.fine {
        starts.push(at);
        at += nodes_of(fine);
    }
    // The value at a node of the fine grid, in a brick, times 64: an integer.
    let value = |brick: usize, [x, y, z]: [usize; 3]| -> i64 {
        let start = starts[brick];
        if parts.fine[brick] {
            return 64 * i64::from(parts.nodes[start + x + FINE * (y + FINE * z)]);
        }
        super::quantize::interpolated(&parts.nodes[start..], [x, y, z]) << parts.shift
    };
    let bricks = parts.grid.bricks;
    for (brick, &fine) in parts.fine.iter().enumerate() {
        let at = parts.grid.brick(brick);
        for node in 0..FINE_NODES {
            let local = [node % FINE, node / FINE % FINE, node / (FINE * FINE)];
            if local.iter().all(|&i| i > 0 && i < BRICK) {
                continue;
            }
            let fault = |what| VoxelFileError::Node { brick, node, what };
            let ends = |axis: usize| {
                local[axis] == 0 && at[axis] == 0
                    || local[axis] == BRICK && at[axis] + 1 == bricks[axis]
            };
            let here = value(brick, local);
            if (0..3).any(ends) && here <= 0 {
                return Err(fault("not positive on the border of the grid"));
            }
            for axis in 0..3 {
                if local[axis] == BRICK && at[axis] + 1 < bricks[axis] {
                    let (mut next, mut there) = (at, local);
                    next[axis] += 1;
                    there[axis] = 0;
                    let other = parts.grid.brick_index(next);
                    if (fine || parts.fine[other] || local.iter().all(|i| i % 4 == 0))
                        && value(other, there) != here
                    {
                        return Err(fault("not the same in the next brick"));
                    }
                }
            }
        }
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], VoxelFileError> {
        let chunk = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk);
        let Some(chunk) = chunk else {
            return Err(VoxelFileError::Length {
                bytes: self.bytes.len() as u64,
                expected: (HEADER + 8) as u64,
            });
        };
        self.at += N;
        Ok(*chunk)
    }

    fn whole(
        &mut self,
        what: &'static str,
        least: u32,
        most: u32,
        range: &'static str,
    ) -> Result<u32, VoxelFileError> {
        let at = self.at;
        let value = u32::from_le_bytes(self.take()?);
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(number(at, what, f64::from(value), range))
    }

    fn number(
        &mut self,
        what: &'static str,
        sound: impl Fn(f32) -> bool,
        range: &'static str,
    ) -> Result<f32, VoxelFileError> {
        let at = self.at;
        let value = f32::from_le_bytes(self.take()?);
        if sound(value) {
            return Ok(value);
        }
        Err(number(at, what, f64::from(value), range))
    }

    fn vector(&mut self, what: &'static str) -> Result<Vec3, VoxelFileError> {
        const LIMIT: f32 = (1_u64 << 61) as f32;
        let mut values = [0.0; 3];
        for value in &mut values {
            *value = self.number(what, |v| v.abs() <= LIMIT, "within ±2^61")?;
        }
        Ok(Vec3::from(values))
    }

    fn positive(&mut self, what: &'static str) -> Result<f32, VoxelFileError> {
        self.number(
            what,
            |v| (1e-36..=1e19).contains(&v),
            "between 1e-36 and 1e19",
        )
    }
}
