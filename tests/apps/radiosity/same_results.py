# SPDX-License-Identifier: BSD-3-Clause
"""usage: same_results.py PROGRAM COMMAND... - fails unless the command, which takes the same
options, finds the same elements, interactions and radiosities as the program."""
import json
import os
import subprocess
import sys
import tempfile

SCENE = ["--scene", "box", "--area-eps", "20000", "--bf-eps", "0.05"]
SAME = ["elements", "leaves", "interactions", "visibilities", "iterations", "energy", "checksum"]


def results_of(command, file):
    subprocess.run([*command, *SCENE, "--json", file], check=True, timeout=200)
    with open(file, encoding="utf-8") as text:
        return json.load(text)


with tempfile.TemporaryDirectory() as folder:
    expected = results_of([sys.argv[1]], os.path.join(folder, "expected"))
    found = results_of(sys.argv[2:], os.path.join(folder, "found"))

if expected["elements"] < 500:
    sys.exit(f"only {expected['elements']} elements: this tests little")
for what in SAME:
    if found[what] != expected[what]:
        sys.exit(f"{what}: {found[what]}, but the sequential program finds {expected[what]}")
if found["ranks"] > 1 and found["counters"]["cache_hits"] == 0:
    sys.exit("no element of another rank was remembered")
