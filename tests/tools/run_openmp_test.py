# SPDX-License-Identifier: BSD-3-Clause
"""lazult run --openmp: it says which OpenMP runtime a program gets, and --preload exchanges copies
of gcc's, too."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from command import BIN, command_test

OURS = (BIN / "../lib/lazult/openmp/libgomp.so.1").resolve().parent / "libgomp.so.1"
GCC = shutil.which("gcc-12") or shutil.which("gcc")
# Of the same length as libgomp.so.1, so that it can be written over that name in a copy of the
# file.
COPY = "libgomp-1.so"

# Prints in which file the runtime is, and how many threads a region has.
PROGRAM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
int main(void) {
    Dl_info found;
    int threads = 0;
#pragma omp parallel num_threads(3) reduction(+ : threads)
    threads += omp_get_num_threads() / 3;
    if (dladdr(dlsym(RTLD_DEFAULT, "GOMP_parallel"), &found) != 0)
        printf("%s %d\\n", found.dli_fname, threads);
    return 0;
}
"""


def gcc(*arguments):
    return subprocess.run(
        [GCC, *map(str, arguments)], check=True, capture_output=True, text=True
    ).stdout.strip()


@unittest.skipUnless(OURS.exists() and GCC, "needs the OpenMP door and gcc")
class run_openmp(command_test):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "program.c").write_text(PROGRAM)
        gcc("-fopenmp", "-fPIC", "-c", self.folder / "program.c", "-o", self.folder / "program.o")

    def link(self, *options):
        gcc(self.folder / "program.o", "-o", self.folder / "program", *options, "-ldl")
        return self.folder / "program"

    def says(self, *arguments):
        done = self.succeed("run", *arguments, LD_LIBRARY_PATH="", LD_PRELOAD="")
        lines = [
            line for line in done.stderr.splitlines() if line.startswith("lazult: OpenMP runtime: ")
        ]
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0].removeprefix("lazult: OpenMP runtime: "), done.stdout.strip()

    def copied_runtime(self):
        """gcc's library under another name, as wheels bring it, and a program that is linked with
        that."""
        library = Path(gcc("-print-file-name=libgomp.so")).resolve()
        data = library.read_bytes()
        self.assertIn(b"libgomp.so.1\0", data)
        (self.folder / COPY).write_bytes(data.replace(b"libgomp.so.1\0", COPY.encode() + b"\0"))
        return self.link(f"-L{self.folder}", f"-l:{COPY}", f"-Wl,-rpath,{self.folder}")

    def is_checked_by_sanitizer(self):
        return b"__asan_init" in OURS.read_bytes() or b"__tsan_init" in OURS.read_bytes()

    def test_program_by_gcc(self):
        program = self.link("-fopenmp")
        if self.is_checked_by_sanitizer():
            self.skipTest("a program without the sanitizer cannot load the library")
        said, printed = self.says("--openmp", "--", program)
        self.assertEqual(said, str(OURS))
        self.assertEqual(printed, f"{OURS} 3")

    def test_copy_of_the_runtime_is_not_ours(self):
        said, printed = self.says("--openmp", "--", self.copied_runtime())
        self.assertIn(COPY, said)
        self.assertIn("not ours", said)
        self.assertIn("--preload", said)
        self.assertEqual(printed, f"{self.folder / COPY} 3")

    def test_copy_of_the_runtime_is_replaced_by_preloading(self):
        program = self.copied_runtime()
        if self.is_checked_by_sanitizer():
            self.skipTest("a program without the sanitizer cannot load the library")
        said, printed = self.says("--openmp", "--preload", "--", program)
        self.assertIn(f"{OURS}, preloaded before {self.folder / COPY}", said)
        self.assertEqual(printed, f"{OURS} 3")

    def other_runtime(self):
        """With another compiler's runtime: its name is all that matters."""
        (self.folder / "other.c").write_text("int other_runtime(void) { return 0; }\n")
        (self.folder / "user.c").write_text(
            "int other_runtime(void);\nint main(void) { return other_runtime(); }\n"
        )
        gcc(
            "-shared",
            "-fPIC",
            self.folder / "other.c",
            "-Wl,-soname,libomp.so.5",
            "-o",
            self.folder / "libomp.so.5",
        )
        gcc(
            self.folder / "user.c",
            "-o",
            self.folder / "user",
            f"-L{self.folder}",
            "-l:libomp.so.5",
            f"-Wl,-rpath,{self.folder}",
        )
        return self.folder / "user"

    def test_program_by_clang(self):
        said, _ = self.says("--openmp", "--", self.other_runtime())
        self.assertIn(str(self.folder / "libomp.so.5"), said)
        self.assertIn("does not replace it", said)
        self.assertNotIn(str(OURS), said)

    def test_two_runtimes_are_not_mixed(self):
        self.refuse(
            "run",
            "--preload",
            "--",
            self.other_runtime(),
            words=("--preload", "libomp.so.5", "with gcc"),
        )

    def test_static_program(self):
        (self.folder / "static.c").write_text("int main(void) { return 0; }\n")
        try:
            gcc("-static", self.folder / "static.c", "-o", self.folder / "static")
        except subprocess.CalledProcessError:
            self.skipTest("there is no static C library")
        said, _ = self.says("--openmp", "--", self.folder / "static")
        self.assertIn("statically", said)
        self.assertNotIn(str(OURS), said)

    def test_interpreter_that_loads_libraries_later(self):
        script = self.folder / "script"
        script.write_text(
            f"#!{sys.executable}\nimport ctypes\n"
            "print(ctypes.CDLL('libgomp.so.1').omp_get_thread_num())\n"
        )
        script.chmod(0o755)
        if self.is_checked_by_sanitizer():
            self.skipTest("a program without the sanitizer cannot load the library")
        said, printed = self.says("--openmp", "--", script)
        self.assertIn("is linked with none", said)
        self.assertIn("--preload", said)
        self.assertEqual(printed, "0")

    def test_program_that_is_not_there(self):
        done = subprocess.run(
            [str(BIN / "lazult"), "run", "--openmp", "--", "no-such-program-of-mine"],
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ),
        )
        self.assertEqual(done.returncode, 127)
        self.assertNotIn("OpenMP runtime", done.stderr)


if __name__ == "__main__":
    unittest.main()
