"""The peer: ipctk, called so that nothing but its own work is inside the clock."""

import gc
import time

import ipctk
import numpy as np

from scenes import read_ply, sort_edges

NAME = f"ipctk {ipctk.__version__}"

# Every broad phase of the package but brute force. Newer versions renamed one of them.
BROAD_PHASES = [
    name for name in ("LBVH", "BVH", "SpatialHash", "HashGrid", "SweepAndPrune")
    if hasattr(ipctk, name)
]


def inclusion():
    """Tight-Inclusion with the package's defaults, spelled out."""
    return ipctk.TightInclusionCCD(tolerance=1e-6, max_iterations=10_000_000)


def additive():
    """Additive CCD with the package's defaults."""
    return ipctk.AdditiveCCD()


NARROW_PHASES = {"inclusion": inclusion, "additive": additive}


class Peer:
    """One loaded step."""

    def __init__(self, scene, threads):
        # n-body warns ten thousand times that it starts in contact.
        ipctk.set_logger_level(ipctk.LoggerLevel.off)
        ipctk.set_num_threads(threads)
        self.v0, faces = read_ply(scene.paths[0])
        self.v1, other = read_ply(scene.paths[1])
        if not np.array_equal(faces, other):
            raise ValueError(f"{scene.name}: the two frames have different faces")
        self.edges = sort_edges(ipctk.edges(faces))
        self.mesh = ipctk.CollisionMesh(self.v0, self.edges, faces)
        self.faces = faces
        self.candidates = None

    def broad(self, method, again=False):
        """Builds all candidates; returns milliseconds. `again` fills the object of the last run."""
        if not (again and self.candidates):
            # The memory of the last run is given back first, outside the clock.
            self.candidates = None
            gc.collect()
        candidates = self.candidates or ipctk.Candidates()
        phase = getattr(ipctk, method)()
        start = time.perf_counter()
        candidates.build(self.mesh, self.v0, self.v1, 0.0, phase)
        elapsed = time.perf_counter() - start
        self.candidates = candidates
        return elapsed * 1e3

    def narrow(self, method):
        """The largest collision-free step of the candidates at hand; milliseconds and the step."""
        solver = NARROW_PHASES[method]()
        start = time.perf_counter()
        step = self.candidates.compute_collision_free_stepsize(
            self.mesh, self.v0, self.v1, 0.0, solver
        )
        return (time.perf_counter() - start) * 1e3, step

    def pair_keys(self):
        """The candidates at hand as sorted 64-bit keys of box ids; slow, for small scenes only."""
        v, e = len(self.v0), len(self.edges)
        pairs = [(c.vertex_id, v + e + c.face_id) for c in self.candidates.fv_candidates]
        for c in self.candidates.ee_candidates:
            a, b = c.edge0_id, c.edge1_id
            pairs.append((v + min(a, b), v + max(a, b)))
        keys = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        keys = (keys[:, 0] << 32) | keys[:, 1]
        keys.sort()
        return keys


def status_bytes(key):
    """A field of /proc/self/status, in bytes."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    raise KeyError(key)


def step_memory(scene, threads, broad, narrow):
    """Peak bytes of one step above what the loaded mesh takes. Run it in a fresh process."""
    peer = Peer(scene, threads)
    gc.collect()
    # Forget the peak of the loading, so that only the step counts.
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    loaded = status_bytes("VmRSS")
    peer.broad(broad)
    peer.narrow(narrow)
    return status_bytes("VmHWM") - loaded
