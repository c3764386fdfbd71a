# SPDX-License-Identifier: BSD-3-Clause
"""lazult bench: every benchmark runs, its results have the promised form, and options are seen in
them."""
import json
import os
import pty
import subprocess
import tempfile
import unittest
from pathlib import Path

from command import COMMAND, QUICK, command_test, run

TECHNIQUES = [
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
    "run_to_completion",
    "adaptive",
]
FIELDS = {
    "benchmark": str,
    "technique": str,
    "suspend_percent": (int, float),
    "streams": int,
    "unit": str,
    "median": (int, float),
    "min": (int, float),
    "max": (int, float),
    "repetitions": int,
}


class form(command_test):
    def check(self, rows, benchmark, unit="ns", repetitions=2):
        self.assertTrue(rows)
        for row in rows:
            self.assertEqual(row["benchmark"], benchmark)
            self.assertEqual(row["unit"], unit)
            self.check_row(row, repetitions)

    def check_row(self, row, repetitions=2):
        for name, kind in FIELDS.items():
            self.assertIsInstance(row[name], kind, f"{name} of {row}")
        self.assertEqual(row["repetitions"], repetitions)
        self.assertLessEqual(row["min"], row["median"])
        self.assertLessEqual(row["median"], row["max"])
        self.assertGreaterEqual(row["min"], 0)

    def check_floors(self, everything):
        floors = {
            row["benchmark"]: row for row in everything if row["benchmark"].startswith("floor-")
        }
        self.assertEqual(set(floors), {"floor-ring-call", "floor-switch"})
        for row in floors.values():
            self.check_row(row)
            self.assertGreater(row["min"], 0)

    def test_fork_join(self):
        rows, everything, done = self.bench("fork-join", "--n", 16)
        self.check(rows, "fork-join")
        self.check_floors(everything)
        self.assertEqual(len(rows), 1)
        row = rows[0]
        self.assertEqual(
            (row["technique"], row["suspend_percent"], row["streams"]), ("adaptive", 0, 1)
        )
        self.assertEqual(
            (row["pool"], row["n"], row["join"], row["child_first"]), ("private", 16, "each", False)
        )
        self.assertGreater(row["min"], 0)
        for word in (
            "median",
            "cycles",
            "floor-ring-call",
            "floor-switch",
            "fork-join",
            "adaptive",
            "n=16",
        ):
            self.assertIn(word, done.stdout)

    def test_one_row_for_each_technique(self):
        rows, _, done = self.bench("fork-join", "--n", 8, "--technique", "all")
        self.assertEqual([row["technique"] for row in rows], TECHNIQUES)
        for technique in TECHNIQUES:
            self.assertIn(technique, done.stdout)

    def test_all_leaves_out_techniques_that_cannot_suspend(self):
        rows, _, _ = self.bench("fork-join", "--n", 8, "--technique", "all", "--suspend", "0,50")
        found = [(row["suspend_percent"], row["technique"]) for row in rows]
        self.assertEqual(
            found,
            [
                (rate, technique)
                for rate in (0, 50)
                for technique in TECHNIQUES
                if (rate, technique) != (50, "run_to_completion")
            ],
        )

    def test_repeated_options_multiply(self):
        rows, _, _ = self.bench(
            "fork-join",
            "--n",
            "4,8",
            "--technique",
            "full",
            "--technique",
            "lazy-stack",
            "--join",
            "each,many",
            "--suspend",
            100,
        )
        shapes = {(row["n"], row["technique"], row["join"], row["suspend_percent"]) for row in rows}
        self.assertEqual(
            shapes,
            {
                (n, technique, join, 100)
                for n in (4, 8)
                for technique in ("full", "lazy_stack")
                for join in ("each", "many")
            },
        )

    def test_every_pool_with_one_and_two_streams(self):
        rows, _, _ = self.bench(
            "fork-join",
            "--n",
            16,
            "--pool",
            "private,shared,work-stealing",
            "--streams",
            "1,2",
            "--suspend",
            25,
        )
        self.check(rows, "fork-join")
        self.assertEqual(
            {(row["streams"], row["pool"]) for row in rows},
            {
                (streams, pool)
                for streams in (1, 2)
                for pool in ("private", "shared", "work_stealing")
            },
        )

    def test_child_first(self):
        rows, _, done = self.bench(
            "fork-join", "--n", 8, "--child-first", "--technique", "all", "--join", "each,many"
        )
        self.check(rows, "fork-join")
        self.assertTrue(all(row["child_first"] for row in rows))
        self.assertIn("child_first", done.stdout)

    def test_phases(self):
        rows, _, _ = self.bench("fork-join", "--n", 10, "--phases", "0,100,20", "--phase-length", 3)
        self.assertEqual(rows[0]["phases"], [0, 100, 20])
        self.assertEqual(rows[0]["phase_length"], 3)
        self.assertEqual(rows[0]["suspend_percent"], 40)

    def test_yield(self):
        for name in ("yield", "yield-to"):
            rows, everything, _ = self.bench(
                name, "--pool", "private,shared,work_stealing", "--technique", "adaptive,full"
            )
            self.check(rows, name)
            self.check_floors(everything)
            self.assertEqual(len(rows), 6)

    def test_fib(self):
        rows, everything, _ = self.bench(
            "fib", "--fib-n", 10, "--streams", "1,2", "--technique", "all"
        )
        self.check(rows, "fib")
        self.check_floors(everything)
        self.assertEqual({row["streams"] for row in rows}, {1, 2})
        self.assertNotIn("run_to_completion", {row["technique"] for row in rows})

    def test_condvar(self):
        rows, everything, _ = self.bench(
            "condvar", "--pool", "private,shared,work_stealing", "--streams", "1,2"
        )
        self.check(rows, "condvar")
        self.check_floors(everything)
        self.assertEqual(len(rows), 6)

    def test_mutex(self):
        rows, everything, _ = self.bench(
            "mutex", "--inside", "0,20", "--outside", 5, "--contend-ms", 2
        )
        self.check(rows, "mutex")
        self.check_floors(everything)
        contended = [row for row in rows if row["contended"]]
        self.assertEqual([row["streams"] for row in rows if not row["contended"]], [1, 2])
        self.assertEqual(
            [(row["streams"], row["inside"], row["outside"]) for row in contended],
            [(2, 0, 5), (2, 20, 5)],
        )
        for row in contended:
            self.assertLessEqual(row["least_share_percent"], 50)

    def test_memory(self):
        rows, everything, _ = self.bench(
            "memory", "--n", 2000, "--blocked", 300, "--technique", "adaptive,full"
        )
        self.check(rows, "memory", unit="bytes")
        self.assertEqual(rows, everything)
        shapes = [(row["technique"], row["state"], row["n"], row["stack_size"]) for row in rows]
        self.assertEqual(
            shapes,
            [
                ("adaptive", "created", 2000, 65536),
                ("adaptive", "blocked", 300, 16384),
                ("full", "created", 2000, 65536),
                ("full", "blocked", 300, 16384),
            ],
        )
        # Both techniques' blocked units stand on touched pages.
        for row in rows:
            self.assertGreaterEqual(row["median"], 4096 if row["state"] == "blocked" else 1)

    def test_wake(self):
        rows, _, _ = self.bench("wake", "--wakes", 3)
        self.check(rows, "wake")
        self.assertEqual(
            [row["pool"] for row in rows],
            ["private", "work_stealing", "stolen", "shared", "priority"],
        )
        for row in rows:
            self.assertGreater(row["min"], 0)
            self.assertGreaterEqual(row["worst"], row["p99"])

    def test_create_latency(self):
        rows, _, _ = self.bench("create-latency", "--n", 2000, "--technique", "adaptive,full")
        self.check(rows, "create-latency")
        for row in rows:
            self.assertEqual((row["statistic"], row["n"]), ("p99.9", 2000))
            self.assertLessEqual(row["p50"], row["p99"])

    def test_idle(self):
        rows, _, _ = self.bench("idle", "--idle-ms", 50, "--streams", "1,2")
        self.check(rows, "idle", unit="percent")
        self.assertEqual([row["streams"] for row in rows], [1, 2])

    def test_tracing_is_a_quotient_of_two_processes(self):
        rows, _, _ = self.bench("tracing", "--n", 8, "--technique", "full", "--suspend", "0,50")
        self.check(rows, "tracing", unit="times")
        self.assertEqual([row["suspend_percent"] for row in rows], [0, 50])
        for row in rows:
            self.assertGreater(row["min"], 0)
            self.assertGreater(min(row["ns_on"], row["ns_off"]), 0)

    def test_several_in_one_run(self):
        rows, everything, _ = self.bench("yield", "fork-join", "idle", "--idle-ms", 20, "--n", 8)
        self.assertEqual([row["benchmark"] for row in rows], ["yield", "fork-join", "idle"])
        self.check_floors(everything)

    def test_default_technique_is_the_setting(self):
        rows, _, _ = self.bench("fork-join", "--n", 8, LAZULT_TECHNIQUE="stack_separation")
        self.assertEqual(rows[0]["technique"], "stack_separation")


