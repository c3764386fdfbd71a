# SPDX-License-Identifier: BSD-3-Clause
"""lazult stacks, and LAZULT_STACK_USE: how deep ULTs went on their stacks, and the size that would
do."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from command import BIN, COMMAND, command_test, run

TARGET = BIN / "stacks_target"
KIB = 1024
PAGE = os.sysconf("SC_PAGE_SIZE")

# Frames of the library and of the functions of the target.
FRAMES = 2 * KIB
# The first call of a function of another library may have the loader look for it.
LOADER = 8 * KIB


class table:
    """What the JSON file says: a row for each function, by the name of its functor."""

    def __init__(self, everything):
        self.everything = everything
        self.rows = {}
        for row in everything["functions"]:
            name = re.search(r"target::(\w+)", row["entry"])
            self.rows[name[1] if name else row["entry"]] = row

    def __getitem__(self, name):
        return self.rows[name]


class stacks(command_test):
    def measured(self, case, **environment):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "use-%p.json"
            self.succeed("stacks", "--output", file, "--", TARGET, case, **environment)
            (written,) = Path(folder).iterdir()
            everything = json.loads(written.read_text())
            self.assertEqual(written.name, f"use-{everything['process']}.json")
        self.assertEqual(everything["uncounted"], 0)
        return table(everything)

    def check(self, row, ults, used, stack_size=64 * KIB):
        self.assertEqual(row["ults"], ults, row)
        self.assertEqual(row["stack_size"], stack_size, row)
        self.assertGreaterEqual(row["deepest"], used, row)
        self.assertLess(row["deepest"], used + FRAMES + LOADER, row)
        self.assertGreaterEqual(row["median"], used, row)
        self.assertLess(row["median"], used + FRAMES, row)
        self.check_advice(row)

    def check_advice(self, row):
        """In whole pages; with a quarter more, or 4 KiB, on the part that a ULT may use."""
        enough = row["enough"]
        self.assertEqual(enough % PAGE, 0, row)
        self.assertGreaterEqual(enough, 4 * KIB, row)
        needed = row["deepest"] + max(row["deepest"] // 4, 4 * KIB)
        may_use = enough - 4 * KIB if enough < 32 * KIB else enough * 7 // 8
        self.assertGreaterEqual(may_use, needed, row)
        self.assertLess(may_use, needed + 2 * PAGE + 4 * KIB, row)

    def test_known_depths(self):
        for streams in ("1", "2"):
            with self.subTest(streams=streams):
                found = self.measured("known_depths", LAZULT_STREAMS=streams)
                self.assertEqual(len(found.rows), 4)
                self.check(found["ten_kib"], 3, 10 * KIB)
                self.check(found["ten_kib_of_zeros"], 5, 10 * KIB)
                self.check(found["hundred_kib"], 2, 100 * KIB, 256 * KIB)
                self.check(found["shallow"], 7, 0)
                deepest = [row["deepest"] for row in found.everything["functions"]]
                self.assertEqual(deepest, sorted(deepest, reverse=True))

    def test_recycled_stacks_inherit_no_marks(self):
        for guard in ("auto", "mprotect", "canary", "none"):
            with self.subTest(guard=guard):
                found = self.measured("recycled", LAZULT_STREAMS="1", LAZULT_GUARD=guard)
                self.check(found["hundred_kib"], 80, 100 * KIB, 256 * KIB)
                self.check(found["ten_kib_of_zeros"], 80, 10 * KIB, 256 * KIB)
                self.check(found["shallow"], 80, 0, 256 * KIB)

    def test_huge_pages_count_as_small_ones(self):
        found = self.measured("recycled", LAZULT_HUGE_PAGES="1", LAZULT_GUARD="none")
        self.check(found["shallow"], 80, 0, 256 * KIB)

    def test_every_technique(self):
        for exact in ("0", "1"):
            found = self.measured("every_technique", LAZULT_EXACT_STACKS=exact)
            self.assertEqual(set(found.rows), {"ten_kib", "ten_kib_and_yields"})
            self.check(found["ten_kib"], 60, 10 * KIB)
            self.check(found["ten_kib_and_yields"], 60, 10 * KIB)

    def test_many_streams(self):
        found = self.measured("many_streams", LAZULT_STREAMS="8")
        self.check(found["ten_kib_and_yields"], 2000, 10 * KIB)
        self.check(found["shallow"], 2000, 0)

    def test_tasks_that_would_start_at_once(self):
        found = self.measured("tasks", LAZULT_READY_TASKS="1")
        self.check(found["ten_kib"], 1000, 10 * KIB)

    def test_median(self):
        row = self.measured("median")["mostly_two_kib"]
        self.assertEqual(row["ults"], 50)
        self.assertGreaterEqual(row["deepest"], 20 * KIB)
        self.assertLess(row["median"], 2 * KIB + FRAMES)
        self.check_advice(row)

    def test_the_size_that_would_do_does(self):
        found = self.measured("median")
        size = found["mostly_two_kib"]["enough"]
        self.succeed(
            "run", "--stack-size", size, "--technique", "lazy_stack", "--", TARGET, "median"
        )

    def test_table(self):
        done = self.succeed("stacks", "--", TARGET, "known_depths")
        self.assertEqual(done.stdout, "")
        title, head, *rows, last = done.stderr.splitlines()
        self.assertRegex(title, r"^lazult: stacks of process \d+, ")
        self.assertEqual(
            re.split(r"  +", head.strip()),
            ["ULTs", "deepest", "median", "had", "would do", "entry function"],
        )
        self.assertEqual(len(rows), 4)
        self.assertRegex(rows[0], r"^ +2 +\d+ +\d+ +262144 +\d+  .*target::hundred_kib.*\(.*\+0x")
        self.assertIn(f"A stack of {rows[0].split()[4]} bytes would do for all.", last)

    def test_interface(self):
        """lazult::stack_use_by_function() says what the table says."""
        done = self.succeed("stacks", "--", TARGET, "api")
        (row,) = [line.split(None, 5) for line in done.stdout.splitlines()]
        self.assertEqual(row[:1] + row[3:4], ["3", str(64 * KIB)])
        self.assertIn(
            [*row[:5], row[5]], [line.split(None, 5) for line in done.stderr.splitlines()]
        )
        self.assertEqual(self.succeed("run", "--", TARGET, "api").stdout, "")

    def test_names_of_local_functions(self):
        """The dynamic linker does not know a lambda's entry function, but the file does."""
        done = self.succeed("stacks", "--", TARGET, "many_streams")
        self.assertRegex(done.stderr, r"target::many_streams\(\)::\{lambda.*\(.*stacks_target\+0x")

    @unittest.skipUnless(shutil.which("strip"), "needs strip")
    def test_stripped_program(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "stripped"
            subprocess.run(["strip", "-o", program, TARGET], check=True)
            done = self.succeed("stacks", "--", program, "many_streams")
        self.assertRegex(done.stderr, r"(?m)^ +4 .*  \S*/stripped\+0x[0-9a-f]+$")
        self.assertIn("target::ten_kib_and_yields", done.stderr)

    def test_nothing_ended(self):
        done = self.succeed("stacks", "--", TARGET, "nothing")
        self.assertIn("no ULT has ended", done.stderr)
        self.assertEqual(self.measured("nothing").rows, {})

    def test_overflow_has_its_usual_message(self):
        def message(*arguments):
            done = run(*arguments, "--", TARGET, "overflow")
            self.assertEqual(done.returncode, -11, done.stderr)
            self.assertIn("lazult: stack overflow in ULT", done.stderr)
            return re.sub(r"0x[0-9a-f]+", "", done.stderr)

        usual = ("run", "--technique", "lazy_stack")
        self.assertEqual(message("stacks"), message(*usual))

    def test_off_by_default(self):
        done = self.succeed("run", "--", TARGET, "known_depths")
        self.assertEqual(done.stderr, "")

    def test_beside_statistics_and_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder) / f"{name}.json" for name in ("stats", "trace", "use")}
            self.succeed(
                "run",
                "--stats",
                files["stats"],
                "--trace",
                files["trace"],
                "--stack-use",
                files["use"],
                "--",
                TARGET,
                "known_depths",
            )
            made = json.loads(files["stats"].read_text())["all"]["created"]
            json.loads(files["trace"].read_text())
            use = json.loads(files["use"].read_text())
        self.assertGreaterEqual(made, 17)
        self.assertEqual(sum(row["ults"] for row in use["functions"]), 17)

    def check_table_of_recycled(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        for name, used in (("hundred_kib", 100 * KIB), ("shallow", 0)):
            (row,) = re.findall(
                rf"^ +8[01] +(\d+) +(\d+) +262144 .*target::{name}\b", done.stderr, re.M
            )
            for depth in map(int, row):
                self.assertTrue(used <= depth < used + FRAMES + LOADER, done.stderr)

    def test_without_descriptors(self):
        """The system does not tell which pages were touched: contents must do."""
        self.check_table_of_recycled(run("stacks", "--", TARGET, "without_descriptors"))

    def test_locked_memory(self):
        """All pages are there, and stay: contents must do."""
        done = run("stacks", "--", TARGET, "locked")
        if done.stdout == "refused\n":
            self.skipTest("the system does not lock so much memory")
        self.check_table_of_recycled(done)

    def test_bad_options(self):
        self.refuse("stacks", words=("stacks", "names no program", "lazult stacks"))
        for output in ("on", "off", "file"):
            self.refuse(
                "stacks", "--output", output, "--", "true", words=("--output", f'"{output}"')
            )

    def test_program_that_is_not_there(self):
        done = run("stacks", "--", "no-such-program-of-mine")
        self.assertEqual(done.returncode, 127)
        self.assertIn("lazult stacks ... --", done.stderr)

    def test_arguments_and_exit_code_are_the_programs(self):
        done = run("stacks", "--", "sh", "-c", 'echo "$@"; exit 7', "sh", "--output", "--", "-x")
        self.assertEqual((done.returncode, done.stdout), (7, "--output -- -x\n"))


OPENMP = BIN / "../lib/lazult/openmp/libgomp.so.1"
GCC = shutil.which("gcc-12") or shutil.which("gcc")

# The threads of a nested region are ULTs, but for the one that was there before.
NESTED = """
#include <alloca.h>
#include <omp.h>
#include <string.h>
static void __attribute__((noinline)) use(size_t bytes) {
    void* const memory = alloca(bytes);
    memset(memory, 7, bytes);
    __asm__ volatile("" : : "r"(memory) : "memory");
}
int main(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    use(40 << 10);
    return 0;
}
"""


@unittest.skipUnless(OPENMP.exists() and GCC, "needs the OpenMP door and gcc")
class stacks_of_openmp(command_test):
    def test_threads_of_a_nested_region(self):
        with tempfile.TemporaryDirectory() as folder:
            source, program, use = (Path(folder) / name for name in ("p.c", "p", "use.json"))
            source.write_text(NESTED)
            subprocess.run([GCC, "-O1", "-fopenmp", source, "-o", program], check=True)
            self.succeed("stacks", "--output", use, "--", COMMAND, "run", "--openmp", "--", program)
            functions = json.loads(use.read_text())["functions"]
        (row,) = [row for row in functions if "run_nested_member" in row["entry"]]
        self.assertGreaterEqual(row["ults"], 2)
        self.assertGreaterEqual(row["deepest"], 40 * KIB)
        self.assertLess(row["deepest"], 40 * KIB + FRAMES + LOADER)
        self.assertGreaterEqual(row["stack_size"], 1024 * KIB)


if __name__ == "__main__":
    unittest.main()
