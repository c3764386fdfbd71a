# SPDX-License-Identifier: BSD-3-Clause
"""What is run for the figures, and in which order. A step is one program that is started once; its
rows go to a part of the results. The steps of a round follow each other, and the rounds too, so
that a change of the machine's mood meets all versions alike."""
import dataclasses
import json
import pathlib
import tempfile
from typing import Callable

import instructions
import programs

LOCAL = "0,20,40,60,80,100"
PATTERNS = "all-to-all,random,hotspot4,hotspot16"
COSTS = ("primitives", "schemas", "objects")  # parts that say what this machine takes


@dataclasses.dataclass
class amounts:
    """How much is measured."""

    rounds: int = 3
    rounds_inside: int = 200  # of the tables
    rounds_of_objects: int = 20
    sends: int = 2000
    tau: tuple = (0.05, 0.1, 0.2, 0.5, 1, 5, 10, 50, 100, 500, 1000)
    pattern_tau: tuple = (1, 10, 100, 1000)
    # A thread is a hundred times as cheap here as on the T3D.
    t3d_tau: tuple = (10, 50, 100, 500, 1000, 5000)
    here_tau: tuple = (0.05, 0.1, 0.5, 1, 10, 100)
    simulated_ranks: int = 32
    simulated_senders: int = 64
    local: str = LOCAL
    sigma: str = "0,0.5,1"
    # Of computing on each rank, in one run of one version. Four ranks of two processors take longer
    # by far where receivers are not running, so that they get less.
    seconds: tuple = ((2, 0.05), (4, 0.02))
    ranks: tuple = (1, 2, 4)
    scene: tuple = ("--scene", "room")
    picture: tuple = ("--width", "800", "--height", "600")
    molecules: tuple = ("--steps", "20")
    # 128 ranks need more cells than lists of a cell's width have. The list is renewed once.
    simulated_molecules: tuple = (
        *("--cells-per-range", "2", "--minimise", "50", "--steps", "8"),
        *("--ranks", "8,16,32,64,128"),
    )


def quick():
    """A few seconds for all of it: enough for every figure to have something of everything."""
    return amounts(
        rounds=1,
        rounds_inside=2,
        rounds_of_objects=1,
        sends=20,
        tau=(1, 100),
        pattern_tau=(10,),
        t3d_tau=(10, 1000),
        here_tau=(0.1, 10),
        simulated_ranks=4,
        simulated_senders=4,
        local="0,100",
        sigma="0.5",
        seconds=((2, 0.001), (4, 0.001)),
        ranks=(1, 2),
        scene=("--scene", "box", "--area-eps", "20000", "--bf-eps", "0.05"),
        picture=("--width", "80", "--height", "60"),
        molecules=(
            *("--residues", "20", "--waters", "200", "--minimise", "5"),
            *("--cutoff", "0.5", "--list", "0.6", "--steps", "2"),
        ),
        simulated_molecules=(
            *("--residues", "20", "--waters", "200", "--minimise", "5"),
            *("--cutoff", "0.5", "--list", "0.6", "--steps", "2", "--ranks", "2,4"),
        ),
    )


@dataclasses.dataclass
class step:
    part: str
    name: str  # within the part
    number: int  # of the round
    run: Callable[[], list]  # returns rows, or raises programs.failed
    optional: bool = False  # the page says why it is not there

    def key(self):
        return f"{self.number}.{self.part}.{self.name}"


