# SPDX-License-Identifier: BSD-3-Clause
"""Installs the build into a temporary prefix and uses it from there, through CMake and through pkg-config."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
CMAKE = os.environ.get("LAZULT_CMAKE", "cmake")
CXX = os.environ.get("LAZULT_CXX", "c++")
CONSUMER = Path(__file__).resolve().parent / "consumer"
FLOORS = ("base", "arch", "os", "probe", "ds", "topo", "core", "sched", "sync", "api")


def run(*command, **environment):
    done = subprocess.run(
        [str(part) for part in command],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout.strip()


class consumer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        # Installed in one place and moved to another: nothing in it may remember where it was.
        first, cls.prefix = Path(cls.folder.name) / "first", Path(cls.folder.name) / "prefix"
        run(CMAKE, "--install", BUILD, "--prefix", first)
        first.rename(cls.prefix)
        cls.libdir = next(cls.prefix.rglob("liblazult.so")).parent

    def configure_and_run(self, *options):
        with tempfile.TemporaryDirectory() as build:
            run(CMAKE, "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DCMAKE_PREFIX_PATH={self.prefix}", *options)
            run(CMAKE, "--build", build)
            self.assertEqual(run(Path(build) / "consumer"), "42")

    def test_find_package(self):
        self.configure_and_run()

    def test_find_package_static(self):
        if not list(self.prefix.rglob("liblazult.a")):
            self.skipTest("this build has no liblazult.a")
        self.configure_and_run("-DCONSUMER_TARGET=lazult::static")

    def pkg_config(self, *options):
        return run("pkg-config", *options, "lazult", PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"))

    def test_pkg_config(self):
        with tempfile.TemporaryDirectory() as build:
            program = Path(build) / "consumer"
            flags = self.pkg_config("--cflags", "--libs").split()
            run(CXX, "-std=c++20", CONSUMER / "main.cpp", "-o", program, *flags)
            self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libdir)), "42")

    def test_pkg_config_static(self):
        if not list(self.prefix.rglob("liblazult.a")):
            self.skipTest("this build has no liblazult.a")
        with tempfile.TemporaryDirectory() as build:
            program = Path(build) / "consumer"
            compile_flags = self.pkg_config("--cflags").split()
            link_flags = [flag for flag in self.pkg_config("--libs", "--static").split() if flag != "-llazult"]
            run(CXX, "-std=c++20", *compile_flags, CONSUMER / "main.cpp", "-o", program,
                self.libdir / "liblazult.a", *link_flags)
            self.assertEqual(run(program), "42")

    def test_soname(self):
        self.assertTrue((self.libdir / "liblazult.so.0").exists())

    def test_no_internal_headers(self):
        for floor in FLOORS:
            self.assertFalse((self.prefix / "include" / "lazult" / floor).exists(), floor)

    def test_internal_symbols_are_for_our_own_doors(self):
        names = run("nm", "-DC", "--defined-only", self.libdir / "liblazult.so").splitlines()
        functions = [line.split(maxsplit=2)[2] for line in names if line.split(maxsplit=2)[1] in "TDB"]
        leaked = [name for name in functions if any(name.startswith(f"lazult::{floor}::") for floor in FLOORS)
                  and "@@LAZULT_PRIVATE" not in name]
        self.assertEqual(leaked, [])

    def test_command(self):
        command = self.prefix / "bin" / "lazult"
        if not command.exists():
            self.skipTest("this build has no command")
        run(command, "--help")


if __name__ == "__main__":
    unittest.main()
