#!/usr/bin/env python3
"""Jostle against ipctk on the public steps: whole step, broad phase, narrow phase, memory.

    pip install -r bench/compare/requirements.txt
    python3 bench/compare/ccd.py --json

prints one object {"rows": [...]}, one row for each work and peer, with medians of interleaved
repeats (ours, peer, ours, peer, ...). Answers are compared with the exact truth, and with each
other, before anything is timed; a wrong one ends the script with status 1. Without --json a table
goes to stdout. Progress goes to stderr.

Works, for each scene and number of threads:
  step-SCENE            boxes, candidates, earliest time of impact, both sides in a warm process
  step-cold-SCENE       the same, ours by the command line, in a fresh process each time
  broad-SCENE           all candidates, delivered to fresh memory
  broad-again-SCENE     the same, into the memory of the time before, as a simulation would
  broad-streamed-SCENE  all candidates, handed on in chunks (the peer has no such mode: its rows
                        are those of the delivery to memory)
  narrow-all-SCENE      a time of impact for every candidate, one thread
  memory-SCENE          peak resident bytes of the step above those after loading

narrow-all: from Python a single query of the peer costs more for the call than for the answer, so
its time is not measured here but scaled: the mean times a candidate of its C++ core (PEER_CORE_US)
were taken on a machine where its inclusion CCD needed 6,500 ms for cloth-ball with one thread; the
same call is timed now, and the ratio of the two is applied. Rows made so have "scaled": true.
"""

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from datetime import date
from decimal import Decimal
from pathlib import Path

from scenes import FRAMES, ROOT, data_dir, load_scene, missing_pairs, read_pairs

# Mean microseconds a candidate of the peer's C++ core, vertex-face and edge-edge, all candidates.
PEER_CORE_US = {
    "cloth-ball": (6.7, 7.2),
    "n-body-simulation": (0.66, 0.81),
    "cloth-funnel": (2.1, 41.0),
}
# What ipctk's step size with inclusion took for cloth-ball, one thread, on that machine.
PEER_CORE_REFERENCE_MS = 6500.0

WORKS = ("step", "broad", "narrow-all", "memory")
REPEATS = {"cloth-ball": 5, "cloth-funnel": 15, "n-body-simulation": 3}
# Methods that need many seconds are timed this often.
SLOW_REPEATS = 1


def log(text):
    print(text, file=sys.stderr, flush=True)


def fail(text):
    log(f"ccd.py: {text}")
    sys.exit(1)


class Ours:
    """The release binaries of this checkout."""

    def __init__(self, jostle, probe):
        self.jostle, self.probe = jostle, probe

    def ccd(self, scene, threads, *options):
        """`jostle ccd` on the step: the JSON object, and its only step."""
        command = [self.jostle, "ccd", *map(str, scene.paths), "--threads", str(threads), "--json"]
        done = subprocess.run([*command, *options], capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"{' '.join(command)}: {done.stderr.strip()}")
        answer = json.loads(done.stdout)
        return answer, answer["steps"][0]

    def open_probe(self, scene, threads):
        return Probe([self.probe, *map(str, scene.paths), str(threads)])


