#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each mutant of tests/mutants/mutants.json fits the tree: its text stands once in its file."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEWEST = 60

finished = subprocess.run(
    [sys.executable, str(ROOT / "tools/ci/mutants.py"), "--check"], capture_output=True, text=True
)
print(finished.stdout, finished.stderr)
listed = json.loads((ROOT / "tests/mutants/mutants.json").read_text())
floors = {each["file"].split("/")[1] for each in listed}
assert finished.returncode == 0, "a mutant does not fit the tree: give it the text as it is now"
assert len(listed) >= FEWEST, f"{len(listed)} mutants are too few"
assert floors == {"core", "ds", "sched", "sync"}, floors
