#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures lazult::io beside what one would write without it: echo servers under the same client,
bytes through pipes, units behind others that block, random reads of a file. All in turns, so that
each meets the same machine."""
import argparse
import json
import os
import sys
import time
from pathlib import Path

import programs
import tables

SERVERS = ("echo_lazult", "echo_plain", "echo_epoll", "echo_uring", "echo_go")
WAYS = ("lazult", "uring", "pread")
PLACES = {"page cache": False, "device": True}
CASES = ("echo", "idle", "ping-pong", "blocked", "reads")
BUSY = 0.5


class usage_error(Exception):
    """Words of the command line that cannot be followed."""


def progress(words):
    """On terminals only."""
    if sys.stderr.isatty():
        print(f"\r{words:<70}", end="" if words else "\r", file=sys.stderr, flush=True)


def await_quiet(options):
    """The load before; a build that has just ended leaves some for a minute or two."""
    until = time.monotonic() + options.patience
    while (load := os.getloadavg()[0]) > BUSY and not options.anyway:
        if time.monotonic() > until:
            raise usage_error(
                f"the load is {load:.2f}: figures of a busy machine mislead. End what runs, or say "
                "--anyway"
            )
        progress(f"the load is {load:.2f}: waiting until it is below {BUSY}")
        time.sleep(2)
    progress("")
    return load


def turns(names, number):
    """Each round begins with another one, so that none always follows the same neighbour."""
    names = list(names)
    shift = number % len(names)
    return names[shift:] + names[:shift]


def in_turns(cases, options, measure):
    """The rounds' results of each case, or in their place the words of what stood in the way."""
    found = {case: [] for case in cases}
    for number in range(options.rounds):
        for case in turns(cases, number):
            if isinstance(found[case], str):
                continue
            progress(f"round {number + 1} of {options.rounds}: {case}")
            try:
                found[case].append(measure(case))
            except programs.impossible as problem:
                found[case] = str(problem)
    progress("")
    return found


def echo(folder, servers, options):
    cases = [(count, name) for count in options.connections for name in servers]
    found = in_turns(cases, options, lambda case: programs.load(folder, case[1], case[0], options))
    return found, tables.echo(found, options)


def idle(folder, servers, options):
    found = in_turns(
        servers,
        options,
        lambda name: programs.idle(folder, name, options.idle_connections, options),
    )
    return found, tables.idle(found, options)


def ping_pong(folder, _, options):
    printed = programs.run_json(folder / "ping_pong", "--rounds", options.rounds)
    order = ("ults", "ults_adopted", "threads", "threads_one_processor", "one_thread")
    found = {name: printed["round_trips"][name] for name in order}
    return found, tables.ping_pong(found)


def blocked(folder, _, options):
    printed = programs.run_json(folder / "blocked_calls", "--rounds", options.rounds)
    return printed["times"], tables.blocked(printed)


def reads(folder, _, options):
    cases = [(place, way) for place in PLACES for way in WAYS]
    found = in_turns(
        cases, options, lambda case: programs.reads(folder, case[1], PLACES[case[0]], options)
    )
    return found, tables.reads(found, options)


def servers_in(folder):
    there = [name for name in SERVERS if programs.exists(folder / name)]
    for name in SERVERS:
        if name not in there:
            print(f"missing: {name} is not in {folder}, see bench/io/CMakeLists.txt")
    return there


def positive(word):
    number = int(word)
    if number < 1:
        raise ValueError
    return number


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", nargs="*", metavar="CASE", help=f"some of {', '.join(CASES)}")
    parser.add_argument("--build", default="build/release", help="the folder of the build")
    parser.add_argument("--rounds", type=positive, default=5, help="of all cases (5)")
    parser.add_argument("--seconds", type=float, default=3, help="of each measurement (3)")
    parser.add_argument(
        "--connections", type=positive, nargs="+", default=[100, 1000, 10000], metavar="N"
    )
    parser.add_argument("--idle-connections", type=positive, default=1000, metavar="N")
    parser.add_argument("--bytes", type=positive, default=64, help="of a message (64)")
    parser.add_argument("--threads", type=positive, default=2, help="of each server (2)")
    parser.add_argument("--client-threads", type=positive, default=1, help="of the client (1)")
    parser.add_argument("--file", default="/tmp/lazult-random-reads", help="for random reads")
    parser.add_argument("--gib", type=float, default=4, help="of that file (4)")
    parser.add_argument("--anyway", action="store_true", help="measure on a busy machine, too")
    parser.add_argument(
        "--patience", type=float, default=300, help="seconds to wait until it is quiet (300)"
    )
    parser.add_argument("--page", metavar="FILE", help="also write the tables there, as Markdown")
    parser.add_argument("--json", metavar="FILE", help="also write the measurements there")
    parser.add_argument("--revision", metavar="WORDS", help="what is measured, for the page")
    return parser.parse_args(words)


def check(options):
    for name in options.case:
        if name not in CASES:
            raise usage_error(f"there is no case \"{name}\"; give some of {', '.join(CASES)}")
    folder = Path(options.build) / "bin/io"
    if not (folder / "echo_client").exists():
        raise usage_error(f"there is no {folder}/echo_client: say --build FOLDER, or make build")
    return folder


def listed(found):
    """Keys of two words are not for JSON."""
    return [
        {"case": list(case) if isinstance(case, tuple) else [case], "rounds": each}
        for case, each in found.items()
    ]


def wrong(found):
    """How many answers were not what they should be."""
    rounds = [one for each in found.values() if isinstance(each, list) for one in each]
    return sum(one["errors"] for one in rounds if isinstance(one, dict))


def run(options):
    folder = check(options)
    programs.raise_descriptor_limit()
    load = await_quiet(options)
    if load > BUSY:
        print(f"warning: the load is {load:.2f}; the figures mislead", file=sys.stderr)
    servers = servers_in(folder)
    measures = dict(zip(CASES, (echo, idle, ping_pong, blocked, reads)))
    pages, results, errors = [tables.head(options, load)], {}, 0
    print(pages[0], flush=True)
    for name in options.case or CASES:
        found, page = measures[name](folder, servers, options)
        results[name] = listed(found)
        errors += wrong(found)
        pages.append(page)
        print(f"\n{page}", end="", flush=True)
    if options.page:
        Path(options.page).write_text("\n\n".join(pages), encoding="utf-8")
    if options.json:
        text = json.dumps({"conditions": pages[0], **results}, indent=2)
        Path(options.json).write_text(text + "\n", encoding="utf-8")
    if errors:
        raise programs.failure(f"{errors} answers were wrong: the columns \"errors\" say where")


def main(words):
    try:
        run(parse(words))
        return 0
    except usage_error as problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 2
    except (programs.failure, programs.impossible, OSError) as problem:
        print(f"run.py: {problem}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