class Probe:
    """`broad_probe`, a process that holds one loaded step and times a broad phase on request."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, work):
        """Runs one work; its object {"ms", "vf", "ee"}."""
        self.process.stdin.write(work + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            fail(f"broad_probe ended at {work!r}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def interleave(repeats, ours, peer):
    """Medians of both, called in turn."""
    ours_ms, peer_ms = [], []
    for _ in range(repeats):
        ours_ms.append(ours())
        peer_ms.append(peer())
    return statistics.median(ours_ms), statistics.median(peer_ms)


class Comparison:
    """The rows found so far, and what they were measured with."""

    def __init__(self, ours, options):
        self.ours = ours
        self.options = options
        self.rows = []
        self.scale = None

    def add(self, work, threads, ours_ms, peer, peer_ms, **more):
        row = {
            "work": work, "threads": threads, "ours_ms": ours_ms, "peer": peer, "peer_ms": peer_ms,
            "ratio": peer_ms / ours_ms if ours_ms else None, **more,
        }
        self.rows.append(row)
        log(f"  {work} x{threads}: {ours_ms:.3f} ms, {peer} {peer_ms:.3f} ms, ratio {row['ratio']:.1f}")

    def repeats(self, scene):
        return self.options.repeats or REPEATS[scene.name]

    # -- answers, before anything is timed ------------------------------------------------------

    def check(self, scene, folder):
        """Recall of our candidates, our earliest time, and every time of impact of --all."""
        log(f"{scene.name}: checking answers")
        pairs, hits = Path(folder) / "pairs.json", Path(folder) / "hits.csv"
        _, step = self.ours.ccd(scene, 1, "--pairs-out", str(pairs))
        self.check_earliest(scene, step)
        missing = missing_pairs(scene.listed, read_pairs(pairs))
        if missing:
            fail(f"{scene.name}: {missing} of {len(scene.listed)} listed pairs are no candidates")

        self.ours.ccd(scene, 1, "--all", "--hits-out", str(hits))
        found, undecided, late, close = {}, 0, 0, 0
        with open(hits) as file:
            next(file)
            for line in file:
                _, _, a, b, toi, unsure = line.rstrip("\n").split(",")
                a, b = int(a), int(b)
                # Through the float: its exact value, not that of its shortest decimal form.
                found[min(a, b), max(a, b)] = Decimal(float(toi))
                undecided += unsure == "true"
        for pair, exact in scene.impacts.items():
            toi = found.get(pair)
            if toi is None:
                fail(f"{scene.name}: the colliding pair {pair} was missed")
            late += toi > exact
            close += exact - toi <= Decimal("1e-9")
        if late:
            fail(f"{scene.name}: {late} times of impact are later than the exact ones")
        answers = {
            "scene": scene.name, "colliding": len(scene.impacts), "false_negatives": 0,
            "false_positives": len(found) - len(scene.impacts), "undecided": undecided,
            "within_1e-9": close / len(scene.impacts),
        }
        log(f"  {answers}")
        return answers

    def check_earliest(self, scene, step):
        """Our earliest time is never later than the exact one, and is zero only where that is."""
        toi = Decimal(step["toi"]) if step["toi"] is not None else Decimal("Infinity")
        if toi > scene.earliest:
            fail(f"{scene.name}: toi {toi} is later than the exact {scene.earliest}")
        if toi == 0 and scene.earliest > 0:
            fail(f"{scene.name}: toi is 0, but the exact one is {scene.earliest}")

    # -- works ----------------------------------------------------------------------------------

    def step(self, scene, peer, threads):
        """Boxes, candidates and the earliest time, against both narrow phases of the peer."""
        from peer import NAME, NARROW_PHASES

        probe = self.ours.open_probe(scene, threads)

        def warm():
            step = probe.run("step")
            self.check_earliest(scene, step)
            return step["ms"], step["toi"]

        def cold():
            _, step = self.ours.ccd(scene, threads)
            self.check_earliest(scene, step)
            return step["time_ms"]["total"] - step["time_ms"]["load"], step["toi"]

        warm()
        for narrow, (name, run) in itertools.product(
            NARROW_PHASES, (("step", warm), ("step-cold", cold))
        ):
            last = {}

            def ours():
                ms, last["ours"] = run()
                return ms

            def theirs():
                broad_ms = peer.broad("LBVH")
                narrow_ms, last["peer"] = peer.narrow(narrow)
                last.setdefault("narrow", []).append(narrow_ms)
                return broad_ms + narrow_ms

            ours_ms, peer_ms = interleave(self.repeats(scene), ours, theirs)
            note = {"ours_toi": last["ours"], "peer_toi": last["peer"],
                    "exact_toi": float(scene.earliest),
                    "peer_narrow_ms": statistics.median(last["narrow"])}
            if scene.earliest == 0:
                note["note"] = "starts in contact: ours stops at the first pair that touches"
            self.add(f"{name}-{scene.name}", threads, ours_ms, f"{NAME} LBVH + {narrow}", peer_ms, **note)
        probe.close()

    def broad(self, scene, peer, threads):
        """Candidates delivered to memory, and handed on in chunks."""
        from peer import BROAD_PHASES, NAME

        probe = self.ours.open_probe(scene, threads)
        for method in BROAD_PHASES:
            slow = method != "LBVH"
            if slow and self.options.fastest_only:
                continue
            works = ("collect",) if slow else ("collect", "collect-again", "stream")
            for work in works:
                last = {}

                def ours():
                    last["ours"] = probe.run(work)
                    return last["ours"]["ms"]

                def theirs():
                    return peer.broad(method, again=work == "collect-again")

                repeats = SLOW_REPEATS if slow else self.repeats(scene)
                if not slow:
                    # Neither side starts cold.
                    ours()
                    theirs()
                ours_ms, peer_ms = interleave(repeats, ours, theirs)
                note = {"ours_candidates": last["ours"]["vf"] + last["ours"]["ee"],
                        "peer_candidates": len(peer.candidates)}
                if note["peer_candidates"] < 200_000:
                    note["peer_missing"] = missing_pairs(scene.listed, peer.pair_keys())
                name = {"collect": "broad", "collect-again": "broad-again",
                        "stream": "broad-streamed"}[work]
                self.add(f"{name}-{scene.name}", threads, ours_ms, f"{NAME} {method}", peer_ms, **note)
        probe.close()

    def machine_scale(self, data, peers):
        """How this machine, now, compares with that of PEER_CORE_US: below 1 is faster."""
        if self.scale is None:
            peer = peers(load_scene(data, "cloth-ball"), 1)
            peer.broad("LBVH")
            times = [peer.narrow("inclusion")[0] for _ in range(3)]
            self.scale = statistics.median(times) / PEER_CORE_REFERENCE_MS
            log(f"  machine scale: {self.scale:.3f} ({statistics.median(times):.0f} ms)")
        return self.scale

    def narrow_all(self, scene, data, peers):
        """A time of impact for every candidate, one thread, against the scaled C++ core."""
        from peer import NAME

        scale = self.machine_scale(data, peers)
        times, counts = [], None
        for _ in range(self.repeats(scene)):
            _, step = self.ours.ccd(scene, 1, "--all")
            times.append(step["time_ms"]["narrow"])
            counts = step["candidates"]
        vf_us, ee_us = PEER_CORE_US[scene.name]
        total = counts["vf"] + counts["ee"]
        peer_ms = (vf_us * counts["vf"] + ee_us * counts["ee"]) * scale * 1e-3
        ours_ms = statistics.median(times)
        self.add(
            f"narrow-all-{scene.name}", 1, ours_ms, f"{NAME} inclusion (C++ core, scaled)", peer_ms,
            candidates=total, ours_ns_a_candidate=ours_ms * 1e6 / total,
            peer_ns_a_candidate=peer_ms * 1e6 / total, scaled=True, scale=scale,
        )

    def memory(self, scene, threads):
        """Peak bytes of the step above those after loading, each in a fresh process."""
        from peer import NAME

        answer, step = self.ours.ccd(scene, threads)
        ours = max(answer["peak_rss_bytes"] - step["rss_after_load_bytes"], 0)
        command = [sys.executable, __file__, "--peer-memory", scene.name, "--threads", str(threads)]
        peer = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        row = {
            "work": f"memory-{scene.name}", "threads": threads, "ours_bytes": ours,
            "peer": f"{NAME} LBVH + inclusion", "peer_bytes": peer, "ratio": peer / max(ours, 1),
        }
        self.rows.append(row)
        log(f"  memory-{scene.name} x{threads}: {ours / 2**20:.0f} MiB, peer {peer / 2**20:.0f} MiB")


def machine():
    """What the numbers were measured on."""
    model = platform.processor()
    try:
        with open("/proc/cpuinfo") as file:
            model = next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return {"date": date.today().isoformat(), "cpu": model, "cores": os.cpu_count(),
            "load_before": os.getloadavg()[0]}


def table(rows):
    """The rows as Markdown, ready for a README."""
    lines = ["| work | threads | Jostle | peer | | ratio |", "|---|---|---|---|---|---|"]
    for row in rows:
        if "ours_bytes" in row:
            ours, peer = (f"{row[key] / 2**20:.0f} MiB" for key in ("ours_bytes", "peer_bytes"))
        elif "ours_ns_a_candidate" in row:
            ours, peer = (f"{row[key]:.0f} ns" for key in ("ours_ns_a_candidate", "peer_ns_a_candidate"))
        else:
            ours, peer = (f"{row[key]:.1f} ms" for key in ("ours_ms", "peer_ms"))
        lines.append(
            f"| `{row['work']}` | {row['threads']} | {ours} | {row['peer']} | {peer} | {row['ratio']:.1f} |"
        )
    return "\n".join(lines)


def parse():
    parser = argparse.ArgumentParser(description="Jostle against ipctk on public steps.")
    parser.add_argument("--jostle", help="the release binary; built when not given")
    parser.add_argument("--probe", help="the broad_probe binary; built when not given")
    parser.add_argument("--scenes", nargs="+", default=list(FRAMES), choices=list(FRAMES))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--works", nargs="+", default=list(WORKS), choices=WORKS)
    parser.add_argument("--repeats", type=int, help="instead of 5, 15 and 3 by scene")
    parser.add_argument("--fastest-only", action="store_true",
                        help="of the peer's broad phases, only the fastest (LBVH)")
    parser.add_argument("--no-check", action="store_true", help="skip the comparison with the truth")
    parser.add_argument("--json", action="store_true", help="one object on stdout, nothing else")
    parser.add_argument("--peer-memory", metavar="SCENE", help=argparse.SUPPRESS)
    return parser.parse_args()


def binaries(options):
    """Paths of the two programs, built unless both are given."""
    if not (options.jostle and options.probe):
        build = ["cargo", "build", "--release", "-p", "jostle-cli", "-p", "jostle-bench", "--bins"]
        subprocess.run(build, cwd=ROOT, check=True, stdout=sys.stderr)
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
    jostle = options.jostle or str(folder / "jostle")
    probe = options.probe or str(folder / "broad_probe")
    return Ours(jostle, probe)


def main():
    options = parse()
    data = data_dir()
    if data is None:
        fail("no data set: set JOSTLE_DATA")
    import peer as peers

    if options.peer_memory:
        scene = load_scene(data, options.peer_memory)
        print(peers.step_memory(scene, options.threads[0], "LBVH", "inclusion"))
        return

    about = machine()
    comparison = Comparison(binaries(options), options)
    answers = []
    for name in options.scenes:
        scene = load_scene(data, name)
        if not options.no_check:
            with tempfile.TemporaryDirectory() as folder:
                answers.append(comparison.check(scene, folder))
        for threads in options.threads:
            log(f"{name}, {threads} thread(s)")
            if "memory" in options.works:
                comparison.memory(scene, threads)
            peer = peers.Peer(scene, threads)
            if "broad" in options.works:
                comparison.broad(scene, peer, threads)
            if "step" in options.works:
                comparison.step(scene, peer, threads)
        if "narrow-all" in options.works:
            peer = None
            comparison.narrow_all(scene, data, peers.Peer)

    result = {"schema": "jostle.compare.ccd/1", "peer": peers.NAME, "machine": about,
              "scale": comparison.scale, "answers": answers, "rows": comparison.rows}
    print(json.dumps(result) if options.json else table(comparison.rows))


if __name__ == "__main__":
    main()
