//! The public data set: every file reads, with the counts that are known.

use std::path::{Path, PathBuf};

use jostle_ccd::Query;
use jostle_geom::{Element, Mesh, PairKind};
use jostle_io::{queries, read_mesh, truth};
use jostle_testkit::data_dir;

fn data() -> Option<PathBuf> {
    let data = data_dir();
    if data.is_none() {
        eprintln!("skipped: no data set");
    }
    data
}

#[test]
fn meshes_have_the_known_counts() {
    let Some(data) = data() else { return };
    for (file, vertices, faces) in [
        ("cow", 2903, 5804),
        ("fandisk", 6475, 12946),
        ("rocker-arm", 10044, 20088),
        ("spot", 2930, 5856),
        ("stanford-bunny", 35947, 69451),
        ("teapot", 3644, 6320),
    ] {
        let mesh = read_mesh(data.join("meshes").join(file).with_extension("obj")).unwrap();
        let counts = (mesh.positions.len(), mesh.topology.faces().len());
        assert_eq!(counts, (vertices, faces), "{file}");
    }
}

struct Scene {
    folder: &'static str,
    frames: [&'static str; 2],
    counts: [usize; 3],
    step: &'static str,
}

const SCENES: [Scene; 3] = [
    Scene {
        folder: "cloth-ball",
        frames: ["cloth_ball92.ply", "cloth_ball93.ply"],
        counts: [46598, 138825, 92230],
        step: "92",
    },
    Scene {
        folder: "cloth-funnel",
        frames: ["227.ply", "228.ply"],
        counts: [9450, 27930, 18484],
        step: "227",
    },
    Scene {
        folder: "n-body-simulation",
        frames: ["balls16_18.ply", "balls16_19.ply"],
        counts: [73960, 219840, 146480],
        step: "18",
    },
];

impl Scene {
    fn frames(&self, data: &Path) -> [Mesh; 2] {
        self.frames.map(|frame| {
            let mesh = read_mesh(self.path(data, "frames", frame)).unwrap();
            let topology = &mesh.topology;
            let (edges, faces) = (topology.edges().len(), topology.faces().len());
            assert_eq!([mesh.positions.len(), edges, faces], self.counts, "{frame}");
            mesh
        })
    }

    fn path(&self, data: &Path, part: &str, file: &str) -> PathBuf {
        let scene = data.join("ccd-scenes").join(self.folder);
        scene.join(part).join(file)
    }
}

/// The query that a pair of boxes stands for.
fn query([start, end]: &[Mesh; 2], kind: PairKind, boxes: [u32; 2]) -> Query {
    let topology = &start.topology;
    let vertices: Vec<u32> = boxes
        .iter()
        .flat_map(|&id| {
            let Element { kind, index } = topology.element(id).unwrap();
            let index = index as usize;
            match kind {
                jostle_geom::ElementKind::Vertex => vec![id],
                jostle_geom::ElementKind::Edge => topology.edges()[index].to_vec(),
                jostle_geom::ElementKind::Face => topology.faces()[index].to_vec(),
            }
        })
        .collect();
    let vertices: [u32; 4] = vertices.try_into().unwrap();
    Query {
        kind,
        t0: vertices.map(|v| start.positions[v as usize]),
        t1: vertices.map(|v| end.positions[v as usize]),
    }
}

#[test]
fn scenes_agree_with_their_right_answers() {
    let Some(data) = data() else { return };
    let mut compared = 0;
    for scene in SCENES {
        let frames = scene.frames(&data);
        for kind in [PairKind::VertexFace, PairKind::EdgeEdge] {
            let name = format!("{}{kind}", scene.step);
            let path = |part, end| scene.path(&data, part, &format!("{name}{end}"));
            let pairs = truth::read_pairs(path("boxes", ".json")).unwrap();
            let flags = truth::read_flags(path("mma_bool", "_mma_bool.json")).unwrap();
            let times = truth::read_times(path("toi", ".csv")).unwrap();
            assert_eq!((flags.len(), times.len()), (pairs.len(), pairs.len()));
            for (i, row) in times.iter().enumerate() {
                assert_eq!((row.query_index, row.boxes), (i, pairs[i]));
                assert_eq!(row.toi.is_some(), flags[i]);
                if let Some(toi) = &row.toi {
                    assert!((0.0..=1.0).contains(&toi.below));
                    assert!(toi.above == toi.below || toi.above == toi.below.next_up());
                }
            }
            let file = path("queries", ".csv");
            if file.exists() {
                assert_eq!(queries::kind_from_path(&file), Some(kind));
                let queries = queries::read(file, None).unwrap();
                // One of the files lacks its last query.
                assert!(pairs.len() - queries.len() <= 1);
                for (found, &boxes) in queries.iter().zip(&pairs) {
                    assert_eq!(found.query, query(&frames, kind, boxes));
                    assert_eq!(found.collides, None);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 9000);
}

#[test]
fn every_query_file_reads() {
    let Some(data) = data() else { return };
    let (mut files, mut count) = (0, 0);
    for set in std::fs::read_dir(data.join("ccd-queries")).unwrap() {
        let set = set.unwrap().path();
        for kind in ["edge-edge", "vertex-face"] {
            let Ok(folder) = std::fs::read_dir(set.join(kind)) else {
                continue;
            };
            for file in folder {
                let file = file.unwrap().path();
                let read = queries::read(&file, None).unwrap();
                let expected = queries::kind_from_path(Path::new(kind)).unwrap();
                assert!(
                    read.iter()
                        .all(|q| q.query.kind == expected && q.collides.is_some())
                );
                files += 1;
                count += read.len();
            }
        }
    }
    assert!(files >= 26, "{files} files");
    println!("{count} queries in {files} files");
}
