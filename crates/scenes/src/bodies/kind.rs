//! The scenes of bodies by name.

use core::fmt;
use core::str::FromStr;

use jostle_geom::Mesh;

use super::piles::Crosswise;
use super::{
    BodyScene, BodySceneError, colosseum, forms, funnel, gears, maiden, piles, stacks, wheel,
};
use crate::UnknownScene;
use crate::scene::at_least;

/// The scenes of bodies by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BodySceneKind {
    /// Pyramids of boxes.
    BoxStack,
    /// Towers of gears.
    GearStack,
    /// Planks that fall.
    FallingBoxes,
    /// Bent planks that fall.
    Bend,
    /// Twisted planks that fall.
    Twist,
    /// Planks with bumps that fall.
    Displace,
    /// A pile of chairs.
    Chairs,
    /// A wheel with spikes that rolls into pins.
    SpikyWheel,
    /// Cows that fall onto spikes.
    CowsOnSpikes,
    /// A pile of bunnies.
    BunnyPile,
    /// Bunnies between walls of spikes that close.
    IronMaiden,
    /// Gears that mesh.
    SpinningGears,
    /// A pile of every primitive.
    Primitives,
    /// Rings of boxes.
    Colosseum,
    /// Bodies that fall through a funnel.
    Funnel,
}

impl BodySceneKind {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::BoxStack,
        Self::GearStack,
        Self::FallingBoxes,
        Self::Bend,
        Self::Twist,
        Self::Displace,
        Self::Chairs,
        Self::SpikyWheel,
        Self::CowsOnSpikes,
        Self::BunnyPile,
        Self::IronMaiden,
        Self::SpinningGears,
        Self::Primitives,
        Self::Colosseum,
        Self::Funnel,
    ];

    /// The name used on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BoxStack => "box-stack",
            Self::GearStack => "gear-stack",
            Self::FallingBoxes => "falling-boxes",
            Self::Bend => "bend",
            Self::Twist => "twist",
            Self::Displace => "displace",
            Self::Chairs => "chairs",
            Self::SpikyWheel => "spiky-wheel",
            Self::CowsOnSpikes => "cows-on-spikes",
            Self::BunnyPile => "bunny-pile",
            Self::IronMaiden => "iron-maiden",
            Self::SpinningGears => "spinning-gears",
            Self::Primitives => "primitives",
            Self::Colosseum => "colosseum",
            Self::Funnel => "funnel",
        }
    }

    /// One line about it.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::BoxStack => "pyramids of boxes at rest",
            Self::GearStack => "towers of ten gears",
            Self::FallingBoxes => "planks that fall into a heap",
            Self::Bend => "bent planks that fall crosswise and catch in each other",
            Self::Twist => "twisted planks that fall into a heap",
            Self::Displace => "planks with bumps that fall crosswise",
            Self::Chairs => "chairs, or a mesh, that fall into a heap and catch in each other",
            Self::SpikyWheel => "a wheel with spikes that rolls into pins",
            Self::CowsOnSpikes => "cows, or a mesh, that fall onto plates of spikes",
            Self::BunnyPile => "bunnies, or a mesh, that fall into a heap",
            Self::IronMaiden => "bunnies, or a mesh, between walls of spikes that close",
            Self::SpinningGears => "gears that mesh, driven by one of them",
            Self::Primitives => {
                "boxes, balls, capsules, cylinders, cones and tori that fall into a heap"
            }
            Self::Colosseum => "rings of boxes, each higher than the one inside it",
            Self::Funnel => "cylinders, or a mesh, that fall through a funnel into a bin",
        }
    }

    /// How many bodies it has by default: all of them, the ground and other fixed ones too.
    pub const fn default_bodies(self) -> usize {
        match self {
            Self::BoxStack | Self::IronMaiden => 29,
            Self::GearStack => 11,
            Self::FallingBoxes | Self::Bend | Self::Twist | Self::Displace => 13,
            Self::Chairs | Self::BunnyPile => 28,
            Self::SpikyWheel => 12,
            Self::CowsOnSpikes => 20,
            Self::SpinningGears => 18,
            Self::Primitives => 49,
            Self::Colosseum => 8_819 + 1,
            Self::Funnel => 16_000 + funnel::FIXED,
        }
    }

    /// How many bodies it has at least.
    pub const fn least_bodies(self) -> usize {
        match self {
            Self::CowsOnSpikes => 3,
            Self::IronMaiden => 6,
            Self::SpinningGears => 4,
            Self::Funnel => funnel::FIXED + 1,
            _ => 2,
        }
    }

    /// Whether a mesh can take the place of its own.
    pub const fn takes_mesh(self) -> bool {
        matches!(
            self,
            Self::GearStack
                | Self::Chairs
                | Self::CowsOnSpikes
                | Self::BunnyPile
                | Self::IronMaiden
                | Self::Funnel
        )
    }

    /// The scene with so many bodies, the ground and other fixed ones counted. A mesh takes the place of the one that
    /// the scene has; it is scaled to unit size.
    ///
    /// # Errors
    /// Too few bodies, a mesh without size, a mesh for a scene that takes none.
    pub fn with_bodies(
        self,
        bodies: usize,
        seed: u64,
        mesh: Option<&Mesh>,
    ) -> Result<BodyScene, BodySceneError> {
        at_least("bodies", bodies, self.least_bodies())?;
        if mesh.is_some() && !self.takes_mesh() {
            return Err(BodySceneError::NoMesh { scene: self.name() });
        }
        match self {
            Self::BoxStack => stacks::boxes(bodies, seed),
            Self::GearStack => stacks::gears(bodies, seed, mesh),
            Self::FallingBoxes => piles::planks(bodies, seed, forms::plank()?),
            Self::Bend => Crosswise::BENT.scene(bodies, seed, forms::bent_plank()?),
            Self::Twist => piles::planks(bodies, seed, forms::twisted_plank()?),
            Self::Displace => Crosswise::BUMPY.scene(bodies, seed, forms::displaced_plank()?),
            Self::Chairs => piles::chairs(bodies, seed, mesh),
            Self::SpikyWheel => wheel::lanes(bodies, seed),
            Self::CowsOnSpikes => piles::cows(bodies, seed, mesh),
            Self::BunnyPile => piles::bunnies(bodies, seed, mesh),
            Self::IronMaiden => maiden::maiden(bodies, seed, mesh),
            Self::SpinningGears => gears::train(bodies, seed),
            Self::Primitives => piles::primitives(bodies, seed),
            Self::Colosseum => colosseum::colosseum(bodies, seed),
            Self::Funnel => funnel::funnel(bodies, seed, mesh),
        }
    }
}

impl fmt::Display for BodySceneKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BodySceneKind {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownScene(name.to_owned()))
    }
}
