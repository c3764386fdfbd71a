# SPDX-License-Identifier: BSD-3-Clause
"""Starts those benchmarks of the `lazult` command that run on ranks."""
import os
import subprocess

COMMAND = os.path.join(os.environ["LAZULT_BIN_DIR"], "lazult")
FAMILIES = [
    each.partition("=")[0] for each in os.environ["LAZULT_MPI_LAUNCHERS"].split("|") if each
]
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def bench(*arguments):
    """The finished process, its output as text."""
    return subprocess.run(
        [COMMAND, "bench", *arguments],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
