//! Voxel fields as bytes: back the same, and nothing else is believed.

mod meshes;

use jostle_geom::{Fnv, Rng};
use jostle_sdf::voxel::{BakeOptions, VoxelField, VoxelFileError};
use meshes::{ball, open_box};

fn field() -> VoxelField {
    let options = BakeOptions {
        resolution: 24,
        ..BakeOptions::default()
    };
    VoxelField::bake(&open_box(), &options, &|_| ())
        .unwrap()
        .field
}

/// With the hash that the bytes should have.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let mut hash = Fnv::default();
    hash.eat(&bytes[..end]);
    bytes[end..].copy_from_slice(&hash.value().to_le_bytes());
    bytes
}

#[test]
fn a_field_comes_back_the_same() {
    for field in [field(), {
        let options = BakeOptions::default();
        VoxelField::bake(&ball(10), &options, &|_| ())
            .unwrap()
            .field
    }] {
        let bytes = field.to_bytes();
        assert_eq!(bytes[..8], *b"JOSTLEVF");
        assert_eq!(VoxelField::from_bytes(&bytes), Ok(field));
    }
}

#[test]
fn every_length_but_the_right_one_is_refused() {
    let bytes = field().to_bytes();
    for length in (0..200).chain(bytes.len() - 200..bytes.len()) {
        assert!(
            VoxelField::from_bytes(&bytes[..length]).is_err(),
            "{length}"
        );
    }
    let mut long = bytes.clone();
    long.push(0);
    assert!(matches!(
        VoxelField::from_bytes(&long),
        Err(VoxelFileError::Length { .. })
    ));
    assert_eq!(VoxelField::from_bytes(&[]), Err(VoxelFileError::Magic));
    assert!(matches!(
        VoxelField::from_bytes(b"JOSTLEVF"),
        Err(VoxelFileError::Length { .. })
    ));
}

#[test]
fn every_changed_byte_is_noticed() {
    let bytes = field().to_bytes();
    let mut rng = Rng::new(1, 0);
    let places: Vec<_> = (0..100)
        .chain((0..300).map(|_| rng.index(bytes.len())))
        .collect();
    for place in places {
        let mut changed = bytes.clone();
        changed[place] ^= 1 << rng.index(8);
        assert!(VoxelField::from_bytes(&changed).is_err(), "byte {place}");
    }
}

#[test]
fn faults_under_a_right_checksum_are_named_and_never_panic() {
    let bytes = field().to_bytes();
    let with = |at: usize, new: &[u8]| {
        let mut changed = bytes.clone();
        changed[at..at + new.len()].copy_from_slice(new);
        VoxelField::from_bytes(&sealed(changed))
    };
    assert_eq!(
        with(8, &9_u32.to_le_bytes()),
        Err(VoxelFileError::Version { version: 9 })
    );
    for (at, new, words) in [
        (12, 0_u32.to_le_bytes(), "byte 12: the number of bricks"),
        (12, u32::MAX.to_le_bytes(), "byte 12: the number of bricks"),
        (16, (1_u32 << 23).to_le_bytes(), "the number of bricks"),
        (24, 99_u32.to_le_bytes(), "byte 24: the exponent"),
        (28, 7_u32.to_le_bytes(), "byte 28: the side of a brick"),
        (32, f32::NAN.to_le_bytes(), "byte 32: the first node"),
        (44, f32::INFINITY.to_le_bytes(), "byte 44: the box"),
        (44, 1e9_f32.to_le_bytes(), "the box of the mesh"),
        (68, 0.0_f32.to_le_bytes(), "byte 68: the side of a cell"),
        (72, (-1.0_f32).to_le_bytes(), "byte 72: the unit"),
        (
            76,
            u32::MAX.to_le_bytes(),
            "bytes where the header announces",
        ),
        (84, [0; 4], "byte 76: the number of nodes"),
        (100, [0x80; 4], "brick 0"),
    ] {
        let error = with(at, &new).unwrap_err().to_string();
        assert!(error.contains(words), "{at}: {error}");
    }
    // Whatever else may be there is read without harm.
    let mut rng = Rng::new(2, 0);
    for _ in 0..300 {
        let mut changed = bytes.clone();
        for _ in 0..=rng.index(3) {
            let header = rng.index(2) == 0;
            let place = 8 + rng.index(if header { 92 } else { bytes.len() - 16 });
            changed[place] = rng.next_u64() as u8;
        }
        if let Ok(read) = VoxelField::from_bytes(&sealed(changed)) {
            let sample = read.sample(rng.cube().as_vec3());
            assert!(sample.value.is_finite());
        }
    }
}
