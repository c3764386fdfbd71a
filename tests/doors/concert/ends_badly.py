# SPDX-License-Identifier: BSD-3-Clause
"""usage: ends_badly.py WORDS COMMAND... - fails if the job hangs, ends well, comes through, or does
not say WORDS."""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], capture_output=True, text=True, timeout=100, check=False)
words = done.stdout + done.stderr
if done.returncode == 0 or "came through" in words or not words.strip() or sys.argv[1] not in words:
    sys.exit(f"exit code {done.returncode}, words: {words!r}")
print(words)
