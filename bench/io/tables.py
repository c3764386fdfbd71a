# SPDX-License-Identifier: BSD-3-Clause
"""What run.py prints: tables in Markdown."""
import datetime
import os
import platform
import re
import statistics
from pathlib import Path

LABELS = {
    "echo_lazult": "Lazult",
    "echo_plain": "the same by recv and send, under lazult run --posix",
    "echo_epoll": "epoll by hand",
    "echo_uring": "io_uring by hand",
    "echo_go": "Go",
    "lazult": "64 ULTs, 1 stream",
    "uring": "io_uring by hand",
    "pread": "64 OS threads",
    "ults": "2 ULTs, 1 stream",
    "ults_adopted": "2 ULTs, 1 stream, adopted pipes",
    "threads": "2 OS threads",
    "threads_one_processor": "2 OS threads, 1 processor",
    "one_thread": "1 OS thread and itself: the four calls alone",
}


def label(name):
    return LABELS.get(name, name)


def processor():
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    found = re.search(r"^model name\s*: *(.*)$", text, re.MULTILINE)
    return found[1] if found else platform.machine()


def head(options, loads):
    return (
        f"{processor()}, {os.cpu_count()} processors, Linux {platform.release()}. "
        f"{datetime.date.today().isoformat()}, {options.revision or 'revision not named'}, "
        f"load {loads:.2f} before. Medians of {options.rounds} rounds in turns, "
        f"{options.seconds:g} s each (least to most)."
    )


def spread(values, form):
    middle, least, most = (
        format(value, form) for value in (statistics.median(values), min(values), max(values))
    )
    return f"{middle} ({least} to {most})"


def ratio(ours, theirs):
    """Of the rounds, each with its neighbour in time."""
    if not ours or not theirs:
        return ""
    return spread([one / other for one, other in zip(ours, theirs)], ".2f")


def table(columns, lines):
    rows = [columns, ["---"] * len(columns), *lines]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def values(found, name):
    return [one[name] for one in found]


def echo_line(connections, name, found, other):
    if isinstance(found, str):
        return [f"{connections:,}", label(name), found, *[""] * 6]
    rate = "messages_per_second"
    return [
        f"{connections:,}",
        label(name),
        spread(values(found, rate), ",.0f"),
        ratio(values(found, rate), values(other, rate)) if not isinstance(other, str) else "",
        spread(values(found, "p50_us"), ",.0f"),
        spread(values(found, "p99_us"), ",.0f"),
        spread(values(found, "p999_us"), ",.0f"),
        spread(values(found, "cpu_us"), ".2f"),
        str(sum(values(found, "errors"))),
    ]


def echo(found, options):
    """`found`: by connections and server, a list of the rounds, or words in its place."""
    columns = ["connections", "server", "messages/s", "to epoll", "p50 µs", "p99 µs", "p99.9 µs"]
    lines = [
        echo_line(connections, name, each, found.get((connections, "echo_epoll"), []))
        for (connections, name), each in found.items()
    ]
    return (
        f"Echo of {options.bytes} bytes, one message under way for each connection; "
        f"{options.threads} threads or streams of the server, {options.client_threads} of the "
        f"client on the same machine\n\n"
        + table([*columns, "server's CPU µs/message", "errors"], lines)
    )


def idle(found, options):
    lines = [
        [label(name), each if isinstance(each, str) else spread(each, ".0f")]
        for name, each in found.items()
    ]
    return (
        f"Processor time of a server with {options.idle_connections:,} connections and no message, "
        f"in {options.seconds:g} s, as Linux counts it: in steps of 10 ms\n\n"
        + table(["server", "CPU ms"], lines)
    )


def ping_pong(found):
    # Where the system puts two free threads makes a factor of ten: these are the steadier peer.
    peer = found["threads_one_processor"]
    lines = [[label(name), spread(each, ",.0f"), ratio(each, peer)] for name, each in found.items()]
    return "A byte there and back through two pipes\n\n" + table(
        ["between", "ns", "to OS threads on 1 processor"], lines
    )


def blocked(printed):
    """`printed`: by blocked_calls."""
    few, many = (f"{printed[name]:,} readers" for name in ("readers", "many_readers"))
    names = {
        "few_ults": f"{few}, ULTs of 1 stream",
        "few_threads": f"{few}, OS threads",
        "many_ults": f"{many}, ULTs of 1 stream",
        "many_threads": f"{many}, OS threads",
        "lock_private": "SYS_flock, private pool, LAZULT_SPARE=5ms",
        "lock_shared": "SYS_flock, shared pool, LAZULT_SPARE=5ms",
        "lock_alone": "SYS_flock, released after 200 ms, without",
        "loop_private": "a loop, private pool, LAZULT_QUANTUM=5ms",
        "loop_shared": "a loop, shared pool, LAZULT_QUANTUM=5ms",
        "loop_alone": "a loop of 200 ms, without",
    }
    lines = [[words, spread(printed["times"][name], ".1f")] for name, words in names.items()]
    return (
        "Until all readers have read a byte that comes after 20 ms; until 8 ULTs have run behind "
        "one that blocks or computes\n\n" + table(["what", "ms"], lines)
    )


def reads_line(place, way, found, other):
    if isinstance(found, str):
        return [place, label(way), found, *[""] * 4]
    rate = "reads_per_second"
    return [
        place,
        label(way),
        spread(values(found, rate), ",.0f"),
        ratio(values(found, rate), values(other, rate)) if not isinstance(other, str) else "",
        spread(values(found, "p50_us"), ",.1f"),
        spread(values(found, "p99_us"), ",.1f"),
        str(sum(values(found, "errors"))),
    ]


def reads(found, options):
    lines = [
        reads_line(place, way, each, found.get((place, "uring"), []))
        for (place, way), each in found.items()
    ]
    files = next(
        (each[0]["files"] for each in found.values() if each and "files" in each[0]), "unknown"
    )
    return (
        f"Random reads of 4 KiB, 64 at a time, of {options.gib:g} GiB; lazult::io reads files by "
        f"{files}\n\n"
        + table(["from", "by", "reads/s", "to io_uring", "p50 µs", "p99 µs", "errors"], lines)
    )
