#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the commands of docs/trust.md and writes what they found into its table.

usage: trust.py [--builds DIR] [--revision R] [--long] [--row NAME ...]
       trust.py --record NAME TEXT [--date DAY] [--revision R] [--processor P]
       trust.py --render | --check | --list

docs/trust.json has the rows: `what`, what it `shows`, and the command, which is one of
  ctest     options of ctest, run in the build that `build` names ("release")
  run       a command of the shell, run at the root
  by_hand   words; the result is recorded
`long` rows are run only when they are named or with --long. The result of a row of ctest is how
many tests passed; a script of several cases counts as many. `figures` are pairs instead: a regular
expression with a group for each number, and words with {} for each sum of what the group found.

docs/results/trust.json has the results, each with date, revision and processor. A row that fails
is shown as failed, and the exit code is 1. A row that finds no test, or not its figure, is an
error, and so is a build that is not there: the row keeps its last result, and the exit code is 2.
"""
import argparse
import datetime
import json
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import pages

CASES = re.compile(r"^(?:.*: )?Ran (\d+) tests? in ", re.M)
NOT_PASSED = re.compile(r"^(?:OK|FAILED) \((.*)\)$", re.M)
KINDS = ("ctest", "run", "by_hand")


def load_rows(root):
    rows = json.loads((root / "docs/trust.json").read_text(encoding="utf-8"))
    names = [row["name"] for row in rows]
    for row in rows:
        if names.count(row["name"]) > 1:
            raise pages.wrong(f"docs/trust.json: two rows have the name {row['name']}")
        if sum(kind in row for kind in KINDS) != 1:
            raise pages.wrong(f"{row['name']}: give one of {', '.join(KINDS)}")
    return rows


def results_file(root):
    return root / "docs/results/trust.json"


def load_results(root):
    file = results_file(root)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def save_results(root, rows, results):
    """In the order of the rows, without those of rows that are gone."""
    kept = {row["name"]: results[row["name"]] for row in rows if row["name"] in results}
    results_file(root).parent.mkdir(parents=True, exist_ok=True)
    results_file(root).write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


class outcome:
    """What a command did: how many tests passed, failed and were skipped, and what it printed."""

    def __init__(self, passed=0, failed=0, skipped=0, text="", ended_well=True):
        self.passed, self.failed, self.skipped = passed, failed, skipped
        self.text = text
        self.ended_well = ended_well and failed == 0


def cases_of(text):
    """(passed, failed, skipped) of the cases of Python's unittest in a test's output, or None."""
    ran = sum(int(number) for number in CASES.findall(text))
    if ran == 0:
        return None
    counts = {}
    for words in NOT_PASSED.findall(text):
        for pair in words.split(", "):
            key, _, number = pair.partition("=")
            counts[key] = counts.get(key, 0) + int(number)
    failed, skipped = counts.get("failures", 0) + counts.get("errors", 0), counts.get("skipped", 0)
    return ran - failed - skipped, failed, skipped


def counts_of(case):
    """(passed, failed, skipped) of one test of ctest's JUnit file."""
    found = cases_of(case.findtext("system-out") or "")
    if case.get("status") == "fail":
        return found if found and found[1] else (0, 1, 0)
    if case.get("status") != "run":
        return 0, 0, 1
    return found or (1, 0, 0)


def junit_outcome(row, file, ended_well):
    cases = xml.parse(file).getroot().findall("testcase") if file.exists() else []
    if not cases:
        raise pages.wrong(f"{row['name']}: no test is found by: ctest {row['ctest']}")
    passed, failed, skipped = (sum(each) for each in zip(*map(counts_of, cases)))
    if passed + failed == 0:
        raise pages.wrong(f"{row['name']}: each of its {skipped} tests was skipped")
    text = "\n".join(case.findtext("system-out") or "" for case in cases)
    return outcome(passed, failed, skipped, text, ended_well)


