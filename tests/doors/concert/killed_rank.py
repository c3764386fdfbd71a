# SPDX-License-Identifier: BSD-3-Clause
"""usage: killed_rank.py COMMAND... - fails if the job hangs, ends well, or ends without a word."""
import subprocess
import sys

done = subprocess.run(sys.argv[1:], capture_output=True, text=True, timeout=100, check=False)
words = done.stdout + done.stderr
if done.returncode == 0 or "came through" in words or not words.strip():
    sys.exit(f"exit code {done.returncode}, words: {words!r}")
print(words)