class output(command_test):
    def test_json_on_stdout_replaces_the_table(self):
        done = self.succeed("bench", "fork-join", "--n", 8, *QUICK, "--json", "-")
        self.assertEqual(len(json.loads(done.stdout)), 3)

    def test_no_progress_in_pipes(self):
        self.assertEqual(self.succeed("bench", "fork-join", "--n", 8, *QUICK).stderr, "")

    def test_progress_on_a_terminal(self):
        ours, theirs = pty.openpty()
        words = [str(COMMAND), "bench", "fork-join", "--n", "8", *QUICK]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            shown = self.everything_from(ours)
        os.close(ours)
        self.assertEqual(process.returncode, 0)
        self.assertIn("round 2 of 2: fork-join", shown)
        self.assertTrue(shown.endswith("\r\x1b[K"), "the line is gone at the end")

    @staticmethod
    def everything_from(terminal):
        text = b""
        while True:
            try:
                text += os.read(terminal, 4096)
            except OSError:  # the last writer has gone
                return text.decode()

    def test_file_that_cannot_be_written(self):
        done = run("bench", "fork-join", "--n", 8, *QUICK, "--json", "/nonexistent/results.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nonexistent/results.json", done.stderr)

    def test_fixed_operations_for_instruction_counters(self):
        done = self.succeed(
            "bench",
            "fork-join",
            "--callgrind-ops",
            "--iterations",
            10,
            "--technique",
            "full,scheduler_creation",
        )
        self.assertEqual(
            done.stdout.splitlines(),
            ["fork-join full 1280 operations", "fork-join scheduler_creation 1280 operations"],
        )

    def test_help_lists_the_benchmarks(self):
        shown = self.succeed("bench", "--help").stdout
        for name in (
            "fork-join",
            "yield",
            "yield-to",
            "fib",
            "condvar",
            "mutex",
            "memory",
            "wake",
            "create-latency",
            "idle",
            "--technique",
            "--suspend",
            "--pool",
        ):
            self.assertIn(name, shown)


