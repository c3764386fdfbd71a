# SPDX-License-Identifier: BSD-3-Clause
"""Keeps what each step found until all are done, so that an interrupted run goes on, and makes one
file of it: medians of the rounds, with the least and the most."""
import datetime
import json
import os
import shutil
import statistics

# What tells one row of a part from another.
KEYS = (
    *("benchmark", "scheme", "aggregated", "pattern", "bytes", "version", "ranks"),
    *("tau_us", "sigma", "local_percent", "file"),
)
# The names that simulated rows have for the same.
OTHER_NAMES = {"local": "local_percent", "source_us": "harmonic_mean"}
IN_NANOSECONDS = {"source_us": 1000}


def load():
    return [round(each, 2) for each in os.getloadavg()]


def named(row):
    return {
        OTHER_NAMES.get(name, name): value * IN_NANOSECONDS.get(name, 1)
        if name in IN_NANOSECONDS
        else value
        for name, value in row.items()
    }


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def merged(rows):
    """One row of all rounds' for the same thing. Every number that was measured becomes a median;
    `low` and `high` are the least and the most of what the row is about."""
    first = rows[0]
    found = dict(first)
    for name, value in first.items():
        values = [row[name] for row in rows if name in row]
        if name not in KEYS and is_number(value):
            found[name] = statistics.median(values)
    about = next(
        name
        for name in ("efficiency", "harmonic_mean", "seconds", "median", *first)
        if name in first
    )
    values = [row[about] for row in rows]
    if "low" in first:
        found["least"] = min(row["low"] for row in rows)  # where nothing disturbed
    if all(map(is_number, values)):
        # Rows of one round bring their own spread.
        found["low"] = min(values) if len(values) > 1 or "low" not in first else first["low"]
        found["high"] = max(values) if len(values) > 1 or "high" not in first else first["high"]
    found["rounds"] = len(rows)
    return found


def merge(rows):
    same = {}
    for row in map(named, rows):
        same.setdefault(tuple(row.get(key) for key in KEYS), []).append(row)
    return [merged(each) for each in same.values()]


class store:
    """A folder with one file for each step that is done, and the settings of the run."""

    def __init__(self, folder, settings):
        self.folder = folder
        self.settings = settings

    def begin(self, afresh):
        """Whether an earlier run with the same settings is gone on with."""
        file = self.folder / "settings.json"
        same = file.exists() and json.loads(file.read_text(encoding="utf-8")) == self.settings
        if afresh or not same:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(self.settings), encoding="utf-8")
        return same and not afresh

    def file_of(self, step):
        return self.folder / f"{step.key()}.json"

    def has(self, step):
        return self.file_of(step).exists()

    def put(self, step, found):
        file = self.file_of(step)
        draft = file.with_suffix(".draft")
        draft.write_text(json.dumps(found), encoding="utf-8")
        draft.replace(file)  # all of it or nothing

    def get(self, step):
        return json.loads(self.file_of(step).read_text(encoding="utf-8"))

    def end(self):
        shutil.rmtree(self.folder)


def part_of(results):
    """results: what the steps of the part have found, in the order of the rounds."""
    rows = [row for result in results for row in result.get("rows", [])]
    loads = [result["load"][0] for result in results]
    found = {"date": results[0]["date"], "load": [min(loads), max(loads)], "rows": merge(rows)}
    absent = [result["unavailable"] for result in results if "unavailable" in result]
    if absent and not rows:
        found["unavailable"] = absent[0]
    return found


def now():
    return datetime.datetime.now().isoformat(timespec="seconds")
