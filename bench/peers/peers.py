#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""lazult bench peers: an installed Lazult beside other libraries, in one run, all in turns.

  lazult bench peers --prefix argobots=DIR --prefix massivethreads=DIR --prefix libfork=DIR [ROW
  ...]

Needs python3, pkg-config, and a C and a C++ compiler (CC, CXX). A small program for each library is
compiled when this command runs: ours by the installed headers, with default settings but for the
number of streams. oneTBB, the OpenMP runtimes of gcc and clang, and Go are looked for on the
system; a peer that is not there is shown as missing.

A time is the median of the rounds, a round's that of its repetitions. A ratio is ours over the
peer's: the median of the rounds' ratios, with the least and the most. A row meets its goal where
all its figures do.
"""
import argparse
import dataclasses
import json
import os
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import drivers
import report
import rows


class usage_error(Exception):
    """The command line makes no sense."""


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def ratio(ours, theirs):
    return summary([mine / its for mine, its in zip(ours, theirs)])


def program_of(case):
    return case.split(":")[0]


def fastest(times, cases):
    """The one whose median is the least; None where none was measured."""
    return min(
        (case for case in cases if case in times),
        key=lambda case: statistics.median(times[case]),
        default=None,
    )


def referred_to(each, name, times):
    """What a goal means: a case of ours, or the best of a peer's."""
    return fastest(
        times, [name] if ":" in name else [case for case in each.peers if program_of(case) == name]
    )


def goals_of(each, times):
    """For each library or case that the goal refers to: the ratio, and whether it is low enough;
    None where it is missing."""
    found = []
    for name in each.of:
        case = referred_to(each, name, times)
        has = case and ratio(times[each.case], times[case])
        found.append(
            {
                "of": name,
                "limit": each.limit,
                "ratio": has and has["median"],
                "met": None if has is None else has["median"] <= each.limit,
            }
        )
    return found


def all_met(answers):
    """False if one is, else None if one is not known."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


def judge(each, times, instructions=None):
    """What is said of one figure. `times`: lists of the rounds' times, by PROGRAM:CASE."""
    best = fastest(times, each.peers)
    goals = goals_of(each, times)
    answers = [goal["met"] for goal in goals]
    if each.instructions is not None:
        answers.append(None if instructions is None else instructions <= each.instructions)
    return {
        "peer": best,
        "ratio": best and ratio(times[each.case], times[best]),
        "goals": goals,
        "instructions": instructions,
        "instructions_goal": each.instructions,
        "met": all_met(answers),
        "missing": sorted({program_of(case) for case in each.peers if case not in times}),
    }


def measure_row(one, programs, options, number, inexact, times):
    """Adds a round's time of each case. Each round begins with another one, so that none always
    follows the same neighbour."""
    cases = [
        (case, streams)
        for case, streams in rows.cases_of(one).items()
        if program_of(case) in programs
    ]
    shift = number % len(cases)
    for case, streams in cases[shift:] + cases[:shift]:
        program, name = case.split(":")
        found = drivers.times_of(
            programs[program],
            name,
            options.reps,
            inexact,
            options.quick,
            options.processor if streams == 1 else None,
        )
        times.setdefault(case, []).append(statistics.median(found))


def conditions_of(one):
    return (False, True) if one.switches else (False,)


def measure(chosen, programs, options):
    """The rounds' times, by the row's name and whether a unit has raised FE_INEXACT."""
    found = {(one.name, inexact): {} for one in chosen for inexact in conditions_of(one)}
    for number in range(options.rounds):
        for one in chosen:
            report.progress(f"round {number + 1} of {options.rounds}: {one.name}")
            for inexact in conditions_of(one):
                measure_row(one, programs, options, number, inexact, found[one.name, inexact])
    report.progress("")
    return found


def count_instructions(chosen, programs, options):
    if options.no_instructions or shutil.which("valgrind") is None:
        return {}
    wanted = {each.case: each.counted for one in chosen for each in one.figures if each.counted}
    found = {}
    for case, counts in wanted.items():
        report.progress(f"instructions: {case}")
        program, name = case.split(":")
        found[case] = drivers.instructions_of(programs[program], name, counts)
    report.progress("")
    return found


def judge_all(chosen, times, instructions):
    """(row, figure, inexact, its verdict) of each line of the table. Instructions belong to the
    first condition."""
    lines = []
    for one in chosen:
        for each in one.figures:
            for inexact in conditions_of(one):
                judged = dataclasses.replace(each, instructions=None) if inexact else each
                counted = None if inexact else instructions.get(each.case)
                lines.append((one, each, inexact, judge(judged, times[one.name, inexact], counted)))
    return lines


