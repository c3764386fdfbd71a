# SPDX-License-Identifier: BSD-3-Clause
"""The source tree as a part of another project, and configured on a machine that has little.
Configured only, with one file compiled; --deep builds the library in the other project, and runs a
program over it."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("LAZULT_SOURCE_DIR", Path(__file__).resolve().parents[2]))
CMAKE = os.environ.get("LAZULT_CMAKE", "cmake")
CXX = os.environ.get("LAZULT_CXX", "c++")
PARENT = Path(__file__).resolve().parent / "parent"
# What the command, the apps and the tests need, as if it were not installed.
HIDDEN = [
    f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
    for package in ("CLI11", "fmt", "nlohmann_json", "GTest", "Python3", "ZLIB", "OpenMP")
]


def run(*command, cwd=None):
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


class in_another_project(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.build = Path(folder.name) / "build"
        done = run(
            CMAKE,
            "-S",
            PARENT,
            "-B",
            cls.build,
            "-G",
            "Ninja",
            f"-DCMAKE_CXX_COMPILER={CXX}",
            f"-DLAZULT_SOURCE_DIR={SOURCE}",
            *HIDDEN,
        )
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        cls.said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)

    def test_only_the_library_is_built(self):
        self.assertEqual(set(self.said["targets"].split(";")), {"lazult", "lazult_objects"})

    def test_build_type_standard_and_flags_stay_the_projects(self):
        for name in (
            "CMAKE_BUILD_TYPE",
            "CMAKE_CXX_STANDARD",
            "CMAKE_CXX_FLAGS",
            "CMAKE_CXX_COMPILER_LAUNCHER",
            "CMAKE_LIBRARY_OUTPUT_DIRECTORY",
            "CMAKE_EXPORT_COMPILE_COMMANDS",
            "CMAKE_POSITION_INDEPENDENT_CODE",
            "BUILD_TESTING",
            "COMPILE_OPTIONS",
            "LINK_OPTIONS",
            "COMPILE_DEFINITIONS",
        ):
            self.assertEqual(self.said[name], "", name)

    def test_cached_names_are_cmakes_or_begin_with_lazult(self):
        known = (
            "CMAKE_",
            "_CMAKE_",
            "FIND_PACKAGE_",
            "PKG_CONFIG_",
            "pkgcfg_lib_LAZULT_",
            "__pkg_config_",
            "_GNUInstallDirs_",
            "LAZULT_",
            "lazult_",
            "parent_",
            "prefix_result",
        )
        strangers = [name for name in self.said["cached"].split(";") if not name.startswith(known)]
        self.assertEqual(strangers, [])

    def test_no_files_outside_its_own_folders(self):
        found = {
            entry.name for entry in self.build.iterdir() if not entry.name.startswith(".ninja")
        }
        self.assertEqual(
            found
            - {
                "CMakeCache.txt",
                "CMakeFiles",
                "build.ninja",
                "cmake_install.cmake",
                "compile_commands.json",
            },
            {"lazult"},
        )

    def test_nothing_of_it_is_installed(self):
        self.assertNotIn(
            "INSTALL",
            (self.build / "lazult/cmake_install.cmake").read_text().replace("CMAKE_INSTALL", ""),
        )

    def test_warnings_are_no_errors(self):
        commands = json.loads((self.build / "compile_commands.json").read_text())
        ours = [
            entry["command"]
            for entry in commands
            if "/lazult/core/" in entry["file"] and entry["file"].endswith(".cpp")
        ]
        self.assertGreater(len(ours), 3)
        self.assertFalse(any("-Werror" in command for command in ours))

    def test_its_program_compiles(self):
        done = run(CMAKE, "--build", self.build, "--target", "CMakeFiles/parent.dir/main.cpp.o")
        self.assertEqual(done.returncode, 0, done.stdout)

    @unittest.skipUnless("--deep" in sys.argv, "builds the whole library")
    def test_program_runs(self):
        done = run(CMAKE, "--build", self.build, "--target", "parent")
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        self.assertEqual(run(self.build / "parent").stdout, "42\n")


class on_a_machine_with_little(unittest.TestCase):
    def configure(self, *options):
        with tempfile.TemporaryDirectory() as build:
            return run(
                CMAKE,
                "--preset",
                "release",
                "-B",
                build,
                f"-DCMAKE_CXX_COMPILER={CXX}",
                *options,
                cwd=SOURCE,
            )

    def test_preset_release_needs_no_test_framework(self):
        done = self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_is_missing_is_named_with_its_cure(self):
        done = self.configure("-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(" ".join(done.stdout.split()), r"CLI11 .*libcli11-dev.*-DLAZULT_TOOLS=OFF")

    def test_library_alone_needs_no_package(self):
        done = self.configure(
            "-DLAZULT_TOOLS=OFF", "-DLAZULT_APPS=OFF", "-DLAZULT_MPI=OFF", *HIDDEN
        )
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--deep"])