class errors(command_test):
    def test_unknown_benchmark(self):
        self.refuse("bench", "fork-jion", words=('"fork-jion"', "fork-join", "yield"))

    def test_no_benchmark(self):
        self.refuse("bench", words=("NAME",))

    def test_bad_percentages(self):
        for bad in ("101", "-1", "nan"):
            self.refuse("bench", "fork-join", f"--suspend={bad}", words=("--suspend", "0 to 100"))
        self.refuse("bench", "fork-join", "--suspend", "many", words=("--suspend", "many"))
        self.refuse("bench", "fork-join", "--phases", "0,200", words=("--phases", "0 to 100"))

    def test_suspension_of_run_to_completion(self):
        self.refuse(
            "bench",
            "fork-join",
            "--technique",
            "run_to_completion",
            "--suspend",
            "1",
            words=("run_to_completion", "--suspend"),
        )
        self.refuse(
            "bench",
            "fork-join",
            "--technique",
            "full,run_to_completion",
            "--phases",
            "0,1",
            words=("run_to_completion",),
        )
        for name in ("yield", "yield-to", "fib", "condvar"):
            self.refuse(
                "bench", name, "--technique", "run_to_completion", words=(name, "run_to_completion")
            )

    def test_phases_and_suspend_together(self):
        self.refuse(
            "bench",
            "fork-join",
            "--phases",
            "0,1",
            "--suspend",
            "5",
            words=("--phases", "--suspend"),
        )

    def test_values_out_of_range(self):
        for option, bad in (
            ("--streams", "0"),
            ("--streams", "1025"),
            ("--n", "0"),
            ("--reps", "0"),
            ("--fib-n", "99"),
            ("--wakes", "0"),
            ("--idle-ms", "0"),
            ("--contend-ms", "0"),
        ):
            self.refuse("bench", "fork-join", option, bad, words=(option, bad, "from"))

    def test_unknown_words(self):
        self.refuse(
            "bench",
            "fork-join",
            "--technique",
            "magic",
            words=("--technique", '"magic"', "lazy_stack"),
        )
        self.refuse(
            "bench",
            "fork-join",
            "--pool",
            "swimming",
            words=("--pool", '"swimming"', "work_stealing"),
        )
        self.refuse("bench", "fork-join", "--join", "never", words=("--join", '"never"', "each"))
        self.refuse("bench", "memory", "--stack-size", "1", words=("--stack-size", '"1"', "4 KiB"))
        self.refuse("bench", "fork-join", "--sreams", "2", words=("--sreams",))

    def test_callgrind_without_iterations(self):
        self.refuse("bench", "fork-join", "--callgrind-ops", words=("--iterations",))

    def test_compare_with_a_benchmark(self):
        self.refuse("bench", "yield", "--compare", "a.json", "b.json", words=("--compare", "alone"))
        self.refuse("bench", "--compare", "a.json", words=("--compare",))


