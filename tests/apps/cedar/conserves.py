# SPDX-License-Identifier: BSD-3-Clause
"""usage: conserves.py PROGRAM -- COMMAND... - fails unless energy, momentum and the lengths of
bonds stay what they are over 1,000 steps on ranks."""
import sys

from small_runs import OVER_RANKS, found_by

TOLERANCE = 1e-4  # of a bond's length

found = found_by(
    OVER_RANKS, "--minimise", "100", "--law", "shifted", "--dt", "1", "--steps", "1000"
)
if found["first"]["temperature"] < 250:
    sys.exit(f"it is too cold for a test: {found['first']['temperature']} K")
if abs(found["drift"]) > 0.01:
    sys.exit(f"the energy drifts by {found['drift']} kT for each degree of freedom")
if found["relative_momentum"] > 1e-10:
    sys.exit(f"the sum of the momenta is {found['relative_momentum']} of their lengths")
if not 0.01 * TOLERANCE < found["bond_error"] < 1.001 * TOLERANCE:
    sys.exit(f"a bond is off by {found['bond_error']} of its length")
if found["traffic"]["shake"]["bytes"] == 0:
    sys.exit("no rank has read another's atoms for SHAKE")
