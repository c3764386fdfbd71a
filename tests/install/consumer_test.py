# SPDX-License-Identifier: BSD-3-Clause
"""Installs the build into a temporary prefix and uses it from there, through CMake and through
pkg-config."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
CMAKE = os.environ.get("LAZULT_CMAKE", "cmake")
CXX = os.environ.get("LAZULT_CXX", "c++")
CONSUMER = Path(__file__).resolve().parent / "consumer"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CHECKED = Path(__file__).resolve().parent / "checked"
DOORS = Path(__file__).resolve().parent / "doors"
CC = CXX.replace("clang++", "clang").replace("g++", "gcc").replace("c++", "cc")
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
        raise AssertionError(
            f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}"
        )
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
            run(
                CMAKE,
                "-S",
                CONSUMER,
                "-B",
                build,
                "-G",
                "Ninja",
                f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
                *options,
            )
            run(CMAKE, "--build", build)
            self.assertEqual(run(Path(build) / "consumer"), "42")

    def test_find_package(self):
        self.configure_and_run()

    def test_find_package_static(self):
        if not list(self.prefix.rglob("liblazult.a")):
            self.skipTest("this build has no liblazult.a")
        self.configure_and_run("-DCONSUMER_TARGET=lazult::static")

    def test_examples(self):
        with tempfile.TemporaryDirectory() as build:
            run(
                CMAKE,
                "-S",
                EXAMPLES,
                "-B",
                build,
                "-G",
                "Ninja",
                f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
            )
            run(CMAKE, "--build", build)
            done = run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
            self.assertIn("100% tests passed", done)
            for text in (
                "two words, two words",
                "two\n\nwords\ntwo words\n",
                "Words; words TWO two.",
            ):
                file = Path(build) / "text"
                file.write_text(text)
                self.assertEqual(
                    run(Path(build) / "words", file).split(), ["2", "two", "2", "words"], text
                )
            self.assert_ends_with_1(Path(build) / "words", "/no/such/file")

    def assert_ends_with_1(self, *command):
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("cannot read /no/such/file", done.stderr)

    def pkg_config(self, *options):
        return run("pkg-config", *options, "lazult", PKG_CONFIG_PATH=str(self.libdir / "pkgconfig"))

    def test_pkg_config(self):
        with tempfile.TemporaryDirectory() as build:
            program = Path(build) / "consumer"
            flags = self.pkg_config("--cflags", "--libs").split()
            run(CXX, "-std=c++20", CONSUMER / "main.cpp", "-o", program, *flags)
            self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libdir)), "42")

    def test_pkg_config_in_c(self):
        with tempfile.TemporaryDirectory() as build:
            program = Path(build) / "consumer"
            flags = self.pkg_config("--cflags", "--libs").split()
            run(CC, "-std=c11", CONSUMER / "io.c", "-o", program, *flags)
            self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libdir)), "42")

    def only_archives(self, folder):
        """A folder where the linker finds archives alone, as it does on a machine without the
        shared libraries."""
        folder.mkdir()
        for archive in self.libdir.glob("*.a"):
            (folder / archive.name).symlink_to(archive)
        return folder

    def skip_unless_hwloc_links(self):
        """Its own pkg-config file may name libraries that are not installed, as Debian's names
        libudev."""
        with tempfile.TemporaryDirectory() as build:
            (Path(build) / "empty.c").write_text("int main(void) { return 0; }\n")
            flags = []
            if "Requires.private: hwloc" in (self.libdir / "pkgconfig/lazult.pc").read_text():
                flags = run("pkg-config", "--static", "--libs", "hwloc").split()
            done = subprocess.run(
                [CC, f"{build}/empty.c", "-o", f"{build}/empty", *flags],
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                self.skipTest(
                    f"hwloc's own words for a static link do not link here: {done.stderr.strip()}"
                )

    def test_pkg_config_static(self):
        if not list(self.prefix.rglob("liblazult.a")):
            self.skipTest("this build has no liblazult.a")
        self.skip_unless_hwloc_links()
        with tempfile.TemporaryDirectory() as build:
            program, archives = Path(build) / "consumer", self.only_archives(
                Path(build) / "archives"
            )
            flags = self.pkg_config("--cflags", "--libs", "--static").split()
            run(CXX, "-std=c++20", CONSUMER / "main.cpp", "-o", program, f"-L{archives}", *flags)
            self.assertNotIn("liblazult", run("readelf", "-d", program))
            self.assertEqual(run(program), "42")

    def test_pkg_config_argobots_static_in_c(self):
        if not list(self.prefix.rglob("libabt.a")):
            self.skipTest("this build has no libabt.a")
        self.skip_unless_hwloc_links()
        with tempfile.TemporaryDirectory() as build:
            program, archives = Path(build) / "argobots", self.only_archives(
                Path(build) / "archives"
            )
            flags = self.flags_of("argobots", "--cflags", "--libs", "--static")
            run(CC, DOORS / "argobots.c", "-o", program, f"-L{archives}", *flags)
            self.assertNotIn("libabt", run("readelf", "-d", program))
            self.assertEqual(run(program), "42")

    def flags_of(self, package, *options):
        return run(
            "pkg-config", *options, package, PKG_CONFIG_PATH=str(self.libdir / "pkgconfig")
        ).split()

    def test_pkg_config_names_what_archives_need(self):
        text = (self.libdir / "pkgconfig/lazult.pc").read_text()
        self.assertRegex(text, r"Libs.private: .*-pthread.* -lm")
        if "hwloc" in run("readelf", "-d", self.libdir / "liblazult.so"):
            self.assertIn("Requires.private: hwloc", text)

    def test_pkg_config_doors(self):
        with tempfile.TemporaryDirectory() as build:
            for file in (self.libdir / "pkgconfig").glob("*.pc"):
                door = re.sub("^lazult-", "", re.sub("-(openmpi|mpich)$", "", file.stem))
                if door in ("lazult", "checker") or (door == "openmp" and "clang" in CXX):
                    continue  # the first two have tests of their own
                program = Path(build) / file.stem
                wrapper = (
                    shutil.which(f"mpicc.{file.stem.rsplit('-', 1)[-1]}")
                    if door in ("mpi", "concert")
                    else CC
                )
                if wrapper is None:
                    continue
                run(
                    wrapper,
                    DOORS / f"{door}.c",
                    "-o",
                    program,
                    *self.flags_of(file.stem, "--cflags", "--libs"),
                )
                if door in ("argobots", "openmp"):
                    found = run(
                        "ldd",
                        program,
                        LD_LIBRARY_PATH=str(self.libdir) if door == "argobots" else "",
                    )
                    self.assertIn(str(self.prefix), found)
                    self.assertEqual(run(program, LD_LIBRARY_PATH=str(self.libdir)), "42")

    def doors_here(self):
        files = (self.libdir / "cmake/lazult").glob("lazult-*.cmake")
        return {
            re.match(r"lazult-([a-z]+(-(openmpi|mpich))?)(-\w+)?$", file.stem)[1] for file in files
        }

    def configure_doors(self, build, doors, targets, *options, cxx=False):
        command = (
            CMAKE,
            "-S",
            DOORS,
            "-B",
            build,
            "-G",
            "Ninja",
            f"-DCMAKE_C_COMPILER={CC}",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DDOORS={';'.join(doors)}",
            f"-DTARGETS={';'.join(targets)}",
            f"-DFIND_CXX={cxx}",
            *options,
        )
        return subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )

    def test_components(self):
        here = self.doors_here() & {"argobots", "openmp"}
        if not here or "clang" in CXX:
            self.skipTest(
                "this build has neither of the two doors, or is for another compiler than theirs"
            )
        targets = sorted(here) + (
            ["argobots_static"] if list(self.prefix.rglob("libabt.a")) else []
        )
        with tempfile.TemporaryDirectory() as build:
            done = self.configure_doors(build, sorted(here), targets)
            self.assertEqual(done.returncode, 0, done.stderr)
            run(CMAKE, "--build", build)
            for target in targets:
                self.assertEqual(run(Path(build) / target), "42", target)
            if "openmp" in here:
                self.assertIn(str(self.prefix), run("ldd", Path(build) / "openmp"))

    def test_component_for_an_mpi(self):
        families = sorted(
            name.split("-")[1] for name in self.doors_here() if name.startswith("concert-")
        )
        if not families:
            self.skipTest("this build has no MPI")
        with tempfile.TemporaryDirectory() as build:
            done = self.configure_doors(
                build,
                ["mpi", "concert"],
                ["concert"],
                f"-DLAZULT_MPI_FAMILY={families[-1]}",
                cxx=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            run(CMAKE, "--build", build)
            self.assertIn(f"/concert/{families[-1]}/", run("ldd", Path(build) / "concert"))
        if len(families) > 1:
            with tempfile.TemporaryDirectory() as build:
                done = self.configure_doors(build, ["concert"], ["concert"])
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("set LAZULT_MPI_FAMILY", " ".join(done.stderr.split()))

    def assert_kept_address_is_found(self, program, **environment):
        done = subprocess.run(
            [str(program)],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        self.assertEqual(done.returncode, 66, done.stderr)
        self.assertIn("counter` of the program", done.stderr)

    def skip_without_checker(self):
        if "checker" not in self.doors_here():
            self.skipTest("this build has no checker")

    def test_checker(self):
        self.skip_without_checker()
        with tempfile.TemporaryDirectory() as build:
            run(
                *(CMAKE, "-S", CHECKED, "-B", build, "-G", "Ninja"),
                f"-DCMAKE_CXX_COMPILER={CXX}",
                f"-DCMAKE_PREFIX_PATH={self.prefix}",
            )
            run(CMAKE, "--build", build)
            self.assert_kept_address_is_found(Path(build) / "checked")

    def test_checker_by_pkg_config(self):
        self.skip_without_checker()
        with tempfile.TemporaryDirectory() as folder:
            objects, program = Path(folder) / "checked.o", Path(folder) / "checked"
            to_compile = self.flags_of("lazult-checker", "--cflags")
            to_link = self.flags_of("lazult-checker", "--libs")
            run(CXX, "-std=c++20", *to_compile, "-c", CHECKED / "main.cpp", "-o", objects)
            run(CXX, objects, "-o", program, *to_link)
            self.assert_kept_address_is_found(program, LD_LIBRARY_PATH=str(self.libdir))

    def test_missing_component_is_named(self):
        with tempfile.TemporaryDirectory() as build:
            done = self.configure_doors(build, ["openmpx"], [])
            self.assertNotEqual(done.returncode, 0)
            words = " ".join(done.stderr.split())
            self.assertIn("there is no component openmpx", words)
            for door in self.doors_here():
                self.assertIn(door.split("-")[0], words)

    def test_one_component_is_installed_alone(self):
        libraries = {"openmp": "libgomp.so.1", "checker": "liblazult-checker.so"}
        doors = sorted(self.doors_here() & set(libraries))
        if not doors:
            self.skipTest("this build has none of them")
        for door in doors:
            with self.subTest(door=door), tempfile.TemporaryDirectory() as folder:
                run(CMAKE, "--install", BUILD, "--prefix", folder, "--component", door)
                found = {path.name for path in Path(folder).rglob("*") if not path.is_dir()}
                self.assertLess({libraries[door], f"lazult-{door}.pc"}, found)
                self.assertFalse(
                    any(name.startswith(("liblazult.", "libabt", "abt.h")) for name in found), found
                )

    def test_programs_of_our_commands_are_not_among_libraries(self):
        for path in self.libdir.rglob("*"):
            if path.is_file() and not path.is_symlink():
                self.assertRegex(path.name, r"\.so(\.[0-9.]+)?$|\.a$|\.pc$|\.cmake$", path)
        if (self.prefix / "bin/lazult").exists():
            self.assertTrue((self.prefix / "libexec/lazult/soak/native").exists())

    def test_gdb_loads_its_script_from_auto_load(self):
        if shutil.which("gdb") is None:
            self.skipTest("no gdb here")
        with tempfile.TemporaryDirectory() as folder:
            prefix = Path(folder).resolve() / "prefix"
            run(CMAKE, "--install", BUILD, "--prefix", prefix, "--component", "core")
            libdir = next(prefix.rglob("liblazult.so")).parent
            scripts = prefix / "share/gdb/auto-load"
            program = Path(folder) / "consumer"
            flags = run(
                "pkg-config",
                "--cflags",
                "--libs",
                "lazult",
                PKG_CONFIG_PATH=str(libdir / "pkgconfig"),
            ).split()
            run(CXX, "-std=c++20", CONSUMER / "main.cpp", "-o", program, *flags)
            text = run(
                "gdb",
                "-nx",
                "-batch",
                "-iex",
                "set debuginfod enabled off",
                "-iex",
                f"set auto-load scripts-directory {scripts}",
                "-iex",
                f"set auto-load safe-path {scripts}",
                "-ex",
                f"set environment LD_LIBRARY_PATH {libdir}",
                "-ex",
                "break main",
                "-ex",
                "run",
                "-ex",
                "lazult ults",
                "-ex",
                "kill",
                program,
            )
            self.assertRegex(text, r"\d+ units: ")
            self.assertTrue((prefix / "share/lazult/lazult_gdb.py").exists())

    def test_soname(self):
        """Each library says its name with a number, and is found by it: docs/abi.md."""
        package = (self.libdir / "pkgconfig/lazult.pc").read_text()
        major, minor, _ = re.search(r"^Version: (.*)$", package, re.M)[1].split(".")
        number = f"0.{minor}" if major == "0" else major
        ours = ("liblazult", "liblazult-mpi", "liblazult-concert")
        expected = {f"{name}.so": f"{name}.so.{number}" for name in ours}
        expected |= {"libabt.so": "libabt.so.1", "libgomp.so.1": "libgomp.so.1"}
        for name, soname in expected.items():
            for library in self.libdir.rglob(name):
                said = re.findall(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", library))
                self.assertEqual(said, [soname], library)
                self.assertTrue((library.parent / soname).exists(), library)
        self.assertTrue((self.libdir / expected["liblazult.so"]).exists())

    def test_no_internal_headers(self):
        for floor in FLOORS:
            self.assertFalse((self.prefix / "include" / "lazult" / floor).exists(), floor)

    def test_internal_symbols_are_for_our_own_doors(self):
        names = run("nm", "-DC", "--defined-only", self.libdir / "liblazult.so").splitlines()
        functions = [
            line.split(maxsplit=2)[2] for line in names if line.split(maxsplit=2)[1] in "TDB"
        ]
        leaked = [
            name
            for name in functions
            if any(name.startswith(f"lazult::{floor}::") for floor in FLOORS)
            and "@@LAZULT_PRIVATE" not in name
        ]
        self.assertEqual(leaked, [])

    def test_command(self):
        command = self.prefix / "bin" / "lazult"
        if not command.exists():
            self.skipTest("this build has no command")
        run(command, "--help")

    def test_manual_page_and_completions(self):
        command = self.prefix / "bin" / "lazult"
        if not command.exists():
            self.skipTest("this build has no command")
        files = {
            "man": "man/man1/lazult.1",
            "bash": "bash-completion/completions/lazult",
            "zsh": "zsh/site-functions/_lazult",
            "fish": "fish/vendor_completions.d/lazult.fish",
        }
        for what, name in files.items():
            self.assertEqual(
                (self.prefix / "share" / name).read_text().strip(),
                run(command, "generate", what),
                name,
            )

    def test_comparison_with_peers_is_installed_with_its_sources(self):
        command = self.prefix / "bin" / "lazult"
        if not command.exists():
            self.skipTest("this build has no command")
        self.assertEqual(len(run(command, "bench", "peers", "--list").splitlines()), 22)
        folder = next(self.prefix.rglob("bench/peers/peers.py")).parents[1]
        for name in (
            "driver.h",
            "peers/lazult/main.cpp",
            "peers/go/main.go",
            "argobots/main.c",
            "peers/case.h",
        ):
            self.assertTrue((folder / name).exists(), name)
        self.assertEqual(
            [
                path
                for path in folder.rglob("*")
                if path.name == "__pycache__" or path.suffix == ".pyc"
            ],
            [],
        )


if __name__ == "__main__":
    unittest.main()
