# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of each row of Tables 1 and 4, by callgrind: the same on every machine, however busy
it is. bench/concert/counted.hpp marks what is counted."""
import pathlib
import re
import shutil
import tempfile

import programs

BATCH = 128  # calls of a row, but for the recursions
CALLS_OF_A_RECURSION = 3193  # fib(16)
RECURSIONS = (
    "plain C call",
    "never-blocking",
    "may-block",
    "continuation-passing",
    "in a context (heap)",
)
ALONE = ", callee alone"


def dumped(folder):
    """{name: instructions}, the last of each name. The first round finds no memory made."""
    found = {}
    files = [path for path in folder.glob("out.*") if path.suffix[1:].isdigit()]
    for path in sorted(files, key=lambda each: int(each.suffix[1:])):
        text = path.read_text(encoding="utf-8")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
        count = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
        if name and count:
            found[name[1]] = int(count[1])
    return found


def rows_of(counts):
    """What the rows of the two tables are called, with the instructions of one call."""

    def of_blocking(what):
        return counts[f"{what}, blocks"] - counts[f"{what}, does not block"]

    found = {}
    for name, number in counts.items():
        what = name.removesuffix(", blocks")
        if what != name:
            if not what.endswith(ALONE):
                found[what] = (of_blocking(what) - of_blocking(what + ALONE)) / BATCH
        elif not name.endswith(", does not block"):
            found[name] = number / (CALLS_OF_A_RECURSION if name in RECURSIONS else BATCH)
    if "thread delete" in found:
        found["thread dequeue"] = found["thread dequeue, with its end"] - found["thread delete"]
    return {name: round(value, 1) for name, value in found.items()}


def count(of, what):
    """Raises programs.failed where callgrind is not there, or cannot run it."""
    if not shutil.which("valgrind"):
        raise programs.failed("valgrind, which counts instructions, is not installed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        programs.run(
            [
                "valgrind",
                "--tool=callgrind",
                f"--callgrind-out-file={folder}/out",
                str(of.counts_instructions()),
                what,
                "--rounds",
                "1",
            ]
        )
        found = rows_of(dumped(folder))
    if not found:
        raise programs.failed(
            "concert-bench was built without valgrind's header, so nothing is marked for callgrind"
        )
    return [{"benchmark": name, "instructions": each} for name, each in found.items()]
