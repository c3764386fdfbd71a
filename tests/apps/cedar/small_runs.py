# SPDX-License-Identifier: BSD-3-Clause
"""Runs of a small system, for the tests beside this file. Their arguments are
PROGRAM [OPTION...] -- COMMAND..."""
import json
import os
import subprocess
import sys
import tempfile

SMALL = ["--residues", "20", "--waters", "200"]
NEAR = ["--cutoff", "0.5", "--list", "0.6"]

BREAK = sys.argv.index("--")
PLAIN = [sys.argv[1]]
OPTIONS = sys.argv[2:BREAK]
OVER_RANKS = sys.argv[BREAK + 1 :]


def run(command, *options, **variables):
    return subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**os.environ, **variables},
    )


def found_by(command, *options):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "found.json")
        done = run(command, *SMALL, *NEAR, "--json", file, *options)
        if done.returncode != 0:
            sys.exit(f"it ends with {done.returncode}:\n{done.stdout}\n{done.stderr}")
        with open(file, encoding="utf-8") as text:
            return json.load(text)