class comparison(command_test):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    @staticmethod
    def row(benchmark, median, machine="one", spread=0.5, **details):
        return {
            "benchmark": benchmark,
            "technique": "full",
            "suspend_percent": 0.0,
            "streams": 1,
            "unit": "ns",
            "median": median,
            "min": median - spread,
            "max": median + spread,
            "repetitions": 3,
            "cycles": 2 * median,
            **details,
            "machine": {"processor": machine},
        }

    def lines(self, a, b):
        return self.succeed(
            "bench", "--compare", self.write("a.json", a), self.write("b.json", b)
        ).stdout.splitlines()

    def line(self, lines, *words):
        found = [line for line in lines if all(word in line for word in words)]
        self.assertEqual(len(found), 1, lines)
        return found[0]

    def test_ratios_of_rows_that_both_have(self):
        lines = self.lines(
            [self.row("yield", 10.0, n=2), self.row("yield", 20.0, n=4), self.row("fib", 5.0)],
            [self.row("yield", 5.0, n=4), self.row("yield", 10.25, n=2), self.row("mutex", 7.0)],
        )
        self.assertIn("1.025 ", self.line(lines, "yield", "n=2"))
        self.assertIn("0.250*", self.line(lines, "yield", "n=4"))
        self.assertIn("only in A: 5.00", self.line(lines, "fib"))
        self.assertIn("only in B: 7.00", self.line(lines, "mutex"))
        self.assertFalse([line for line in lines if "machines differ" in line])

    def test_what_was_measured_beside_the_median_does_not_tell_rows_apart(self):
        lines = self.lines(
            [self.row("mutex", 10.0, least_share_percent=49.5)],
            [self.row("mutex", 10.0, least_share_percent=42.25)],
        )
        self.assertIn("1.000 ", self.line(lines, "mutex"))

    def test_other_machines_are_said(self):
        lines = self.lines([self.row("yield", 1.0)], [self.row("yield", 1.0, machine="other")])
        self.line(lines, "machines differ")

    def test_files_of_a_run(self):
        file = Path(self.folder.name) / "run.json"
        self.succeed("bench", "yield", *QUICK, "--json", file)
        machine = json.loads(file.read_text())[0]["machine"]
        self.assertEqual(set(machine), {"processor", "caches", "kernel"})
        self.assertTrue(machine["kernel"].startswith("Linux "))
        lines = self.succeed("bench", "--compare", file, file).stdout.splitlines()
        self.assertIn("1.000 ", self.line(lines, " yield ", "pool=private"))
        self.assertIn(machine["kernel"], lines[0])

    def test_files_that_are_no_results(self):
        good = self.write("good.json", [self.row("yield", 1.0)])
        for bad in (
            "no JSON",
            [],
            {"benchmark": "yield"},
            [{"benchmark": "yield"}],
            [1],
            [{"median": "1"}],
        ):
            self.refuse(
                "bench",
                "--compare",
                good,
                self.write("bad.json", bad),
                words=("bad.json", "--json"),
            )
        self.refuse(
            "bench",
            "--compare",
            good,
            "/nowhere/x.json",
            words=("/nowhere/x.json", "cannot be read"),
        )


if __name__ == "__main__":
    unittest.main()
