//! Walls of triangles: where they are touched, and by which triangle.
//!
//! A grain touches a wall of triangles where the distance from its centre has a local minimum: on a face; on an edge or a
//! vertex only when no triangle around it is nearer. Each triangle decides that for itself from its neighbours,
//! and of those that share the point the one with the smallest index pushes. So a ball that glides over the edges
//! within a floor is pushed once and straight up. Where faces meet at a few degrees, as in a bowl, only the
//! nearer one pushes, so that energy does not jump from face to face.

use core::cmp::Ordering;
use core::ops::ControlFlow;
use std::collections::{HashMap, HashSet};

use fearless_simd::Level;
use glam::{DVec3, Vec3};
use jostle_broad::bvh::{Builder, Precision, TriangleTree};
use jostle_geom::{Aabb, Triangle};

use jostle_simd::lanes::V3;

/// The distance of a wall that does not push: farther than anything touches, and finite.
pub(super) const NOT_HERE: f32 = 1e15;

/// Squared distances whose ratio differs from 1 by less are equal: several triangles share the point. In double
/// precision rounding is far below.
const EQUAL: f64 = 1e-12;

/// Share of the area of a triangle by which a point may lie within it and still count as on its edge.
const ON_EDGE: f64 = 1e-12;

/// Cosine of the angle between faces below which they meet in an edge that is felt; 8 degrees.
const BENT: f64 = 0.99;

/// Triangles as a wall, ready to be asked.
#[derive(Clone, Debug)]
pub(in crate::grains) struct Sheet {
    triangles: Vec<Face>,
    /// Triangles around each vertex, ascending: where they start in `around`.
    fans: Vec<u32>,
    around: Vec<u32>,
    /// Neighbours that meet a triangle at a small angle: where they start in `bent`.
    bends: Vec<u32>,
    bent: Vec<u32>,
    tree: TriangleTree,
    solid: bool,
}

/// A triangle: its corners, and their numbers after equal ones were joined.
#[derive(Clone, Copy, Debug)]
struct Face {
    corners: [DVec3; 3],
    ids: [u32; 3],
    normal: DVec3,
}

/// The part of a triangle that is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Face,
    /// From this corner to the next.
    Edge(usize),
    Vertex(usize),
}

impl Sheet {
    /// Prepares triangles.
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub(super) fn new(
        vertices: &[Vec3],
        faces: &[[u32; 3]],
        solid: bool,
        level: Level,
    ) -> Result<Self, String> {
        let joined = join(vertices)?;
        let mut triangles = Vec::with_capacity(faces.len());
        let mut plain = Vec::with_capacity(faces.len());
        let mut seen = HashSet::with_capacity(faces.len());
        for (i, face) in faces.iter().enumerate() {
            let mut ids = [0; 3];
            let mut points = [Vec3::ZERO; 3];
            for k in 0..3 {
                let vertex = face[k] as usize;
                let (Some(&id), Some(&point)) = (joined.get(vertex), vertices.get(vertex)) else {
                    return Err(format!(
                        "triangle {i} names vertex {vertex}, which is not there"
                    ));
                };
                (ids[k], points[k]) = (id, point);
            }
            let corners = points.map(Vec3::as_dvec3);
            let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
            let normal = area.normalize_or_zero();
            if normal == DVec3::ZERO {
                return Err(format!("triangle {i} has no area"));
            }
            // A sheet may show each triangle twice, once for either side: it pushes once.
            let mut sorted = ids;
            sorted.sort_unstable();
            if !seen.insert(sorted) && !solid {
                continue;
            }
            triangles.push(Face {
                corners,
                ids,
                normal,
            });
            plain.push(Triangle {
                a: points[0],
                b: points[1],
                c: points[2],
            });
        }
        if solid {
            check_closed(&triangles)?;
        }
        let tree =
            TriangleTree::build(&plain, Builder::default(), level).map_err(|e| e.to_string())?;
        let (fans, around) = fans(&triangles, vertices.len());
        let mut sheet = Self {
            triangles,
            fans,
            around,
            bends: vec![0],
            bent: Vec::new(),
            tree,
            solid,
        };
        sheet.find_bends();
        Ok(sheet)
    }

    /// The triangles around a vertex.
    fn fan(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.around[self.fans[v] as usize..self.fans[v + 1] as usize]
    }

    /// Lists for each triangle those that share a vertex with it and meet it at a small angle.
    fn find_bends(&mut self) {
        for (i, face) in self.triangles.iter().enumerate() {
            let mut bent: Vec<u32> = face
                .ids
                .iter()
                .flat_map(|&vertex| self.fan(vertex))
                .copied()
                .filter(|&other| {
                    let cosine = self.triangles[other as usize].normal.dot(face.normal).abs();
                    // Faces of one plane are never both nearest by their insides.
                    other as usize != i && cosine > BENT && cosine < 1.0 - 1e-12
                })
                .collect();
            bent.sort_unstable();
            bent.dedup();
            self.bent.extend(bent);
            self.bends.push(self.bent.len() as u32);
        }
    }

