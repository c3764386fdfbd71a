# SPDX-License-Identifier: BSD-3-Clause
"""What a person who presses TAB gets in bash and zsh."""

import os
import pty
import select
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROMPT = b"ready-to-read> "
PATIENCE = 60


def bash_offers(completion, *words):
    """What COMPREPLY has when the cursor is behind the last of these words."""
    script = (
        'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
        '_lazult; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-uc", script, "bash", completion, "lazult", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{words}: {done.returncode}: {done.stderr}")
    return done.stdout.split("\n")[:-1] if done.stdout.strip() else []


def read_until(terminal, mark):
    """What the shell writes up to this mark and the rest of its line."""
    heard, end = b"", time.monotonic() + PATIENCE
    while mark not in heard or b"\n" not in heard.split(mark, 1)[1] and mark != PROMPT:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            raise AssertionError(f"the shell did not write {mark!r}: {heard!r}")
        heard += os.read(terminal, 4096)
    return heard


def typed(shell, setup, keys):
    """What the command gets when a person types these keys, TAB among them, and presses Enter."""
    with tempfile.TemporaryDirectory() as folder:
        rc = Path(folder) / (".zshrc" if shell == "zsh" else "bashrc")
        rc.write_text(
            f"{setup}\nPS1='{PROMPT.decode()}'\nlazult() {{ printf 'got<%s>\\n' \"$*\"; }}\n"
        )
        command = (
            ["zsh", "-d", "-i"]
            if shell == "zsh"
            else ["bash", "--noprofile", "--rcfile", str(rc), "-i"]
        )
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(folder)
            os.execvpe(
                command[0],
                command,
                {"PATH": os.environ["PATH"], "HOME": folder, "ZDOTDIR": folder, "TERM": "dumb"},
            )
        try:
            read_until(terminal, PROMPT)
            os.write(terminal, keys.encode() + b"\r")
            return read_until(terminal, b"got<").split(b"got<", 1)[1].split(b">", 1)[0].decode()
        finally:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(terminal)