def parse_prefixes(words):
    prefixes = {}
    for word in words:
        name, equals, folder = word.partition("=")
        if not equals or name not in rows.PEERS:
            raise usage_error(
                f"option --prefix: \"{word}\" names no peer; give NAME=DIR, NAME being one of "
                f"{', '.join(rows.PEERS)}"
            )
        if not Path(folder).is_dir():
            raise usage_error(
                f"option --prefix: \"{folder}\" is no folder; say where {name} is installed"
            )
        prefixes[name] = Path(folder).resolve()
    return prefixes


def choose(names):
    known = {one.name: one for one in rows.ROWS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise usage_error(f"there is no row \"{unknown[0]}\"; give some of {', '.join(known)}")
    return [one for one in rows.ROWS if not names or one.name in names]


def positive(word):
    number = int(word)
    if number < 1:
        raise ValueError
    return number


def parse(words):
    parser = argparse.ArgumentParser(
        prog="lazult bench peers",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="rows:\n" + "\n".join(f"  {one.name:<22} {one.what}" for one in rows.ROWS),
    )
    parser.add_argument("row", nargs="*", metavar="ROW", help="some rows; all without")
    parser.add_argument(
        "--prefix",
        action="append",
        default=[],
        metavar="NAME=DIR",
        help=f"where a peer is installed: {', '.join(rows.PEERS)}; may be repeated",
    )
    parser.add_argument(
        "--lazult",
        metavar="PREFIX",
        help="where Lazult is installed; where this command is, without",
    )
    parser.add_argument(
        "--rounds", type=positive, default=10, help="processes of each program and case (10)"
    )
    parser.add_argument("--reps", type=positive, default=3, help="repetitions in each process (3)")
    parser.add_argument(
        "--processor", type=int, default=0, help="where programs of one stream run (0)"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="a hundredth of the work: to try the command, not for figures",
    )
    parser.add_argument(
        "--no-instructions",
        action="store_true",
        help="do not count instructions, which needs valgrind",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the measurements there")
    parser.add_argument("--page", metavar="FILE", help="also write the table there, as Markdown")
    parser.add_argument("--revision", metavar="WORDS", help="what is measured, for --page")
    parser.add_argument("--list", action="store_true", help="list the rows and end")
    parser.add_argument("--machine", default="{}", help=argparse.SUPPRESS)  # from the command: JSON
    parser.add_argument(
        "--programs", metavar="FOLDER", help=argparse.SUPPRESS
    )  # built already; of tests
    return parser.parse_args(words)


def programs_in(folder):
    there = {
        name: Path(folder) / name
        for name in (*rows.OURS, *rows.PEERS)
        if (Path(folder) / name).exists()
    }
    return there, {name: "it is not in --programs" for name in rows.PEERS if name not in there}


def prepare(options, chosen, folder):
    if options.programs:
        return programs_in(options.programs)
    if not options.lazult:
        raise usage_error("no Lazult is installed where this command is; say --lazult PREFIX")
    prefixes = parse_prefixes(options.prefix)
    report.progress("compiling")
    wanted = {program_of(case) for one in chosen for case in rows.cases_of(one)}
    programs = drivers.build_ours(options.lazult, folder)
    peers, absent = drivers.build_peers(prefixes, folder, wanted)
    return {**programs, **peers}, absent


def run(options):
    chosen = choose(options.row)
    if options.list:
        for one in rows.ROWS:
            print(f"{one.name:<22} {one.what}")
        return
    machine = json.loads(options.machine)
    parse_prefixes(options.prefix)
    with tempfile.TemporaryDirectory() as folder:
        programs, absent = prepare(options, chosen, folder)
        load = os.getloadavg()[0]
        report.print_head(machine, programs, absent, options, load)
        times = measure(chosen, programs, options)
        instructions = count_instructions(chosen, programs, options)
    lines = judge_all(chosen, times, instructions)
    report.print_table(lines, times)
    if options.page:
        Path(options.page).write_text(
            report.to_page(lines, times, machine, options, load), encoding="utf-8"
        )
    if options.json:
        Path(options.json).write_text(
            json.dumps(report.to_json(lines, times, machine), indent=2) + "\n", encoding="utf-8"
        )


def main(words):
    try:
        run(parse(words))
        return 0
    except usage_error as problem:
        print(f"lazult: bench peers: {problem}", file=sys.stderr)
        return 2
    except (drivers.failure, OSError) as problem:
        print(f"lazult: bench peers: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
