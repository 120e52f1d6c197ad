//! What the kernels are measured against; not for use.

use crate::{Ray, ShearedRay, Sides, Triangle, TriangleHit};

/// The nearest hit by the twin, one triangle after the other.
#[inline(never)]
pub fn closest_aos(
    ray: &ShearedRay,
    triangles: &[Triangle],
    sides: Sides,
    t_max: f32,
) -> Option<(u32, TriangleHit)> {
    let mut best: Option<(u32, TriangleHit)> = None;
    for (id, triangle) in (0_u32..).zip(triangles) {
        if let Some(hit) = ray.hit(triangle, sides)
            && hit.t <= t_max
            && best.is_none_or(|(_, best)| hit.t < best.t)
        {
            best = Some((id, hit));
        }
    }
    best
}

/// The test of T. Möller and B. Trumbore, "Fast, minimum storage ray/triangle intersection", 1997,
/// left as soon as it is lost. Not watertight: rays may pass between neighbours.
#[inline(always)]
fn moller_trumbore(ray: &Ray, triangle: &Triangle) -> Option<f32> {
    let (edge, other) = (triangle.b - triangle.a, triangle.c - triangle.a);
    let p = ray.direction.cross(other);
    let area = edge.dot(p);
    if area == 0.0 {
        return None;
    }
    let inverse = 1.0 / area;
    let from = ray.origin - triangle.a;
    let u = from.dot(p) * inverse;
    if !(0.0..=1.0).contains(&u) {
        return None;
    }
    let q = from.cross(edge);
    let v = ray.direction.dot(q) * inverse;
    if v < 0.0 || u + v > 1.0 {
        return None;
    }
    let t = other.dot(q) * inverse;
    (t >= 0.0).then_some(t)
}

/// The nearest hit by the test of Möller and Trumbore over an array of structs, with early outs:
/// the scalar of the speed-up.
#[inline(never)]
pub fn moller_trumbore_aos(ray: &Ray, triangles: &[Triangle], t_max: f32) -> Option<(u32, f32)> {
    let mut best = None;
    let mut limit = t_max;
    for (id, triangle) in (0_u32..).zip(triangles) {
        if let Some(t) = moller_trumbore(ray, triangle)
            && t <= limit
        {
            limit = t;
            best = Some((id, t));
        }
    }
    best
}

/// The rays that hit a triangle by the test of Möller and Trumbore, one ray after the other.
#[inline(never)]
pub fn rays_moller_trumbore_aos(rays: &[Ray], triangle: &Triangle, out: &mut Vec<u32>) {
    out.clear();
    for (id, ray) in (0_u32..).zip(rays) {
        if moller_trumbore(ray, triangle).is_some() {
            out.push(id);
        }
    }
}

/// For which i ray i hits triangle i by the test of Möller and Trumbore, one after the other up to
/// the shorter slice.
#[inline(never)]
pub fn pairs_moller_trumbore_aos(rays: &[Ray], triangles: &[Triangle], out: &mut Vec<u32>) {
    out.clear();
    for (id, (ray, triangle)) in (0_u32..).zip(rays.iter().zip(triangles)) {
        if moller_trumbore(ray, triangle).is_some() {
            out.push(id);
        }
    }
}

/// The distances of all hits by the test of Möller and Trumbore without a branch over
/// coordinates by vertex and axis, infinite where there is none, for the compiler to vectorise.
/// Stops at the shortest slice.
#[inline(never)]
pub fn moller_trumbore_soa(ray: &Ray, vertices: &[[&[f32]; 3]; 3], out: &mut [f32]) {
    let shortest = vertices.as_flattened().iter().map(|column| column.len());
    let n = shortest.min().unwrap_or(0).min(out.len());
    let [a, b, c] = vertices;
    let (ax, ay, az) = (&a[0][..n], &a[1][..n], &a[2][..n]);
    let (bx, by, bz) = (&b[0][..n], &b[1][..n], &b[2][..n]);
    let (cx, cy, cz) = (&c[0][..n], &c[1][..n], &c[2][..n]);
    let (o, d) = (ray.origin, ray.direction);
    for (i, out) in out[..n].iter_mut().enumerate() {
        let (ex, ey, ez) = (bx[i] - ax[i], by[i] - ay[i], bz[i] - az[i]);
        let (fx, fy, fz) = (cx[i] - ax[i], cy[i] - ay[i], cz[i] - az[i]);
        let (px, py, pz) = (
            d.y * fz - d.z * fy,
            d.z * fx - d.x * fz,
            d.x * fy - d.y * fx,
        );
        let inverse = 1.0 / (ex * px + ey * py + ez * pz);
        let (sx, sy, sz) = (o.x - ax[i], o.y - ay[i], o.z - az[i]);
        let u = (sx * px + sy * py + sz * pz) * inverse;
        let (qx, qy, qz) = (sy * ez - sz * ey, sz * ex - sx * ez, sx * ey - sy * ex);
        let v = (d.x * qx + d.y * qy + d.z * qz) * inverse;
        let t = (fx * qx + fy * qy + fz * qz) * inverse;
        #[allow(
            clippy::needless_bitwise_bool,
            reason = "a branch would keep the loop from being vectorised"
        )]
        let met = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (t >= 0.0);
        *out = if met { t } else { f32::INFINITY };
    }
}
