# SPDX-License-Identifier: BSD-3-Clause
"""The programs that the figures need, and how each is started."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "apps/demo"))

import mpi as demo  # noqa: E402

# The paper's: with and without the stack, by push and by pull.
VERSIONS = {
    "base": ("heap", "push"),
    "stack": ("stack", "push"),
    "pull": ("heap", "pull"),
    "stack+pull": ("stack", "pull"),
}


class failed(Exception):
    """A program cannot be run, or ended with an error."""

    def __init__(self, words, said=None):
        super().__init__(words)
        self.said = said or words


class programs:
    def __init__(self, build, mpi=None):
        self.build = build
        found = demo.launchers(build, "radiosity-concert")
        if mpi is not None:
            found = {name: words for name, words in found.items() if name == mpi}
        if not found:
            raise failed(
                f"{build} was built without MPI; install openmpi-bin libopenmpi-dev or mpich "
                "libmpich-dev, and `make build` again"
            )
        self.mpi, self.launcher = next(iter(found.items()))

    def lazult(self):
        return self.build / "bin/lazult"

    def alone(self, name):
        return self.build / "bin" / name

    def bench(self, what, *arguments):
        return [str(self.lazult()), "bench", what, "--mpi", self.mpi, *map(str, arguments)]

    def over_ranks(self, ranks, name, *arguments):
        program = self.build / "bin" / self.mpi / name
        return [*self.launcher, str(ranks), str(program), *map(str, arguments)]

    def simulated(self, name, *arguments):
        """Without ranks of MPI."""
        return [str(self.build / "bin" / self.mpi / name), *map(str, arguments)]

    def has(self, name):
        return (self.build / "bin" / self.mpi / name).exists()

    def counts_instructions(self):
        """concert-bench under callgrind; it goes without ranks."""
        return self.build / "libexec/lazult/concert" / self.mpi / "concert-bench"


def environment(version=None):
    """Several ranks of one machine do not bind their streams, and have one each."""
    changed = dict(
        os.environ,
        LAZULT_BIND="off",
        LAZULT_STREAMS="1",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    )
    if version is not None:
        calls, scheme = VERSIONS[version]
        changed.update(LAZULT_CONCERT_CALLS=calls, LAZULT_CONCERT_SCHEME=scheme)
    return changed


def run(command, version=None, limit=1800):
    try:
        done = subprocess.run(
            command,
            env=environment(version),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as reason:
        raise failed(f"{' '.join(command)}: {reason}") from reason
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip())[-1000:]
        raise failed(f"{' '.join(command)} ended with {done.returncode}: {said}", said)
    return done.stdout