def json_of(command, version=None):
    """What the program writes into the file that --json names."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        programs.run([*command, "--json", str(file)], version)
        return json.loads(file.read_text(encoding="utf-8"))


def rows_of(command, version=None):
    found = json_of(command, version)
    return found if isinstance(found, list) else found["rows"]


def on_ranks(ranks, rows):
    return [{**row, "ranks": ranks} for row in rows]


def listed(numbers):
    return ",".join(map(str, numbers))


class planner:
    """rows_so_far(part) are those that have been measured when a step runs."""

    def __init__(self, of, how, report, rows_so_far):
        self.of = of
        self.how = how
        self.report = report
        self.rows_so_far = rows_so_far

    def plan(self):
        steps = self.once()
        for number in range(1, self.how.rounds + 1):
            steps += self.tables(number) + self.sends(number) + self.kernel(number)
            steps += self.radiosity(number) + self.molecules(number)
        return steps + self.simulated("here")

    def once(self):
        """What is the same each time."""
        of = self.of
        steps = [
            step(
                f"{what}-instructions",
                "count",
                1,
                lambda what=what: instructions.count(of, what),
                True,
            )
            for what in ("primitives", "schemas")
        ]
        steps += self.simulated("t3d") + self.simulated("t3d-slices")
        steps.append(step("iccedar-simulated-t3d", "all", 1, self.simulate_molecules, True))
        return [*steps, step("picture", "room", 1, self.draw_room)]

    def draw_room(self):
        file = self.report / "radiosity.ppm"
        command = [self.of.alone("radiosity"), *self.how.scene, *self.how.picture]
        programs.run([*map(str, command), "--picture", str(file)])
        return [{"file": file.name}]

    def simulated(self, machine):
        """`t3d-slices` is the T3D with loops that give way, as they do here."""
        tau = ("--tau", listed(self.how.here_tau if machine == "here" else self.how.t3d_tau))
        grids = {
            "kernel": (
                *("--what", "microkernel", *tau, "--version", "all", "--local", self.how.local),
                *("--sigma", 0.5, "--pattern", "random"),
            ),
            "patterns": (
                *("--what", "microkernel", *tau, "--version", "stack,stack+pull", "--local", 20),
                *("--sigma", self.how.sigma, "--pattern", PATTERNS),
            ),
            "sends": ("--what", "fig10"),
        }
        return [
            step(
                f"{family}-simulated-{machine}",
                "all",
                1,
                lambda family=family, words=words: self.simulate(family, machine, words),
                True,
            )
            for family, words in grids.items()
            if (family, machine) != ("sends", "t3d-slices")
        ]

    def simulate(self, family, machine, words):
        ranks = self.how.simulated_senders if family == "sends" else self.how.simulated_ranks
        command = self.of.bench("concert", "--simulate", machine, "--ranks", ranks, *words)
        if machine != "here":
            return on_ranks(ranks, rows_of(command))
        # The simulated machine is one on which nothing else runs.
        costs = [
            {**row, "median": row["least"]} for part in COSTS for row in self.rows_so_far(part)
        ]
        if not costs:
            raise programs.failed(f"the costs of this machine come from {', '.join(COSTS)}")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "costs.json"
            file.write_text(json.dumps(costs), encoding="utf-8")
            return on_ranks(ranks, rows_of([*command, "--costs", str(file)]))

    def simulate_molecules(self):
        if not self.of.has("iccedar-concert"):
            missing("iccedar-concert")
        words = ("--simulate", "t3d", *self.how.simulated_molecules)
        kept = ("version", "ranks", "speedup", "checksum", "messages", "bytes", "contexts")
        return [
            {
                "seconds": row["elapsed_us"] / 1e6,
                "seconds_computed": row["computed_us"] / 1e6,
                "seconds_of_slowest": row["most_computed_us"] / 1e6,
                **{key: row[key] for key in kept},
            }
            for row in rows_of(self.of.simulated("iccedar-concert", *words))
        ]

    def tables(self, number):
        return [
            step(
                what,
                "all",
                number,
                lambda words=("--what", what, "--rounds", rounds): rows_of(
                    self.of.bench("concert", *words)
                ),
            )
            for what, rounds in (
                ("primitives", self.how.rounds_inside),
                ("schemas", self.how.rounds_inside),
                ("objects", self.how.rounds_of_objects),
            )
        ]

    def sends(self, number):
        words = ("--rounds", 0, "--sends", self.how.sends)
        return [
            step(
                f"sends-{ranks}",
                "all",
                number,
                lambda ranks=ranks: rows_of(self.of.bench("messages", "--ranks", ranks, *words)),
            )
            for ranks in (2, 4)
        ]

    def kernel(self, number):
        how = self.how
        grids = {
            "kernel": (how.tau, "all", how.local, 0.5, "random"),
            "patterns": (how.pattern_tau, "stack,stack+pull", 20, how.sigma, PATTERNS),
        }
        return [
            step(
                f"{name}-{ranks}",
                f"{tau:g}us",
                number,
                lambda words=(
                    *("--what", "microkernel", "--reps", 1, "--ranks", ranks),
                    *("--seconds", seconds, "--tau", tau, "--version", versions),
                    *("--local", local, "--sigma", sigma, "--pattern", pattern),
                ): rows_of(self.of.bench("concert", *words)),
            )
            for name, (taus, versions, local, sigma, pattern) in grids.items()
            for ranks, seconds in how.seconds
            for tau in taus
        ]

    def radiosity(self, number):
        alone = [self.of.alone("radiosity"), *self.how.scene]
        return self.speedups("radiosity", alone, "radiosity-concert", self.how.scene, number)

    def molecules(self, number):
        alone = [self.of.alone("iccedar"), *self.how.molecules]
        return self.speedups("iccedar", alone, "iccedar-concert", self.how.molecules, number)

    def speedups(self, part, alone, name, arguments, number):
        """The sequential program, and that over ranks in each version."""
        if not self.of.has(name):
            return [step(part, "all", number, lambda: missing(name), True)]

        def run(command, version, ranks):
            found = json_of(list(map(str, command)), version)
            kept = ("seconds", "seconds_by_iteration", "checksum", "energy", "counters")
            row = {key: found[key] for key in kept if key in found}
            if isinstance(row["seconds"], dict):
                row["seconds_by_phase"] = row["seconds"]
                row["seconds"] = row["seconds_by_phase"]["steps"]
            return [{"version": version or "sequential", "ranks": ranks, **row}]

        steps = [step(part, "sequential", number, lambda: run(alone, None, 1))]
        return steps + [
            step(
                part,
                f"{version}-{ranks}",
                number,
                lambda version=version, ranks=ranks: run(
                    self.of.over_ranks(ranks, name, *arguments), version, ranks
                ),
            )
            for ranks in self.how.ranks
            for version in programs.VERSIONS
        ]


def missing(name):
    raise programs.failed(f"this build has no {name}")
