//! Bodies that rest together sleep together.

use jostle_geom::Manifold;

use super::bodies::Body;
use super::tolerances::{SLEEP_AFTER, SLEEP_SPEED};

/// Which bodies are linked by contacts, through bodies that contacts can move.
#[derive(Debug, Default)]
pub(super) struct Islands {
    /// A forest: each body's parent.
    parents: Vec<u32>,
    /// By root: whether nobody of the island has to stay awake.
    quiet: Vec<bool>,
}

/// The contacts that link two bodies, by index.
fn links<'a>(
    bodies: &'a [Body],
    manifolds: &'a [Manifold],
) -> impl Iterator<Item = [usize; 2]> + 'a {
    manifolds.iter().filter_map(|manifold| {
        let [a, b] = [manifold.a, manifold.b].map(|i| i as usize);
        let there = a < bodies.len() && b < bodies.len();
        (there && manifold.points.iter().any(|p| p.active)).then_some([a, b])
    })
}

impl Islands {
    /// Finds the islands. O((bodies + contacts) α(bodies)).
    fn find(&mut self, bodies: &[Body], manifolds: &[Manifold]) {
        self.parents.clear();
        self.parents.extend(0..bodies.len() as u32);
        for [a, b] in links(bodies, manifolds) {
            if bodies[a].dynamic() && bodies[b].dynamic() {
                let (a, b) = (self.root(a), self.root(b));
                // The smaller index is the root: islands do not depend on the order of contacts.
                self.parents[a.max(b)] = a.min(b) as u32;
            }
        }
    }

    fn root(&mut self, mut i: usize) -> usize {
        while self.parents[i] as usize != i {
            let above = self.parents[self.parents[i] as usize];
            self.parents[i] = above;
            i = above as usize;
        }
        i
    }

    /// Ages the rest of bodies by a frame, and sends islands to sleep in which all have rested long enough.
    pub(super) fn settle(&mut self, bodies: &mut [Body], manifolds: &[Manifold], frame: f64) {
        for body in bodies.iter_mut().filter(|body| body.dynamic()) {
            let slow = body.velocity.length() < SLEEP_SPEED
                && body.angular_velocity.length() * body.radius < SLEEP_SPEED;
            body.still = if slow { body.still + frame } else { 0.0 };
        }
        if !bodies
            .iter()
            .any(|body| body.awake() && body.still >= SLEEP_AFTER)
        {
            return;
        }
        self.find(bodies, manifolds);
        self.quiet.clear();
        self.quiet.resize(bodies.len(), true);
        for (i, body) in bodies.iter().enumerate() {
            if body.awake() && body.still < SLEEP_AFTER {
                let root = self.root(i);
                self.quiet[root] = false;
            }
        }
        for [a, b] in links(bodies, manifolds) {
            // What moves by itself keeps awake what it touches.
            for [mover, other] in [[a, b], [b, a]] {
                if bodies[mover].travels() && bodies[other].dynamic() {
                    let root = self.root(other);
                    self.quiet[root] = false;
                }
            }
        }
        for (i, body) in bodies.iter_mut().enumerate() {
            if body.awake() {
                let root = self.root(i);
                if self.quiet[root] {
                    body.asleep = true;
                    body.velocity = glam::DVec3::ZERO;
                    body.angular_velocity = glam::DVec3::ZERO;
                }
            }
        }
    }

    /// Wakes the islands that something awake touches.
    pub(super) fn disturb(&mut self, bodies: &mut [Body], manifolds: &[Manifold]) {
        let stirs = |body: &Body| body.awake() || body.travels();
        let disturbed = links(bodies, manifolds).any(|[a, b]| {
            (bodies[a].asleep && stirs(&bodies[b])) || (bodies[b].asleep && stirs(&bodies[a]))
        });
        if !disturbed {
            return;
        }
        self.find(bodies, manifolds);
        // Contacts with what moves by itself link nothing: they are looked at one by one.
        self.quiet.clear();
        self.quiet.resize(bodies.len(), true);
        for (i, body) in bodies.iter().enumerate() {
            if body.awake() {
                let root = self.root(i);
                self.quiet[root] = false;
            }
        }
        for [a, b] in links(bodies, manifolds) {
            for [mover, other] in [[a, b], [b, a]] {
                if bodies[mover].travels() && bodies[other].asleep {
                    let root = self.root(other);
                    self.quiet[root] = false;
                }
            }
        }
        for (i, body) in bodies.iter_mut().enumerate() {
            if body.asleep {
                let root = self.root(i);
                if !self.quiet[root] {
                    body.wake();
                }
            }
        }
    }

    /// Wakes a body, its island and the islands of all that touch it.
    pub(super) fn wake(&mut self, bodies: &mut [Body], manifolds: &[Manifold], body: usize) {
        self.find(bodies, manifolds);
        let mut roots = vec![self.root(body)];
        for [a, b] in links(bodies, manifolds) {
            if a == body {
                roots.push(self.root(b));
            } else if b == body {
                roots.push(self.root(a));
            }
        }
        roots.sort_unstable();
        for (i, body) in bodies.iter_mut().enumerate() {
            let root = self.root(i);
            if body.dynamic() && roots.binary_search(&root).is_ok() {
                body.wake();
            }
        }
    }
}
