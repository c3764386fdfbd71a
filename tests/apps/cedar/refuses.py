# SPDX-License-Identifier: BSD-3-Clause
"""usage: refuses.py PROGRAM -- COMMAND... - fails unless the command names what is wrong with its
input, once, and ends with an error."""
import sys

from small_runs import NEAR, OVER_RANKS, SMALL, run


def refused(words, *options, **variables):
    done = run(OVER_RANKS, "--minimise", "20", *options, **variables)
    shown = done.stdout + done.stderr
    if done.returncode == 0:
        sys.exit(f"{options}: no error")
    if shown.count(words) != 1:
        sys.exit(f"{options}: '{words}' is there {shown.count(words)} times in\n{shown}")


refused("less than twice as wide", *SMALL, "--cutoff", "1.4", "--list", "1.5")
refused("nothing in the box", "--residues", "0", "--waters", "0")
refused("a shorter time step may help", *SMALL, *NEAR, "--dt", "12", "--temperature", "900")
refused("cannot be written", *SMALL, *NEAR, "--json", "/nowhere/out.json")
refused("LAZULT_CONCERT_MAX_MESSAGE", *SMALL, *NEAR, LAZULT_CONCERT_MAX_MESSAGE="512")
