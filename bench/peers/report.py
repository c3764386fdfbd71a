# SPDX-License-Identifier: BSD-3-Clause
"""What `lazult bench peers` prints and writes."""
import datetime
import statistics
import sys

import rows

WORDS = {True: "yes", False: "no", None: "?"}


def progress(words):
    """On terminals only."""
    if sys.stderr.isatty():
        print(f"\r{words:<60}", end="" if words else "\r", file=sys.stderr, flush=True)


def print_head(machine, programs, absent, options, load):
    caches = ", ".join(f"{name} {size}" for name, size in machine.get("caches", {}).items())
    print(
        f"{machine.get('processor', 'unknown processor')}; {caches or 'caches unknown'}; "
        f"{machine.get('kernel', 'kernel unknown')}; load {load:.2f}"
    )
    print(
        f"ns for an operation: medians of {options.rounds} rounds. "
        "Ratios: ours over theirs, (least to most of the rounds)"
    )
    print(f"peers: {', '.join(name for name in programs if name not in rows.OURS) or 'none'}")
    for name, reason in absent.items():
        print(f"missing: {name} ({rows.PEERS[name]}): {reason}")
    print(flush=True)


def goal_words(goal):
    has = "missing" if goal["ratio"] is None else f"{goal['ratio']:.2f}"
    return f"{has} of {goal['of']} (<= {goal['limit']:g})"


def goals_words(verdict):
    words = [goal_words(goal) for goal in verdict["goals"]]
    if verdict["instructions_goal"] is not None:
        words.append(f"<= {verdict['instructions_goal']} instr.")
    return ", ".join(words) or "-"


def best_words(line, times):
    one, each, inexact, verdict = line
    if verdict["ratio"] is None:
        return f"{'missing: ' + ', '.join(verdict['missing']) if verdict['missing'] else '-':<55}"
    has, best = verdict["ratio"], verdict["peer"]
    return (
        f"{best.split(':')[0]:<15}"
        f"{statistics.median(times[one.name, inexact][best]):>12.1f}{has['median']:>8.2f} "
        f"{'(%.2f to %.2f)' % (has['min'], has['max']):<19}"
    )


def line_words(line, times):
    one, each, inexact, verdict = line
    counted = "-" if verdict["instructions"] is None else f"{verdict['instructions']:.0f}"
    label = "  after FE_INEXACT" if inexact else each.label
    return (
        f"{one.name:<22}{label:<27}{statistics.median(times[one.name, inexact][each.case]):>12.1f} "
        f"{counted:>7}  {best_words(line, times)}{WORDS[verdict['met']]:<5}{goals_words(verdict)}"
    )


def verdicts_of_rows(lines):
    """Of each row: whether it meets its goal, None where that is not known."""
    found = {}
    for one, _, _, verdict in lines:
        before = found.get(one.name, True)
        met = verdict["met"]
        found[one.name] = (
            False if False in (before, met) else None if None in (before, met) else True
        )
    return found


def behind(lines):
    """The rows with a figure that is slower than the best peer's."""
    return list(
        dict.fromkeys(
            one.name
            for one, _, _, verdict in lines
            if verdict["ratio"] is not None and verdict["ratio"]["median"] > 1
        )
    )


def named(lines, answer):
    return [name for name, met in verdicts_of_rows(lines).items() if met is answer]


def print_table(lines, times):
    print(
        f"{'row':<22}{'ours':<27}{'ns':>12} {'instr.':>7}  "
        f"{'best peer':<15}{'ns':>12}{'ratio':>8} {'':<19}{'met':<5}goal"
    )
    for line in lines:
        print(line_words(line, times))
    print(
        f"\n{len(verdicts_of_rows(lines))} rows: {len(named(lines, True))} meet their goal, "
        f"{len(named(lines, False))} do not"
    )
    for words, names in (
        ("do not", named(lines, False)),
        ("not known", named(lines, None)),
        ("slower than the best peer", behind(lines)),
    ):
        if names:
            print(f"{words}: {', '.join(names)}")


# Of the page; tools/docs/tables.py writes such tables from the measurements alone.
COLUMNS = [
    "row",
    "ours",
    "ns",
    "instr.",
    "best peer",
    "ns",
    "ratio (least to most)",
    "has (wanted)",
    "met",
]


def page_cells(line, times):
    one, each, inexact, verdict = line
    ratio, best = verdict["ratio"], verdict["peer"]
    counted = "" if verdict["instructions"] is None else f"{verdict['instructions']:.0f}"
    label = f"{each.label}, after FE_INEXACT" if inexact else each.label
    peer = (
        ["", "", ""]
        if ratio is None
        else [
            best.split(":")[0],
            f"{statistics.median(times[one.name, inexact][best]):,.1f}",
            f"{ratio['median']:.2f} ({ratio['min']:.2f} to {ratio['max']:.2f})",
        ]
    )
    return [
        one.name,
        label,
        f"{statistics.median(times[one.name, inexact][each.case]):,.1f}",
        counted,
        *peer,
        goals_words(verdict).replace("<=", "≤").replace("|", "/"),
        WORDS[verdict["met"]],
    ]


def to_page(lines, times, machine, options, load):
    """The table as Markdown, for documentation."""
    processor = machine.get("processor", "unknown processor")
    head = (
        f"{processor}. {datetime.date.today().isoformat()}, "
        f"{options.revision or 'revision not named'}, "
        f"{machine.get('kernel', 'kernel unknown')}, load {load:.2f}, "
        f"medians of {options.rounds} rounds."
    )
    table = [COLUMNS, ["---"] * len(COLUMNS)] + [page_cells(line, times) for line in lines]
    return head + "\n\n" + "".join(f"| {' | '.join(cells)} |\n" for cells in table)


def to_json(lines, times, machine):
    """An object for each program in each figure, in the form of the other benchmarks; ours has the
    verdict."""
    array = []
    for one, each, inexact, verdict in lines:
        for case in (each.case, *each.peers):
            taken = times[one.name, inexact].get(case)
            if taken is None:
                continue
            program, name = case.split(":")
            array.append(
                {
                    "benchmark": "peers",
                    "row": one.name,
                    "figure": each.label,
                    "library": program,
                    "case": name,
                    "inexact": inexact,
                    "streams": each.streams,
                    "unit": "ns",
                    "median": statistics.median(taken),
                    "min": min(taken),
                    "max": max(taken),
                    "repetitions": len(taken),
                    **({"verdict": verdict} if case == each.case else {}),
                    "machine": machine,
                }
            )
    return array
