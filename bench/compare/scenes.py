"""The public steps that the comparison runs on: where they are, how to read them, what is true.

Only NumPy is needed. Meshes keep the precision of their files (`float` or `double`), as `float64`.
"""

import csv
import json
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]

# Frames of each scene, and the number that its truth files are named after.
FRAMES = {
    "cloth-ball": ("cloth_ball92.ply", "cloth_ball93.ply", "92"),
    "cloth-funnel": ("227.ply", "228.ply", "227"),
    "n-body-simulation": ("balls16_18.ply", "balls16_19.ply", "18"),
}

PLY_TYPES = {
    "char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
    "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2",
    "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}


def data_dir():
    """`JOSTLE_DATA`, else `../shared/data` beside the workspace; `None` when neither exists."""
    for candidate in (os.environ.get("JOSTLE_DATA"), ROOT.parent / "shared" / "data"):
        if candidate and Path(candidate).is_dir():
            return Path(candidate)
    return None


def read_ply(path):
    """Positions (n by 3, float64) and triangles (m by 3, int32) of a binary PLY file."""
    data = Path(path).read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    header = [line.split() for line in data[:end].decode("ascii").splitlines()]
    order = ">" if header[1][1] == "binary_big_endian" else "<"
    elements = []
    for words in header:
        if words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])

    positions = triangles = None
    for name, count, properties in elements:
        fields = []
        for words in properties:
            if words[0] == "list":
                # Triangles only, so that a row has a fixed size; checked below.
                fields.append(("count", order + PLY_TYPES[words[1]]))
                fields.append(("index", order + PLY_TYPES[words[2]], 3))
            else:
                fields.append((words[1], order + PLY_TYPES[words[0]]))
        row = np.dtype(fields)
        table = np.frombuffer(data, row, count, end)
        end += count * row.itemsize
        if name == "vertex":
            positions = np.stack([table[axis] for axis in "xyz"], axis=1).astype(np.float64)
        elif name == "face":
            if not (table["count"] == 3).all():
                raise ValueError(f"{path}: a face is not a triangle")
            triangles = table["index"].astype(np.int32)
    # Column-major, as Eigen wants it: no copy at the border is timed.
    return np.asfortranarray(positions), np.asfortranarray(triangles)


@dataclass
class Scene:
    """One step: its two frames and the pairs known to collide."""

    name: str
    paths: tuple
    # Box-id pairs that the published method reported: every broad phase must contain them.
    listed: set
    # Exact time of impact of each colliding pair, as decimal numbers of 50 digits.
    impacts: dict

    @property
    def earliest(self):
        """The exact earliest time of impact of the step."""
        return min(self.impacts.values())


def load_scene(data, name):
    """Reads the truth of a scene; the frames are left to the programs that are measured."""
    folder = data / "ccd-scenes" / name
    first, second, number = FRAMES[name]
    listed, impacts = set(), {}
    for kind in ("vf", "ee"):
        with open(folder / "boxes" / f"{number}{kind}.json") as file:
            listed.update((min(a, b), max(a, b)) for a, b in json.load(file))
        with open(folder / "toi" / f"{number}{kind}.csv", newline="") as file:
            for row in csv.DictReader(file):
                if row["collides"] == "1":
                    a, b = int(row["box_a"]), int(row["box_b"])
                    impacts[min(a, b), max(a, b)] = Decimal(row["toi_decimal"])
    paths = (folder / "frames" / first, folder / "frames" / second)
    return Scene(name, paths, listed, impacts)


def sort_edges(edges):
    """Edges in the public numbering: (smaller, larger), by larger, then by smaller vertex."""
    edges = np.sort(edges, axis=1)
    return np.asfortranarray(edges[np.lexsort((edges[:, 0], edges[:, 1]))].astype(np.int32))


def read_pairs(path):
    """Box-id pairs of a `--pairs-out` file as one sorted array of 64-bit keys (a << 32 | b).

    Read in blocks: the largest scene has 32 million pairs, too many for Python lists.
    """
    blank = bytes.maketrans(b"[],\n", b"    ")
    keys, rest = [], b""
    with open(path, "rb") as file:
        while True:
            block = file.read(1 << 24)
            text = rest + block
            cut = len(text) if not block else text.rfind(b"]") + 1
            text, rest = text[:cut], text[cut:]
            numbers = np.array(text.translate(blank).split(), dtype=np.int64).reshape(-1, 2)
            numbers.sort(axis=1)
            keys.append((numbers[:, 0] << 32) | numbers[:, 1])
            if not block:
                break
    keys = np.concatenate(keys)
    keys.sort()
    return keys


def missing_pairs(listed, keys):
    """How many of the listed pairs are not among the keys of `read_pairs`."""
    wanted = np.array(sorted((a << 32) | b for a, b in listed), dtype=np.int64)
    if len(keys) == 0:
        return len(wanted)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return int((keys[at] != wanted).sum())
