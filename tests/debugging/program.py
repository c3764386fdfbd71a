# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs of this folder that the build under test made."""
import os
import subprocess
from pathlib import Path

BIN = Path(
    os.environ.get("LAZULT_BIN_DIR", Path(__file__).resolve().parents[2] / "build/release/bin")
)

SUSPENDING = (
    "full",
    "lazy_stack",
    "return_on_completion",
    "stack_separation",
    "scheduler_creation",
)
TECHNIQUES = (*SUSPENDING, "run_to_completion")


def run(*command, limit=120, **environment):
    """The finished process, with what it printed of both kinds as `text`. Options of sanitizers are
    added to those there are."""
    settings = {name: value for name, value in os.environ.items() if not name.startswith("LAZULT_")}
    for name, value in environment.items():
        is_list = name.endswith("SAN_OPTIONS") and name in settings
        settings[name] = f"{settings[name]}:{value}" if is_list else value
    done = subprocess.run(
        [str(word) for word in command],
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=limit,
        check=False,
        errors="replace",
    )
    done.text = done.stdout
    return done
