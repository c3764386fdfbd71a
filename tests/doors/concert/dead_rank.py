# SPDX-License-Identifier: BSD-3-Clause
"""usage: dead_rank.py COMMAND... - a rank that is killed, or that calls exit() without
concert_finalize(), ends the others within ten seconds, with a message that names it, also where the
launcher does not end the job (whose exit code it may then not tell). COMMAND's rank 1 ends as its
argument says."""
import subprocess
import sys
import time

for how in ("killed", "exit"):
    begun = time.monotonic()
    done = subprocess.run(
        [*sys.argv[1:], how], capture_output=True, text=True, timeout=60, check=False
    )
    took = time.monotonic() - begun
    words = done.stdout + done.stderr
    if "came through" in words or "rank 1 (process" not in words:
        sys.exit(f"{how}: exit code {done.returncode}, words: {words!r}")
    if took > 10:
        sys.exit(f"{how}: it took {took:.1f} s: {words!r}")
    print(f"{how}: {took:.1f} s, exit code {done.returncode}")