    /// The distance of a point from a triangle, m, and the unit vector from the triangle to the point; far away
    /// when another triangle speaks for this one.
    pub(in crate::grains) fn distance(&self, p: V3<f32>, part: u32) -> (f32, V3<f32>) {
        let nowhere = (NOT_HERE, V3::new(0.0, 0.0, 0.0));
        let index = part as usize;
        let Some(face) = self.triangles.get(index) else {
            return nowhere;
        };
        let p = Vec3::new(p.x, p.y, p.z).as_dvec3();
        let (nearest, on) = face.nearest(p);
        let away = p - on;
        let square = away.length_squared();
        let silent = match nearest {
            Part::Face => {
                let bends = self.bends[index] as usize..self.bends[index + 1] as usize;
                self.bent[bends].iter().any(|&other| {
                    let (part, on) = self.triangles[other as usize].nearest(p);
                    let theirs = (p - on).length_squared();
                    part == Part::Face && (theirs, other) < (square, index as u32)
                })
            }
            Part::Edge(k) => {
                let end = face.ids[(k + 1) % 3];
                self.fan(face.ids[k]).iter().any(|&other| {
                    self.triangles[other as usize].ids.contains(&end)
                        && self.speaks_first(other, index, square, p)
                })
            }
            Part::Vertex(k) => self
                .fan(face.ids[k])
                .iter()
                .any(|&other| self.speaks_first(other, index, square, p)),
        };
        if silent {
            return nowhere;
        }
        let distance = square.sqrt();
        let n = if distance > 0.0 {
            away / distance
        } else {
            face.normal
        };
        let n = n.as_vec3();
        (distance as f32, V3::new(n.x, n.y, n.z))
    }

    /// Whether another triangle speaks for one whose nearest point, at a squared distance, they share.
    fn speaks_first(&self, other: u32, index: usize, square: f64, p: DVec3) -> bool {
        if other as usize == index {
            return false;
        }
        let (part, on) = self.triangles[other as usize].nearest(p);
        let theirs = (p - on).length_squared();
        part == Part::Face
            || theirs < square * (1.0 - EQUAL)
            || (theirs <= square * (1.0 + EQUAL) && (other as usize) < index)
    }

    /// Calls `visit` with every triangle whose bounds a ball may touch, in ascending order.
    pub(in crate::grains) fn near(&self, ball: [f32; 4], level: Level, found: &mut Vec<u32>) {
        let [x, y, z, r] = ball;
        let centre = Vec3::new(x, y, z);
        found.clear();
        // Whatever the ball, the box is valid or has no triangle in it.
        let _ = self.tree.overlaps(
            &Aabb::new(centre - r, centre + r),
            Precision::Bounds,
            level,
            |id| {
                found.push(id);
                ControlFlow::Continue(())
            },
        );
        found.sort_unstable();
    }

    /// The least distance of a point from a triangle, m, whoever speaks for it.
    pub(in crate::grains) fn plain_distance(&self, p: Vec3, part: u32) -> f32 {
        let p = p.as_dvec3();
        (p - self.triangles[part as usize].nearest(p).1).length() as f32
    }

    /// The distance of a point from the nearest triangle not farther than a reach, m; negative inside a
    /// solid.
    ///
    /// The side is told by the sum of the normals of the faces around the nearest point, weighted by their
    /// angles (J. A. Bærentzen and H. Aanæs, "Signed distance computation using the angle weighted
    /// pseudonormal", IEEE TVCG 11, 2005).
    pub(super) fn signed_distance(&self, p: Vec3, reach: f32, level: Level) -> Option<f32> {
        let reach = if self.solid { f32::INFINITY } else { reach };
        let (Some(found), _) = self.tree.nearest(p, reach, level).ok()? else {
            return None;
        };
        if !self.solid {
            return Some(found.distance);
        }
        let face = &self.triangles[found.triangle as usize];
        let point = p.as_dvec3();
        let (part, on) = face.nearest(point);
        let normal = match part {
            Part::Face => face.normal,
            Part::Edge(k) => {
                let end = face.ids[(k + 1) % 3];
                self.fan(face.ids[k])
                    .iter()
                    .map(|&i| &self.triangles[i as usize])
                    .filter(|f| f.ids.contains(&end))
                    .map(|f| f.normal)
                    .sum()
            }
            Part::Vertex(k) => self
                .fan(face.ids[k])
                .iter()
                .map(|&i| &self.triangles[i as usize])
                .map(|f| f.normal * f.angle(face.ids[k]))
                .sum(),
        };
        let side = normal.dot(point - on);
        Some(if side < 0.0 {
            -found.distance
        } else {
            found.distance
        })
    }
}

