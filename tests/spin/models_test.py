#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs Spin over the models of this folder: each must hold, and with an error planted (-DPLANT_...)
must not.

usage: models_test.py [--deep] [MODEL...]

A run is searched twice: for assertions and deadlocks, and, under weak fairness, for its property
`goes_on`. With an error planted one of the two must fail. --deep has more errors, more variants and
larger instances.

A comment /* = FILE | TEXT */ in a model names the statement that a step stands for. It must still
be there.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
SKIPPED = 77
SECONDS = 900
DEEPLY = False

# model: (what is defined: the model holds), (what is defined: it does not)
QUICK = {
    "park": ([""], ["PLANT_BLIND_COMMIT"]),
    "join": (
        ["", "LANE TWO_JOINERS", "LOCAL"],
        ["LANE TWO_JOINERS PLANT_UNREVOKED", "LOCAL PLANT_OPENED_FROM_ELSEWHERE"],
    ),
    "promotion": (["", "SS"], ["PLANT_PUBLISHED_EARLY", "SS PLANT_RETURN_NOT_REWRITTEN"]),
    "sleep": ([""], ["PLANT_NO_BARRIER"]),
    "shutdown": (["STREAMS=1"], ["STREAMS=1 PLANT_NO_BARRIER"]),
    "port": ([""], ["PLANT_BELL_KEPT", "PLANT_QUIET", "PLANT_NO_LOCK", "PLANT_NO_CALL"]),
    "lending": (["", "LOOKS=8"], ["PLANT_NO_HOLD_OFF", "PLANT_UNCOUNTED", "PLANT_COUNT_READ_LAST"]),
    "staying": (
        ["", "BOTH_STAY"],
        [
            "PLANT_OWNER_NOT_AWAITED",
            "PLANT_NO_SECOND_LOOK",
            "PLANT_NO_LOOK_AFTER_PUSH",
            "BOTH_STAY PLANT_OWNER_NOT_WOKEN",
        ],
    ),
}
DEEP = {
    "park": (
        ["WAKERS=3"],
        ["PLANT_FORGOTTEN_TOKEN", "PLANT_UNPARK_STORES", "PLANT_NOT_MARKED", "PLANT_DOES_NOT_WAIT"],
    ),
    "join": (
        ["LANE", "TWO_JOINERS", "LANE THREE_JOINERS", "RECORD"],
        [
            "LANE TWO_JOINERS PLANT_MARKED_LATE",
            "LANE THREE_JOINERS PLANT_TRUSTS_ANOTHERS_BARRIER",
            "PLANT_STORE_OVER_LIVE",
            "RECORD PLANT_STORE_OVER_RECORD",
            "PLANT_NOT_MARKED",
            "PLANT_TOUCHED_AFTER_THE_END",
        ],
    ),
    "promotion": (
        [],
        [
            "PLANT_HOST_KEEPS_THE_STACK",
            "SS PLANT_PUBLISHED_EARLY",
            "PLANT_STACK_READ_AFTER_THE_END",
            "PLANT_RELEASED_FROM_ITSELF",
        ],
    ),
    "sleep": (["PUSHERS=2 STREAMS=1"], ["PLANT_NO_SECOND_LOOK"]),
    "shutdown": (
        [""],
        ["STREAMS=1 PLANT_STOP_NOT_LOOKED_FOR", "STREAMS=1 PLANT_WAKES_FIRST", "PLANT_NO_PASS_ON"],
    ),
    "staying": (
        ["LIVES=2", "STEPS=3 SECOND_STAYS", "UNITS=2 BOTH_STAY", "UNITS=2 SECOND_STAYS"],
        ["PLANT_NOT_EMPTIED", "PLANT_SENT_INTO_LANE", "SECOND_STAYS PLANT_NO_LOOK_AFTER_PUSH"],
    ),
}


def named_statements(text):
    """(file, text) of each comment that names a statement, which may end on the next line."""
    for match in re.finditer(r"= (lazult/\S+) \| ((?:(?!\*/).)*)", text):
        yield match[1], match[2].strip()


def stale_names():
    """What the models name and the tree does not have."""
    stale = []
    count = 0
    for model in sorted(FOLDER.glob("*.pml")):
        for file, statement in named_statements(model.read_text()):
            count += 1
            source = ROOT / file
            words = " ".join(statement.split())
            if not source.is_file() or words not in " ".join(source.read_text().split()):
                stale.append(f"{model.name}: {file} has no `{statement}`")
    return stale if count else ["no model names any statement"]


def run(command, folder):
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return done.stdout + done.stderr


def look(folder, claim):
    """What one search finds, or None. Without the claim, or where it is followed, under weak
    fairness."""
    options = ["-DNFAIR=4"] if claim else ["-DNOCLAIM", "-DSAFETY", "-DCOLLAPSE"]
    words = run(["cc", "-O1" if DEEPLY else "-O0", "-w", *options, "-o", "pan", "pan.c"], folder)
    if words:
        raise RuntimeError(f"cc: {words}")
    words = run(["./pan", *(["-a", "-f"] if claim else []), "-m1000000", "-w22"], folder)
    errors = re.search(r"errors: (\d+)", words)
    if errors is None or "max search depth too small" in words or "out of memory" in words:
        raise RuntimeError(f"pan: not searched whole: {words}")
    if errors[1] == "0":
        return None
    found = re.search(r"pan:1: (.*)", words)
    return found[1] if found else words


def search(model, defined):
    """What is wrong with a model, or None."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-D" + each for each in defined.split()]
        words = run(["spin", *flags, "-a", str(FOLDER / f"{model}.pml")], folder)
        if not Path(folder, "pan.c").is_file() or "rror" in words:
            raise RuntimeError(f"spin: {words}")
        found = look(folder, claim=False)
        if found is None:
            found = look(folder, claim=True)
        return found


def judge(model, defined, holds):
    """One line, and whether it is as it should be."""
    try:
        failure = search(model, defined)
    except (RuntimeError, subprocess.TimeoutExpired) as problem:
        return False, f"{model} {defined}: {problem}"
    if holds:
        return failure is None, f"{model} [{defined}]: {failure or 'holds'}"
    return failure is not None, f"{model} [{defined}]: " + (
        f"found: {failure}" if failure else "NOT found"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deep", action="store_true")
    parser.add_argument("models", nargs="*", choices=[[], *QUICK])
    options = parser.parse_args()
    global DEEPLY
    DEEPLY = options.deep
    if shutil.which("spin") is None or shutil.which("cc") is None:
        print("there is no spin, or no C compiler")
        return SKIPPED
    stale = stale_names()
    print("\n".join(stale))
    chosen = options.models or QUICK
    tasks = []
    for table in (QUICK, DEEP) if options.deep else (QUICK,):
        for model in table:
            if model in chosen:
                tasks += [(model, defined, True) for defined in table[model][0]]
                tasks += [(model, defined, False) for defined in table[model][1]]
    with ThreadPoolExecutor(min(2, os.cpu_count() or 1)) as pool:
        outcomes = list(pool.map(lambda task: judge(*task), tasks))
    for _, line in outcomes:
        print(line)
    bad = sum(not right for right, _ in outcomes)
    print(f"{len(outcomes) - bad} as expected, {bad} not")
    return 1 if bad or stale or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
