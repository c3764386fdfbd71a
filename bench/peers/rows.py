# SPDX-License-Identifier: BSD-3-Clause
"""The rows of `lazult bench peers`: what is measured over which libraries, and what Lazult is to
reach.

A case is named PROGRAM:CASE. Programs: `lazult` (the C++ door) and `abt` (our abt.h) are ours; the
others are peers, one each.
"""
from dataclasses import dataclass, field

OURS = ("lazult", "abt")
PEERS = {
    "argobots": "Argobots, over the same program as our abt.h",
    "massivethreads": "MassiveThreads",
    "libfork": "libfork",
    "onetbb": "oneTBB",
    "libgomp": "gcc's OpenMP runtime",
    "libomp": "LLVM's OpenMP runtime",
    "go": "Go",
}


@dataclass(frozen=True)
class figure:
    """One time of ours: at most `limit` times that of each of `of`, which are peers, or cases of
    ours in the same row."""

    label: str
    case: str
    peers: tuple = ()  # PROGRAM:CASE of each
    limit: float = None
    of: tuple = ()
    instructions: int = None  # at most, for one operation
    # rounds of two runs whose difference tells the instructions, where these say anything
    counted: tuple = ()
    streams: int = 1


@dataclass(frozen=True)
class row:
    name: str
    what: str
    figures: tuple
    switches: bool = False  # measured again with one unit that has raised FE_INEXACT
    own: tuple = field(default=())  # cases of ours that goals refer to and no figure is


ROUNDS = (200, 1000)
FIBS = (3, 9)


def rows(label, case, argobots, massivethreads, limit, instructions=None):
    """One stream, where Argobots and perhaps MassiveThreads have the same."""
    peers = (
        f"argobots:{argobots}",
        *([f"massivethreads:{massivethreads}"] if massivethreads else []),
    )
    return figure(label, case, peers, limit, ("argobots",), instructions, ROUNDS)


def loop(label, case, streams):
    """oneTBB's default and its least partitioner."""
    return figure(
        label,
        f"lazult:{case}",
        (f"onetbb:{case}", f"onetbb:{case}-static"),
        0.8,
        ("onetbb",),
        streams=streams,
    )


def beside_go(label, case, *others):
    return figure(label, case, ("go:" + case.split(":")[1], *others), 1.0, ("go",), streams=2)


OWN = "abt:ult-private"
LONE = ("argobots:ult-private", "massivethreads:fork-join")