impl Face {
    /// The nearest point of the triangle and the part on which it lies (C. Ericson, "Real-Time Collision
    /// Detection", 2005, section 5.1.5).
    fn nearest(&self, p: DVec3) -> (Part, DVec3) {
        let [a, b, c] = self.corners;
        let (ab, ac) = (b - a, c - a);
        let ap = p - a;
        let (d1, d2) = (ab.dot(ap), ac.dot(ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return (Part::Vertex(0), a);
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(bp), ac.dot(bp));
        if d3 >= 0.0 && d4 <= d3 {
            return (Part::Vertex(1), b);
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(cp), ac.dot(cp));
        if d6 >= 0.0 && d5 <= d6 {
            return (Part::Vertex(2), c);
        }
        let area = ab.cross(ac).length_squared();
        let edge = ON_EDGE * area;
        let vc = d1 * d4 - d3 * d2;
        if vc <= edge && d1 >= 0.0 && d3 <= 0.0 {
            return (Part::Edge(0), a + ab * (d1 / (d1 - d3)));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= edge && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
            let t = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            return (Part::Edge(1), b + (c - b) * t);
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= edge && d2 >= 0.0 && d6 <= 0.0 {
            return (Part::Edge(2), a + ac * (d2 / (d2 - d6)));
        }
        let inverse = 1.0 / (va + vb + vc);
        (Part::Face, a + ab * (vb * inverse) + ac * (vc * inverse))
    }

    /// The angle at a corner, rad.
    fn angle(&self, id: u32) -> f64 {
        let k = self.ids.iter().position(|&i| i == id).unwrap_or(0);
        let at = self.corners[k];
        let (u, v) = (
            self.corners[(k + 1) % 3] - at,
            self.corners[(k + 2) % 3] - at,
        );
        libm::atan2(u.cross(v).length(), u.dot(v))
    }
}

/// The first vertex at the place of each.
fn join(vertices: &[Vec3]) -> Result<Vec<u32>, String> {
    if vertices.len() >= u32::MAX as usize {
        return Err("more vertices than 32-bit indices can name".into());
    }
    let mut first = HashMap::with_capacity(vertices.len());
    vertices
        .iter()
        .enumerate()
        .map(|(i, v)| {
            if !v.is_finite() {
                return Err(format!("vertex {i} is not finite"));
            }
            // Adding zero makes both zeros the same.
            let key = (*v + Vec3::ZERO).to_array().map(f32::to_bits);
            Ok(*first.entry(key).or_insert(i as u32))
        })
        .collect()
}

/// Which triangles are around each vertex, as ranges of a list.
fn fans(triangles: &[Face], vertices: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0_u32; vertices + 2];
    for face in triangles {
        for &id in &face.ids {
            starts[id as usize + 2] += 1;
        }
    }
    for v in 2..starts.len() {
        starts[v] += starts[v - 1];
    }
    let mut around = vec![0; 3 * triangles.len()];
    for (i, face) in triangles.iter().enumerate() {
        for &id in &face.ids {
            let at = &mut starts[id as usize + 1];
            around[*at as usize] = i as u32;
            *at += 1;
        }
    }
    starts.truncate(vertices + 1);
    (starts, around)
}

/// Whether triangles are the surface of a body: every edge is shared by two that run along it in opposite directions, and
/// the volume is positive.
fn check_closed(triangles: &[Face]) -> Result<(), String> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    let mut volume = 0.0;
    for (i, face) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (from, to) = (face.ids[k], face.ids[(k + 1) % 3]);
            edges.push((from.min(to), from.max(to), from < to, i));
        }
        let [a, b, c] = face.corners;
        let origin = triangles[0].corners[0];
        volume += (a - origin).dot((b - origin).cross(c - origin));
    }
    edges.sort_unstable();
    for shared in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (from, to, _, triangle) = shared[0];
        let what = match shared.len().cmp(&2) {
            Ordering::Less => "has nothing on its other side",
            Ordering::Greater => "is shared by more than two triangles",
            Ordering::Equal if shared[0].2 == shared[1].2 => {
                "is shared by two triangles that face opposite ways"
            }
            Ordering::Equal => continue,
        };
        return Err(format!(
            "the solid is not closed: the edge from vertex {from} to {to} of triangle {triangle} {what}"
        ));
    }
    if volume > 0.0 || triangles.is_empty() {
        Ok(())
    } else {
        Err("the triangles of the solid face inwards".into())
    }
}
