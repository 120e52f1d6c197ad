//! The force between two things that touch.

use jostle_simd::lanes::{Real, V3};

/// Coefficients of the contact law, ready for the time step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Law {
    /// The time step, s.
    pub dt: f32,
    /// Normal stiffness, N/m.
    pub stiffness: f32,
    /// Normal damping divided by the root of the reduced mass, √kg/s.
    pub damping: f32,
    /// Stiffness and damping across the normal, as shares of those along it.
    pub across: f32,
    /// Coefficient of sliding friction.
    pub friction: f32,
    /// Coefficient of rolling resistance.
    pub rolling: f32,
}

/// Two things that touch, in lanes.
#[derive(Clone, Copy)]
pub(super) struct Contact<R: Real> {
    /// Where they touch; elsewhere the answer is zero.
    pub touching: R::Mask,
    /// Unit normal from the grain to the other.
    pub normal: V3<R>,
    /// Depth of the overlap, m.
    pub overlap: R,
    /// Inverse of the reduced mass, 1/kg.
    pub inverse_mass: R,
    /// Velocity of the grain's centre relative to that of the other, m/s.
    pub velocity: V3<R>,
    /// Sum of the surface velocities ω r of both, m/s.
    pub surface: V3<R>,
    /// What rolls: the difference of the angular velocities times the reduced radius, m/s.
    pub roll: V3<R>,
}

/// What a contact remembers: how far its springs across the normal are stretched, m.
#[derive(Clone, Copy)]
pub(super) struct Stretch<R> {
    pub slide: V3<R>,
    pub roll: V3<R>,
}

impl Stretch<f32> {
    /// Whether nothing is stretched.
    #[inline(always)]
    pub(super) fn is_none(&self) -> bool {
        let none = |v: V3<f32>| v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
        none(self.slide) && none(self.roll)
    }

    /// The same with the two exchanged. Rolling, a cross product of two vectors that turn around, stays.
    #[inline(always)]
    pub(super) fn turned(self) -> Self {
        let v = self.slide;
        Self {
            slide: V3::new(-v.x, -v.y, -v.z),
            roll: self.roll,
        }
    }
}

/// What a contact does to the first of two; the second one gets the opposite force.
#[derive(Clone, Copy)]
pub(super) struct Push<R> {
    /// Force, N.
    pub force: V3<R>,
    /// Moment of the friction about the centre over the radius, N; the same for both.
    pub moment: V3<R>,
    /// Moment that resists rolling over the reduced radius, N; opposite for both.
    pub roll: V3<R>,
}

impl Law {
    /// The push on a grain, and what the contact remembers afterwards.
    ///
    /// Without friction and damping it is that of a spring alone, with which leapfrog keeps energy but for ripples of
    /// the order of (ω dt)². Weighting the first and the last push of an impact by the part of the step in which
    /// they act would be exact for a lone pair, but damps a dense bed: by 4 % of its energy in two seconds at the longest
    /// step.
    ///
    /// Exchanging the two negates every vector and no scalar, bit for bit, so that both may compute it
    /// for themselves and momentum is conserved.
    #[inline(always)]
    pub(super) fn push<R: Real, const ROLL: bool>(
        &self,
        c: &Contact<R>,
        before: Stretch<R>,
    ) -> (Push<R>, Stretch<R>) {
        let zero = c.overlap.all(0.0);
        let n = c.normal;
        let damping = c.overlap.all(self.damping) / c.inverse_mass.root();
        let velocity = c.velocity + c.surface.cross(n);
        let closing = velocity.dot(n);
        let normal = (c.overlap * zero.all(self.stiffness) + closing * damping).positive();
        let normal = R::choose(c.touching, normal, zero);

        let across = velocity - n.times(closing);
        let damping = damping * zero.all(self.across);
        let limit = normal * zero.all(self.friction);
        // What does not touch has no limit to slip at whose square could vanish together with that of a tiny force.
        let holds = R::choose(c.touching, zero.all(1.0), zero);
        let (slide, stretched) = self.slider(holds, n, before.slide, across, damping, limit);
        let mut push = Push {
            force: V3::new(zero, zero, zero) - slide - n.times(normal),
            moment: slide.cross(n),
            roll: V3::new(zero, zero, zero),
        };
        let mut after = Stretch {
            slide: stretched,
            roll: before.roll,
        };
        if ROLL {
            let rate = n.cross(c.roll);
            let limit = normal * zero.all(self.rolling);
            let (roll, stretched) = self.slider(holds, n, before.roll, rate, damping, limit);
            push.roll = n.cross(roll);
            after.roll = stretched;
        }
        (push, after)
    }

    /// A spring and dashpot across the normal that slips at a limit: its force, and its stretch afterwards.
    ///
    /// `holds` is 1, or 0 where nothing touches. Slipping shortens force and stretch alike, so that the spring never stores more than the limit allows.
    #[inline(always)]
    fn slider<R: Real>(
        &self,
        holds: R,
        n: V3<R>,
        before: V3<R>,
        rate: V3<R>,
        damping: R,
        limit: R,
    ) -> (V3<R>, V3<R>) {
        let stretch = before + rate.times(limit.all(self.dt));
        let stretch = stretch - n.times(stretch.dot(n));
        let trial = stretch.times(limit.all(self.stiffness * self.across)) + rate.times(damping);
        let square = trial.dot(trial);
        let slips = (limit * limit).below(square);
        let share = R::choose(slips, limit / square.root(), holds);
        (trial.times(share), stretch.times(share))
    }
}