def run_ctest(row, builds):
    build = builds / row.get("build", "release")
    if not (build / "CTestTestfile.cmake").exists():
        raise pages.wrong(f"{row['name']}: there is no build with tests in {build}")
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        command = ["ctest", "--test-dir", str(build), *shlex.split(row["ctest"])]
        command += ["--no-tests=error", "--output-junit", str(junit)]
        command += ["--test-output-size-passed", "100000000"]
        command += ["--test-output-size-failed", "100000000"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return junit_outcome(row, junit, done.returncode == 0)


def run_shell(row, root):
    done = subprocess.run(
        ["bash", "-c", row["run"]], cwd=root, capture_output=True, text=True, check=False
    )
    return outcome(text=done.stdout + done.stderr, ended_well=done.returncode == 0)


def number(words):
    return float(words) if "." in words else int(words.replace(",", ""))


def figure(row, pattern, words, found):
    matches = [match.groups() for match in re.finditer(pattern, found.text)]
    if matches:
        sums = [sum(map(number, column)) for column in zip(*matches)]
        return words.format(*(f"{total:,}" for total in sums))
    if found.ended_well:
        raise pages.wrong(f"{row['name']}: what it printed does not have: {pattern}")
    return None


def words_of(row, found):
    """The row's cell."""
    if "figures" in row:
        figures = [figure(row, pattern, words, found) for pattern, words in row["figures"]]
        return ", ".join(filter(None, figures)) or "no figure"
    if "ctest" in row:
        counts = ((found.passed, "passed"), (found.failed, "failed"), (found.skipped, "skipped"))
        kept = [f"{n:,} {word}" for n, word in counts if n or word == "passed"]
        return ", ".join(kept)
    return "passed" if found.ended_well else "ended with an error"


def run_row(row, root, builds):
    """The row's result, without date, revision and processor."""
    if "by_hand" in row:
        raise pages.wrong(f"{row['name']}: is done by hand; give its result by --record")
    found = run_ctest(row, builds) if "ctest" in row else run_shell(row, root)
    return {"result": words_of(row, found), "failed": not found.ended_well}


def command_words(row):
    words = f"`ctest {row['ctest']}`" if "ctest" in row else row.get("by_hand")
    words = words or f"`{row['run']}`"
    build = row.get("build", "release")
    return words if build == "release" else f"{words} in `build/{build}`"


def result_words(result):
    if result is None:
        return "not run"
    return ("**failed**: " if result["failed"] else "") + result["result"]


def taken_words(result, known):
    if result is None:
        return ""
    letter = known.letter(result.get("processor"))
    return f"{pages.day(result)}, {result.get('revision') or '?'}, {letter}"


def render(root):
    """The table and its legend."""
    rows, results, known = load_rows(root), load_results(root), pages.processors()
    lines = []
    for row in rows:
        result = results.get(row["name"])
        cells = [row["what"], command_words(row), row["shows"]]
        lines.append([*cells, result_words(result), taken_words(result, known)])
    columns = ["What", "Command", "It shows", "Result", "Date, revision, processor"]
    return pages.table(columns, lines) + f"\nProcessors: {known.legend()}; ?: not recorded.\n"


def write_page(root):
    pages.update(root / "docs/trust.md", lambda name: render(root))


def check(root):
    text = (root / "docs/trust.md").read_text(encoding="utf-8")
    if pages.with_tables(text, lambda name: render(root)) == text and pages.tables_in(text):
        return 0
    print("docs/trust.md is not what trust.json and its results make: tools/docs/trust.py --render")
    return 1


def chosen(rows, names, long):
    unknown = set(names) - {row["name"] for row in rows}
    if unknown:
        raise pages.wrong(f"there is no row {', '.join(sorted(unknown))}: see --list")
    if names:
        return [row for row in rows if row["name"] in names]
    return [row for row in rows if "by_hand" not in row and (long or not row.get("long"))]


def taken_now(options):
    return {
        "date": options.date or datetime.date.today().isoformat(),
        "revision": options.revision or pages.revision(options.root),
        "processor": options.processor or pages.processor(),
    }


def run_rows(options):
    rows, results, code = load_rows(options.root), load_results(options.root), 0
    for row in chosen(rows, options.row, options.long):
        print(f"{row['name']}: ", end="", flush=True)
        try:
            result = run_row(row, options.root, options.builds)
        except pages.wrong as reason:
            print(f"error: {reason}")
            code = 2
            continue
        print(result_words(result), flush=True)
        code = max(code, int(result["failed"]))
        results[row["name"]] = {**result, **taken_now(options)}
        save_results(options.root, rows, results)
    write_page(options.root)
    return code


def record(options):
    rows, results = load_rows(options.root), load_results(options.root)
    name, words = options.record
    chosen(rows, [name], False)
    result = {"result": words, "failed": options.failed, **taken_now(options)}
    results[name] = result
    save_results(options.root, rows, results)
    write_page(options.root)
    return 0


def list_rows(root):
    for row in load_rows(root):
        note = "by hand" if "by_hand" in row else "long" if row.get("long") else ""
        print(f"{row['name']:<24}{note:<10}{command_words(row)}")
    return 0


def parsed(words):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", type=Path, default=pages.ROOT, help="the tree with docs/")
    parser.add_argument("--builds", type=Path, help="the folder of the builds (ROOT/build)")
    parser.add_argument("--row", nargs="+", default=[], metavar="NAME", help="runs these alone")
    parser.add_argument("--long", action="store_true", help="runs the long rows, too")
    parser.add_argument("--record", nargs=2, metavar=("NAME", "TEXT"), help="a result by hand")
    parser.add_argument("--failed", action="store_true", help="what is recorded is a failure")
    parser.add_argument("--date", help="of the result (today)")
    parser.add_argument("--revision", help="of the result (git's)")
    parser.add_argument("--processor", help="of the result (this machine's)")
    parser.add_argument("--render", action="store_true", help="writes the table alone")
    parser.add_argument("--check", action="store_true", help="only compares the table")
    parser.add_argument("--list", action="store_true", help="lists the rows")
    options = parser.parse_args(words)
    options.builds = options.builds or options.root / "build"
    return options


def main(words):
    options = parsed(words)
    try:
        if options.list:
            return list_rows(options.root)
        if options.check:
            return check(options.root)
        if options.record:
            return record(options)
        if options.render:
            write_page(options.root)
            return 0
        return run_rows(options)
    except pages.wrong as reason:
        print(f"trust.py: {reason}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