ROWS = (
    row(
        "yield",
        "yield of one of two ULTs",
        (
            rows("abt.h, private pool", "abt:yield-private", "yield-private", "yield", 0.35, 150),
            rows("C++ door", "lazult:yield", "yield-private", "yield", 0.35, 150),
        ),
        switches=True,
    ),
    row(
        "yield-to",
        "switch to the other one of two ULTs, by name",
        (
            rows("ABT_thread_yield_to", "abt:yield-to-private", "yield-to-private", None, 0.4),
            rows(
                "ABT_self_resume_suspend_to",
                "abt:resume-suspend-to",
                "resume-suspend-to",
                None,
                0.6,
            ),
        ),
        switches=True,
    ),
    row(
        "suspend-once",
        "fork and join of 128 ULTs, each of which suspends once",
        (
            rows(
                "abt.h, private pool",
                "abt:ult-private-yields",
                "ult-private-yields",
                "suspend-once",
                0.4,
            ),
            rows(
                "lazult::thread", "lazult:suspend-once", "ult-private-yields", "suspend-once", 0.4
            ),
        ),
        switches=True,
    ),
    row(
        "fork-join",
        "fork and join of 128 ULTs, joined in the order of creation",
        (
            figure("lazult::thread", "lazult:fork-join", LONE, 1.1, (OWN,), 200, ROUNDS),
            figure("abt.h, private pool", OWN, LONE, instructions=190, counted=ROUNDS),
        ),
    ),
    row(
        "task-group",
        "a task_group of 128",
        (
            figure(
                "lazult::task_group",
                "lazult:task-group",
                LONE,
                round(10 / 11.5, 2),
                (OWN,),
                150,
                ROUNDS,
            ),
        ),
        own=(OWN,),
    ),
    row(
        "many",
        "create_many, join_many, free_many of 128 ULTs",
        (
            figure(
                "abt.h, private pool",
                "abt:ult-private-many",
                ("argobots:ult-private-many",),
                1.0,
                (OWN,),
                None,
                ROUNDS,
            ),
        ),
        own=(OWN,),
    ),
    row(
        "randws",
        "fork and join of 128 ULTs in an ABT_POOL_RANDWS, in order",
        (rows("abt.h", "abt:ult-one-randws", "ult-one-randws", None, round(14 / 36, 2), 230),),
    ),
    row(
        "two-streams",
        "two streams, each forks and joins 128 by itself: time of one",
        (
            figure(
                "ULT, private pools",
                "abt:ult-private-two-streams",
                ("argobots:ult-private-two-streams",),
                1.1,
                (OWN,),
                streams=2,
            ),
            figure(
                "tasklet, private pools",
                "abt:tasklet-private-two-streams",
                ("argobots:tasklet-private-two-streams",),
                1.1,
                ("abt:tasklet-private",),
                streams=2,
            ),
        ),
        own=(OWN, "abt:tasklet-private"),
    ),
    row(
        "child-first",
        "fib, a ULT for each addition, child first, stealing pool",
        (
            figure(
                "lazult::thread",
                "lazult:fib-child-first",
                ("massivethreads:fib", "libfork:fib"),
                1.5,
                ("lazult:fib-parent-first",),
                None,
                FIBS,
            ),
        ),
        own=("lazult:fib-parent-first",),
    ),
    row(
        "mutex",
        "mutex whose holder yields, 4 ULTs of one stream",
        (
            rows(
                "abt.h",
                "abt:mutex-yield-inside",
                "mutex-yield-inside",
                "mutex-yield-inside",
                0.5,
                600,
            ),
            rows(
                "C++ door",
                "lazult:mutex-yield-inside",
                "mutex-yield-inside",
                "mutex-yield-inside",
                0.5,
                600,
            ),
        ),
        switches=True,
    ),
    row(
        "condition",
        "condition variable, round trip on one stream",
        (
            rows("abt.h", "abt:condition", "condition", "condition", 0.4, 550),
            rows("C++ door", "lazult:condition", "condition", "condition", 0.4, 550),
        ),
        switches=True,
    ),
    row(
        "mutex-two-streams",
        "mutex that two streams want",
        (beside_go("C++ door", "lazult:mutex-two-streams", "argobots:mutex-two-streams"),),
        switches=True,
    ),
    row(
        "condition-two-streams",
        "condition variable, round trip of two streams",
        (
            figure(
                "abt.h",
                "abt:condition-two-streams",
                ("go:condition-two-streams", "argobots:condition-two-streams"),
                1.0,
                ("go",),
                streams=2,
            ),
            beside_go("C++ door", "lazult:condition-two-streams", "argobots:condition-two-streams"),
        ),
        switches=True,
    ),
    row(
        "blocked",
        "100,000 ULTs created, blocked, resumed, joined",
        (
            figure(
                "abt.h, guards on",
                "abt:blocked-100000",
                ("argobots:blocked-100000",),
                0.8,
                ("argobots",),
            ),
        ),
        switches=True,
    ),
    row(
        "yields-once",
        "many ULTs that each yield once, create to free",
        tuple(
            figure(
                f"abt.h, {n}",
                f"abt:yields-once-{n}",
                (f"argobots:yields-once-{n}",),
                0.7,
                ("argobots",),
            )
            for n in (1024, 16384, 262144)
        ),
        switches=True,
    ),
    row(
        "loop",
        "parallel_for of 1,000 elements",
        (loop("one stream", "loop-one-stream", 1), loop("two streams", "loop-two-streams", 2)),
    ),
    row(
        "nested-loops",
        "parallel_for of 1,000 times 1,000 elements, nested",
        (loop("one stream", "nested-one-stream", 1), loop("two streams", "nested-two-streams", 2)),
    ),
    row(
        "large-loop",
        "parallel_for of 100,000 light bodies, two streams",
        (
            figure(
                "parallel_for",
                "lazult:large-loop",
                (
                    "onetbb:large-loop",
                    "onetbb:large-loop-static",
                    "libgomp:large-loop",
                    "libomp:large-loop",
                ),
                0.8,
                ("onetbb", "libgomp"),
                streams=2,
            ),
        ),
    ),
    row(
        "futures",
        "futures in a graph of 40,000 nodes, two streams",
        (
            figure(
                "lazult::async", "lazult:futures", ("onetbb:graph",), 1.0, ("onetbb",), streams=2
            ),
        ),
        switches=True,
    ),
    row(
        "channel",
        "buffered channel between two streams",
        (beside_go("of 10", "lazult:channel-10"), beside_go("of 1,000", "lazult:channel-1000")),
        switches=True,
    ),
    row(
        "bank",
        "transfers between 10 accounts, a mutex each, two streams",
        (beside_go("C++ door", "lazult:bank"),),
        switches=True,
    ),
    row(
        "kmeans",
        "k-means, a ULT for each point, two streams",
        (
            figure(
                "lazult::task_group",
                "lazult:kmeans",
                ("libgomp:kmeans", "libomp:kmeans"),
                round(1 / 1.1, 2),
                ("libgomp",),
                streams=2,
            ),
        ),
    ),
)


def cases_of(one):
    """Every PROGRAM:CASE that a row needs, ours first, with the number of streams."""
    streams = {}
    for each in one.figures:
        for case in (each.case, *each.peers):
            streams[case] = each.streams
    for case in one.own:
        streams.setdefault(case, 1)
    for each in one.figures:
        for case in each.of:
            if ":" in case:
                streams.setdefault(case, 1)
    return streams
