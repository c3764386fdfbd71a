# SPDX-License-Identifier: BSD-3-Clause
"""usage: same_trajectory.py PROGRAM [OPTION...] -- COMMAND... - fails unless the command finds the
positions and energies that the program finds after 100 steps."""
import sys

from small_runs import OPTIONS, OVER_RANKS, PLAIN, found_by

SAME = ["checksum", "first", "last", "mean_temperature", "drift", "relative_momentum", "renewals"]

steps = ["--minimise", "20", "--steps", "100", *OPTIONS]
expected = found_by(PLAIN, *steps)
found = found_by(OVER_RANKS, *steps)

for what in SAME:
    if found[what] != expected[what]:
        sys.exit(f"{what}: {found[what]}, but the sequential program finds {expected[what]}")
if expected["renewals"] < 5:
    sys.exit(f"the list was renewed {expected['renewals']} times: this tests little")
if found["ranks"] > 1:
    if found["arrivals"] == 0:
        sys.exit("no atom has gone to another rank")
    for phase in ("list", "fetch", "reduce"):
        if found["traffic"][phase]["bytes"] == 0:
            sys.exit(f"nothing was sent in phase {phase}")
if (found["counters"]["heap_calls"] > 0) != (found["calls"] == "heap"):
    sys.exit(f"{found['counters']['heap_calls']} calls began in contexts")
