//! The collision cases other engines got wrong: `testkit/corpus/ccd/<ID>.json`.
//!
//! A file is one case: `story` says what went wrong elsewhere, `queries` are pairs of primitives
//! and `steps` are moving meshes, each with what is expected of the right answer.

use std::path::Path;

use glam::DVec3;
use jostle_ccd::Query;
use jostle_geom::{PairKind, Topology};
use serde_json::Value;

/// A case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What went wrong elsewhere.
    pub story: String,
    /// Pairs of primitives.
    pub queries: Vec<CaseQuery>,
    /// Moving meshes.
    pub steps: Vec<CaseStep>,
}

/// A pair of primitives and what is expected of it.
#[derive(Clone, Debug)]
pub struct CaseQuery {
    /// The pair.
    pub query: Query,
    /// Distance that counts as contact, metres.
    pub min_separation: f64,
    /// The right answer.
    pub expect: Expect,
}

/// A moving mesh and what is expected of it.
#[derive(Clone, Debug)]
pub struct CaseStep {
    /// Faces and edges.
    pub topology: Topology,
    /// Positions at t = 0.
    pub t0: Vec<DVec3>,
    /// Positions at t = 1.
    pub t1: Vec<DVec3>,
    /// The right answer.
    pub expect: Expect,
}

/// A right answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expect {
    /// The exact first time of contact to within `tolerance`, or `None` when there is none.
    pub toi: Option<f64>,
    /// How well `toi` is known; an answer may be later than it by no more.
    pub tolerance: f64,
    /// An answer earlier than this is useless to a solver.
    pub at_least: f64,
}

/// Reads a case. It panics on a file that is missing or not as above: the corpus is part of the
/// tests.
///
/// # Panics
/// See above.
pub fn ccd_case(id: &str) -> Case {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("corpus/ccd/{id}.json"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|e| panic!("cannot read {}: {e}", path.display()));
    let value: Value =
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    case(&value).unwrap_or_else(|| panic!("{} is not a case", path.display()))
}

fn case(value: &Value) -> Option<Case> {
    let list = |key: &str| value.get(key).and_then(Value::as_array).cloned();
    let queries = list("queries").unwrap_or_default();
    let steps = list("steps").unwrap_or_default();
    Some(Case {
        story: value.get("story")?.as_str()?.to_owned(),
        queries: queries.iter().map(query).collect::<Option<_>>()?,
        steps: steps.iter().map(step).collect::<Option<_>>()?,
    })
}

fn query(value: &Value) -> Option<CaseQuery> {
    let kind = match value.get("kind")?.as_str()? {
        "vf" => PairKind::VertexFace,
        "ee" => PairKind::EdgeEdge,
        _ => return None,
    };
    let four = |key: &str| -> Option<[DVec3; 4]> { points(value.get(key)?)?.try_into().ok() };
    Some(CaseQuery {
        query: Query {
            kind,
            t0: four("t0")?,
            t1: four("t1")?,
        },
        min_separation: value
            .get("min_separation")
            .map_or(Some(0.0), Value::as_f64)?,
        expect: expect(value)?,
    })
}

fn step(value: &Value) -> Option<CaseStep> {
    let t0 = points(value.get("t0")?)?;
    let t1 = points(value.get("t1")?)?;
    let faces = value.get("faces")?.as_array()?.iter().map(|face| {
        let corners: Vec<u32> = face
            .as_array()?
            .iter()
            .map(|i| Some(i.as_u64()? as u32))
            .collect::<Option<_>>()?;
        corners.try_into().ok()
    });
    let topology = Topology::new(t0.len(), faces.collect::<Option<_>>()?, &[]).ok()?;
    (t0.len() == t1.len()).then_some(())?;
    Some(CaseStep {
        topology,
        t0,
        t1,
        expect: expect(value)?,
    })
}

fn points(value: &Value) -> Option<Vec<DVec3>> {
    value
        .as_array()?
        .iter()
        .map(|p| {
            let c: Vec<f64> = p
                .as_array()?
                .iter()
                .map(Value::as_f64)
                .collect::<Option<_>>()?;
            Some(DVec3::from_array(c.try_into().ok()?))
        })
        .collect()
}

fn expect(value: &Value) -> Option<Expect> {
    let number = |key: &str| value.get(key).map_or(Some(0.0), Value::as_f64);
    Some(Expect {
        toi: match value.get("toi")? {
            Value::Null => None,
            toi => Some(toi.as_f64()?),
        },
        tolerance: number("tolerance")?,
        at_least: number("at_least")?,
    })
}
