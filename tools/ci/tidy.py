#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs clang-tidy 19 over the library and the doors, with the checks of .clang-tidy.

usage: tidy.py BUILD_DIR [-j N] [--root ROOT] [WORD...]

BUILD_DIR was configured with clang, and holds compile_commands.json. Nothing need be built.
clang-tidy takes ten seconds for a file, most of them for the headers of the standard library. So it
sees all files of a folder that have the same flags as one, which takes hardly longer than one of
them. Then a name in an unnamed namespace must mean the same in all of these files: what does not
compile is an error. WORD: looks only at folders with that word in their names.
"""
import argparse
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOOL = "clang-tidy-19"
ROOT = Path(__file__).resolve().parents[2]
FOLDER = re.compile(r"(?:lazult|doors)/\w+")
FLAG = re.compile(r"-(?:D|I|isystem|std=|f(?!sanitize)|m|pthread)")
# Sources are included here. Many names in doors are those of MPI, OpenMP and Argobots.
NOT_HERE = "-bugprone-suspicious-include"
NOT_IN_DOORS = "-readability-identifier-naming"
FINDING = re.compile(r"^(?=\S+:\d+:\d+: (?:error|warning): )", re.MULTILINE)
CLASH = (
    "tidy: the files of {folder} do not compile as one. If each of them compiles alone, a name in"
    " an unnamed namespace means two things: give each a name of its own\n"
)


def folder_of(path, root):
    found = FOLDER.match(str(path.relative_to(root))) if path.is_relative_to(root) else None
    return found[0] if found else None


def flags_of(entry):
    words = iter(shlex.split(entry["command"]))
    flags = []
    for word in words:
        if word == "-isystem":
            flags += [word, next(words)]
        elif FLAG.match(word):
            flags.append(word)
    return tuple(flags)


def groups(build, root):
    """{(folder, flags): files}. A file that two targets compile is in the group of the first."""
    found, seen = {}, set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = Path(entry["file"])
        folder = folder_of(path, root)
        if folder and path.suffix == ".cpp" and path not in seen:
            seen.add(path)
            found.setdefault((folder, flags_of(entry)), []).append(path)
    return found


def look(unit, folder, flags, files):
    """What clang-tidy says, and whether it is content."""
    unit.write_text("".join(f'#include "{path}"\n' for path in sorted(files)))
    checks = NOT_HERE if folder.startswith("lazult") else f"{NOT_HERE},{NOT_IN_DOORS}"
    done = subprocess.run(
        [TOOL, "-quiet", f"-checks={checks}", str(unit), "--", "-w", *flags],
        capture_output=True,
        text=True,
        check=False,
    )
    # Where it cannot begin, it says why on stderr. Else stderr has only counts.
    words = done.stdout or (done.stderr if done.returncode != 0 else "")
    if "[clang-diagnostic-error]" in words:
        words += CLASH.format(folder=folder)
    return words, done.returncode == 0


def look_at_all(jobs, at_once):
    """The number of groups with findings. One that is in many groups, by a header, is said once."""
    failed, said = 0, set()
    with ThreadPoolExecutor(at_once) as pool:
        for words, is_content in pool.map(lambda job: look(*job), jobs):
            failed += not is_content
            fresh = [finding for finding in FINDING.split(words) if finding not in said]
            print("".join(fresh), end="", flush=True)
            said.update(fresh)
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=Path)
    parser.add_argument("-j", type=int, default=1)
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    if shutil.which(TOOL) is None:
        print(f"tidy: {TOOL} is not installed: nothing was looked at", file=sys.stderr)
        return 2
    place = options.build.resolve() / "as_one"
    place.mkdir(parents=True, exist_ok=True)
    jobs = [
        (place / f"{folder.replace('/', '_')}_{number}.cpp", folder, flags, files)
        for number, ((folder, flags), files) in enumerate(
            groups(options.build, options.root).items()
        )
        if not options.words or any(word in folder for word in options.words)
    ]
    failed = look_at_all(jobs, options.j)
    count = sum(len(files) for *_, files in jobs)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"tidy: {count} files in {len(jobs)} groups, {used.ru_utime + used.ru_stime:.0f} s of"
        f" processor time; groups with errors: {failed}"
    )
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
