# SPDX-License-Identifier: BSD-3-Clause
"""The panels of a figure: simulated machines, and what was measured on 2 and 4 ranks."""
import dataclasses

import concert_paper as paper
import concert_verdicts as verdicts

VERSIONS = ("base", "stack", "pull", "stack+pull")
LEAST_BEST = 0.9  # efficiency of the best point, where nothing disturbs
# The paper's loops run to their end, as far as it says; those of this runtime give way.
MACHINES = {
    "t3d": "Cray T3D",
    "t3d-slices": "Cray T3D with loops that give way",
    "here": "this machine",
}
NO_LOOPS = {("sends", "t3d-slices")}  # families in which nothing gives way


@dataclasses.dataclass
class panel:
    title: str
    rows: list
    is_simulated: bool
    machine: str = ""  # of a simulation
    absent: str = ""  # why there are no rows
    load: tuple = ()  # the least and the most, while it was measured


def simulated(parts, family, usual_ranks):
    for machine, words in MACHINES.items():
        if (family, machine) in NO_LOOPS:
            continue
        part = parts.get(f"{family}-simulated-{machine}", {"unavailable": "not run"})
        rows = part.get("rows", [])
        ranks = rows[0].get("ranks", usual_ranks) if rows else usual_ranks
        yield panel(
            f"{words}, simulated, {ranks} ranks",
            verdicts.scaled(rows) if family != "sends" else rows,
            True,
            machine,
            "" if rows else part.get("unavailable", "no rows"),
        )


def measured(parts, family, processors):
    for ranks in (2, 4):
        part = parts.get(f"{family}-{ranks}", {"unavailable": "not run"})
        rows = part.get("rows", [])
        share = f" on {processors} processors" if ranks > processors else ""
        yield panel(
            f"measured, {ranks} ranks{share}",
            verdicts.scaled(rows, ranks, processors) if family != "sends" else rows,
            False,
            absent="" if rows else part.get("unavailable", "no rows"),
            load=tuple(part.get("load", ())),
        )


def panels_of(results, family, ranks=32):
    parts = results["parts"]
    processors = results["machine"]["processors"]
    return [*simulated(parts, family, ranks), *measured(parts, family, processors)]


def heap_call_us(results):
    """The base cost of a thread here: that of a call in a context."""
    for row in results["parts"].get("schemas", {}).get("rows", []):
        if row["benchmark"] == "in a context (heap)":
            return row["median"] / 1000
    return None


def heap_call_of(results, of):
    """In microseconds, on the machine of the panel."""
    if of.machine.startswith("t3d"):
        return paper.HEAP_CALL_US
    return heap_call_us(results)
