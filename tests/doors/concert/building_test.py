# SPDX-License-Identifier: BSD-3-Clause
"""The programs and the command lines of docs/messages.md and docs/concert.md, as they stand there,
against an installation."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ["LAZULT_SOURCE_DIR"])
BUILD = Path(os.environ["LAZULT_BUILD_DIR"])
CMAKE = os.environ.get("LAZULT_CMAKE", "cmake")
LAUNCHERS = {
    name: words
    for name, _, words in (
        each.partition("=") for each in os.environ["LAZULT_MPI_LAUNCHERS"].split("|") if each
    )
}
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "LAZULT_BIND": "off",
}


def block(page, language, words):
    blocks = re.findall(
        rf"^```{language}\n(.*?)^```$",
        (SOURCE / "docs" / page).read_text(),
        re.MULTILINE | re.DOTALL,
    )
    return next(each for each in blocks if words in each)


def installation(folder):
    done = subprocess.run(
        [CMAKE, "--install", str(BUILD), "--prefix", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise AssertionError(done.stdout)


class documented_lines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.prefix = Path(cls.folder.name) / "prefix"
        installation(cls.prefix)
        cls.library = next(cls.prefix.rglob("liblazult.so")).parent.relative_to(cls.prefix)

    def test_example_is_built_and_runs(self):
        for mpi, launcher in LAUNCHERS.items():
            compiler = shutil.which(f"mpicc.{mpi}") or shutil.which("mpicc")
            with self.subTest(mpi), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "answers.c").write_text(block("messages.md", "c", "answers.c"))
                lines = (
                    block("messages.md", "sh", "answers.c")
                    .replace("/usr/local", str(self.prefix))
                    .replace("mpi=mpich", f"mpi={mpi}")
                )
                lines = lines.replace("mpicc ", f"{compiler} -Wall -Wextra -Werror ").replace(
                    "mpiexec -n", launcher
                )
                lines = lines.replace("/lib/lazult", f"/{self.library}/lazult")
                done = subprocess.run(
                    ["sh", "-e", "-c", lines],
                    cwd=folder,
                    env=ENVIRONMENT,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    timeout=180,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stdout)
                # Each rank has 0, 1, 4, 9 back.
                self.assertEqual(
                    sorted(re.findall(r"rank \d: \d+", done.stdout)),
                    [f"rank {rank}: 14" for rank in range(4)],
                )

    def test_methods_are_built_and_run(self):
        for mpi in LAUNCHERS:
            compiler = shutil.which(f"mpicxx.{mpi}") or shutil.which("mpicxx")
            with self.subTest(mpi), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "fib.cpp").write_text(block("concert.md", "cpp", "fib.cpp"))
                lines = block("concert.md", "sh", "fib.cpp").replace("mpi=mpich", f"mpi={mpi}")
                lines = lines.replace("$prefix/lib", f"$prefix/{self.library}")
                lines = lines.replace("/usr/local", str(self.prefix))
                lines = lines.replace("mpicxx ", f"{compiler} -Wall -Wextra -Werror ")
                done = subprocess.run(
                    ["sh", "-e", "-c", lines],
                    cwd=folder,
                    env=ENVIRONMENT,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    timeout=180,
                    check=False,
                )
                self.assertEqual((done.returncode, done.stdout), (0, "832040\n"))

    def built(self, mpi, program, folder):
        """Compiles a program by the page's command line. Returns the folder of its library."""
        compiler = shutil.which(f"mpicxx.{mpi}") or shutil.which("mpicxx")
        lines = block("concert.md", "sh", "fib.cpp").replace("mpi=mpich", f"mpi={mpi}")
        lines = lines.replace("$prefix/lib", f"$prefix/{self.library}").replace("./fib\n", "")
        lines = lines.replace("/usr/local", str(self.prefix)).replace("fib", program)
        lines = lines.replace("mpicxx ", f"{compiler} -Wall -Wextra -Werror ")
        done = subprocess.run(
            ["sh", "-e", "-c", lines],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def output_of(self, mpi, program, ranks, folder):
        done = subprocess.run(
            [*LAUNCHERS[mpi].split(), str(ranks), f"./{program}"],
            cwd=folder,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_simulated_ranks_are_built_and_run(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "ranks.cpp").write_text(block("concert.md", "cpp", "ranks.cpp"))
                self.built(mpi, "ranks", folder)
                done = subprocess.run(
                    ["./ranks"],
                    cwd=folder,
                    env=ENVIRONMENT,
                    capture_output=True,
                    text=True,
                    timeout=180,
                    check=False,
                )
                self.assertEqual(done.returncode, 0, done.stderr)
                times = [int(t) for t in re.findall(r"(\d+) us, 1984 messages", done.stdout)]
                self.assertEqual(len(times), 2, done.stdout)
                self.assertLess(times[1], times[0])

    def test_objects_are_built_and_run(self):
        for mpi in LAUNCHERS:
            with self.subTest(mpi), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "counters.cpp").write_text(
                    block("concert.md", "cpp", "counters.cpp")
                )
                for name in ("histogram", "tree_search"):
                    shutil.copy(SOURCE / "examples/concert" / f"{name}.cpp", folder)
                for name in ("counters", "histogram", "tree_search"):
                    self.built(mpi, name, folder)
                for ranks in (1, 3):
                    self.assertEqual(self.output_of(mpi, "counters", ranks, folder), "42\n")
                    self.assertIn(
                        f"{100000 * ranks} numbers", self.output_of(mpi, "histogram", ranks, folder)
                    )
                    self.assertIn("best: 451", self.output_of(mpi, "tree_search", ranks, folder))


if __name__ == "__main__":
    unittest.main()
