# SPDX-License-Identifier: BSD-3-Clause
"""liblazult-checker finds each planted address that is kept over a suspension, and reports none of
the correct twins: with g++ and clang++, unoptimised and optimised."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[3]))
HERE = Path(__file__).resolve().parent
COMPILERS = [name for name in ("g++", "clang++-19") if shutil.which(name)]
LEVELS = ("-O0", "-O2")
STATUS_OF_FINDINGS = 66

# What reports call the variable, where it is not `counter`.
NAMES = {
    "errno_reference": "errno as",
    "errno_in_loop": "errno as",
    "member": "mine`",
    "whole_struct": "mine`",
    "iterator": "table`+12",
    "container": "list`",
    "plugin": "of_plugin`+28 of /",
    "with_constructor": "constructed`",
    "element": "slots`+20",
    "copied_to": "mine`+4",
    "filled": "mine`+4",
    "atomic": "hits`",
    "atomic_exchange": "small_hits`",
}


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )


def build(folder, compiler, level):
    common = (compiler, "-std=c++20", level, "-g", "-fsanitize=thread", f"-I{SOURCE}/include")
    objects = {name: folder / f"{name}.o" for name in ("planted", "plugin")}
    library = BUILD / "lib"
    for command in (
        (*common, "-c", HERE / "planted.cpp", "-o", objects["planted"]),
        (*common, "-fPIC", "-c", HERE / "plugin.cpp", "-o", objects["plugin"]),
        (compiler, "-shared", objects["plugin"], "-o", folder / "plugin.so"),
        (
            *(compiler, objects["planted"], "-o", folder / "planted", f"-L{library}"),
            *("-llazult-checker", "-llazult", f"-Wl,-rpath,{library}", "-ldl", "-pthread"),
        ),
    ):
        done = run(*command)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))}:\n{done.stderr}")


class checker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folders = {}
        for compiler in COMPILERS:
            for level in LEVELS:
                here = Path(folder.name) / (compiler + level)
                here.mkdir()
                build(here, compiler, level)
                cls.folders[compiler, level] = here
        any_program = next(iter(cls.folders.values())) / "planted"
        cls.kept = run(any_program, "list", "kept").stdout.split()
        cls.correct = run(any_program, "list", "again").stdout.split()

    def planted(self, folder, case, kind, **environment):
        return run(folder / "planted", folder / "plugin.so", case, kind, **environment)

    def test_each_planted_address_is_found(self):
        self.assertGreaterEqual(len(self.kept), 20)
        for (compiler, level), folder in self.folders.items():
            for case in self.kept:
                if case == "errno_in_loop" and level == "-O0":
                    continue  # nothing is kept there
                with self.subTest(compiler=compiler, level=level, case=case):
                    done = self.planted(folder, case, "kept")
                    self.assertEqual(done.returncode, STATUS_OF_FINDINGS, done.stderr)
                    self.assertIn(NAMES.get(case, "counter` of the program"), done.stderr)
                    self.assertRegex(
                        done.stderr,
                        r"lazult: checker: ULT \d+ .* on stream \d+ \(OS thread \d+\) "
                        r"(reads|writes) \d+ bytes? of .* as stream \d+ \(OS thread \d+\) has it",
                    )
                    self.assertRegex(
                        done.stderr, r"checker: \d+ places? in the code uses? an address kept"
                    )

    def test_no_correct_twin_is_reported(self):
        for (compiler, level), folder in self.folders.items():
            for case in self.correct:
                with self.subTest(compiler=compiler, level=level, case=case):
                    done = self.planted(folder, case, "again")
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_is_reported_where_nothing_moves(self):
        folder = self.folders[COMPILERS[0], "-O2"]
        for setting in ({"LAZULT_STARTED": "stay"}, {"LAZULT_SCHEDULER": "basic"}):
            with self.subTest(setting=setting):
                done = self.planted(folder, "pointer", "kept", **setting)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_setting(self):
        folder = self.folders[COMPILERS[0], "-O2"]
        done = self.planted(folder, "migrated", "kept", LAZULT_CHECKER="watch")
        self.assertEqual(done.returncode, STATUS_OF_FINDINGS, done.stderr)
        done = self.planted(folder, "migrated", "again", LAZULT_CHECKER="watch")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.planted(folder, "pointer", "kept", LAZULT_CHECKER="nonsense")
        self.assertEqual(done.returncode, STATUS_OF_FINDINGS)
        self.assertIn("LAZULT_CHECKER is neither move nor watch", done.stderr)


if __name__ == "__main__":
    unittest.main()
