# SPDX-License-Identifier: BSD-3-Clause
"""usage: versions_table.py PROGRAM -- COMMAND... - fails unless the script that compares versions
has a row for the program and for each version of the command on two ranks."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from small_runs import NEAR, OVER_RANKS, PLAIN, SMALL

SCRIPT = Path(__file__).resolve().parents[3] / "apps/cedar/concert/versions.py"
ROWS = ["iccedar", "2 heap push", "2 heap pull", "2 stack push", "2 stack pull"]

with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, "rows.json")
    build = Path(PLAIN[0]).parents[1]
    mpi = Path(OVER_RANKS[-1]).parent.name
    script = [sys.executable, str(SCRIPT), "--build", str(build), "--mpi", mpi, "--ranks", "2"]
    script += ["--rounds", "1", "--steps", "5", "--json", file]
    done = subprocess.run(
        [*script, "--", *SMALL, *NEAR, "--minimise", "20"],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    if done.returncode != 0:
        sys.exit(f"it ends with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    with open(file, encoding="utf-8") as text:
        rows = json.load(text)["rows"]

for name in ROWS:
    if name not in done.stdout:
        sys.exit(f"no row {name} in\n{done.stdout}")
if len(rows) != len(ROWS) or rows[1]["contexts"] <= rows[3]["contexts"]:
    sys.exit(f"calls on the stack make as many contexts as calls in contexts:\n{done.stdout}")
if not all(row["ms_least"] <= row["ms"] <= row["ms_most"] for row in rows):
    sys.exit(f"a median is no median:\n{done.stdout}")
