#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the interface of each shared library with the dump that tests/abi has of it, and looks
for each dump in the changelog.

usage: abi.py ROOT LIST [--arch ARCH] [--renew WHAT]

LIST is a file with a line NAME=FILE for each shared library: a build writes it as interfaces.txt.
The dump of NAME is tests/abi/NAME.ARCH.abi. abidw makes it from the symbols and the debug
information of FILE, and tests/abi/private.suppr says what it leaves out. The first line of the
changelog that names NAME must have the beginning of the dump's SHA-256:

    - `NAME` 0123456789ab: what has changed.

--renew writes the dumps that are no longer true, and such a line with the words WHAT for each.
`make abi-dumps WHAT="..."` does that. docs/abi.md has the policy.
"""
import argparse
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sources import report

TOOLS = ("abidw", "abidiff")
PACKAGE = "abigail-tools"
FOLDER = "tests/abi"
DIGITS = 12
SHOWN_LINES = 60  # of what abidiff says about one library
DUMP_OPTIONS = (
    "--exported-interfaces-only",
    "--no-corpus-path",
    "--no-comp-dir-path",
    "--no-show-locs",
    "--no-elf-needed",
    "--no-parameter-names",
    # Numbers in turn would change with every type that comes before.
    "--type-id-style",
    "hash",
)
SAME, COMPATIBLE, INCOMPATIBLE = "same", "compatible", "incompatible"
RENEW = 'make abi-dumps WHAT="what has changed, in words"'
TITLE = "## [Unreleased]"
UNRELEASED = re.compile(r"^## \[Unreleased\]\n.*?(?=^## |\Z)", re.M | re.S)
HEADING = "### ABI\n\n"
NOTE = re.compile(rf"^- `([\w-]+)` ([0-9a-f]{{{DIGITS}}}):? *(.*)$", re.M)
SENTENCE = re.compile(r"\w+ \w+")


class failure(Exception):
    """Something is missing, so that nothing can be compared."""


def run(*command):
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def libraries(path):
    """{name: file} of a list."""
    if not path.is_file():
        raise failure(f"there is no {path}: cmake --preset release -DLAZULT_TESTS=ON writes it")
    lines = [line.partition("=") for line in path.read_text().splitlines() if line.strip()]
    return {name: Path(file) for name, _, file in lines}


def without_machine(text, root, build):
    """The dump with the names of source files as they are in any clone."""
    for folder, put in ((build, "build/"), (root, "")):
        text = text.replace(f" path='{folder}/", f" path='{put}")
    return text


def new_dump(library, root, build):
    """The text of a new dump of a library."""
    if not library.exists():
        raise failure(f"there is no {library}: build it first")
    private = root / FOLDER / "private.suppr"
    code, text, words = run("abidw", *DUMP_OPTIONS, "--suppressions", private, library)
    if code != 0:
        raise failure(f"abidw cannot read {library}: {words.strip() or code}")
    if "<abi-instr" not in text:
        raise failure(
            f"{library} has no debug information, so its types are unknown: "
            "compile it by g++ with -g"
        )
    return without_machine(text, root, build)


def compare(old, new):
    """How the new dump differs from the old one, and abidiff's words."""
    code, words, trouble = run("abidiff", "--harmless", old, new)
    if code < 0 or code & 3:  # abidiff has failed
        raise failure(f"abidiff cannot read {old}: {trouble.strip() or code}")
    if code == 0:
        return SAME, ""
    added_only = run("abidiff", "--no-added-syms", old, new)[0] == 0
    return (COMPATIBLE if added_only else INCOMPATIBLE), words


def compare_text(old, text):
    with tempfile.NamedTemporaryFile("w", suffix=".abi") as new:
        new.write(text)
        new.flush()
        return compare(old, new.name)


def shortened(words):
    lines = [line for line in words.splitlines() if line.strip()]
    left = len(lines) - SHOWN_LINES
    more = [f"... and {left} lines more"] if left > 0 else []
    return "\n".join(f"    {line}" for line in lines[:SHOWN_LINES] + more)


def complaint(name, kind, words):
    if kind == COMPATIBLE:
        text = (
            f"{name} has more than its dump says. A program that was linked with the old "
            f"library runs with the new one, so renew the dump: {RENEW}"
        )
    else:
        text = (
            f"{name} has changed. A program that was compiled for the old library may not run "
            "with the new one. Undo the change; or, if docs/abi.md allows it in the next "
            f"version, renew the dump: {RENEW}"
        )
    return f"{text}\n{shortened(words)}"


def judge(name, library, dump, root, build):
    """(kind, words, text of a new dump). There is no kind without an old dump or a new one."""
    try:
        text = new_dump(library, root, build)
        if not dump.exists():
            return None, f"{name} has no dump yet: {RENEW}", text
        kind, words = compare_text(dump, text)
        return kind, "" if kind == SAME else complaint(name, kind, words), text
    except failure as why:
        return None, str(why), None


def digest(dump):
    return hashlib.sha256(dump.read_bytes()).hexdigest()[:DIGITS]


def last_notes(changelog):
    """{name: (digits, words)} of the first line that names each library: the newest comes first."""
    found = {}
    for name, digits, words in NOTE.findall(changelog):
        found.setdefault(name, (digits, words))
    return found


def wrong_note(name, wanted, digits, words):
    """What is wrong with the changelog's line for a dump; None if nothing is."""
    line = f"- `{name}` {wanted}: what has changed."
    if digits is None:
        return f"the changelog has no line for this dump. Add to its part ABI: {line}"
    if digits != wanted:
        return (
            f"the changelog's newest line for {name} is of the dump {digits}, and the dump is "
            f"{wanted} now. Add above it: {line}"
        )
    if not SENTENCE.search(words):
        return f"the changelog's line for {name} {wanted} does not say what has changed: say it"
    return None


def check_notes(root, dumps, findings):
    notes = last_notes((root / "CHANGELOG.md").read_text())
    for name, dump in dumps.items():
        wrong = wrong_note(name, digest(dump), *notes.get(name, (None, "")))
        if wrong is not None:
            findings.error(dump, 1, wrong)


def with_notes(changelog, lines):
    """The changelog with these lines at the head of the part ABI of what is not released."""
    part = UNRELEASED.search(changelog)
    if part is None:
        raise failure(f"CHANGELOG.md has no heading {TITLE}: add it above the newest version")
    text = part[0]
    if HEADING in text:
        text = text.replace(HEADING, HEADING + lines, 1)
    else:
        behind = "\n" if part.end() < len(changelog) else ""
        text = f"{text.rstrip()}\n\n{HEADING}{lines}{behind}"
    return changelog[: part.start()] + text + changelog[part.end() :]


class interfaces:
    """The libraries of a list, beside the dumps of a tree."""

    def __init__(self, root, path, arch):
        self.root, self.ending = root, f".{arch}.abi"
        self.build = path.resolve().parent
        self.libraries = libraries(path)

    def dump(self, name):
        return self.root / FOLDER / f"{name}{self.ending}"

    def dumps(self):
        paths = sorted((self.root / FOLDER).glob(f"*{self.ending}"))
        return {path.name.removesuffix(self.ending): path for path in paths}

    def judged(self):
        """{name: what judge() says}, two at a time."""

        def one(name):
            return judge(name, self.libraries[name], self.dump(name), self.root, self.build)

        with ThreadPoolExecutor(2) as pool:
            return dict(zip(self.libraries, pool.map(one, self.libraries)))


def check(known, findings):
    for name, (kind, words, _) in known.judged().items():
        if kind != SAME:
            findings.error(known.dump(name), 1, words)
    dumps = known.dumps()
    check_notes(known.root, dumps, findings)
    absent = sorted(set(dumps) - set(known.libraries))
    without = f"; this build has no {', '.join(absent)}" if absent else ""
    return f"abi: {len(known.libraries)} libraries compared{without}"


def write_notes(root, written, what):
    changelog = root / "CHANGELOG.md"
    words = what.strip().rstrip(".")
    lines = "".join(f"- `{name}` {digits}: {words}.\n" for name, digits in sorted(written.items()))
    changelog.write_text(with_notes(changelog.read_text(), lines))


def renew(known, what, findings):
    if not SENTENCE.search(what):
        raise failure(f"say in words what has changed: {RENEW}")
    written = {}
    for name, (kind, words, text) in known.judged().items():
        dump = known.dump(name)
        if text is None:
            findings.error(dump, 1, words)
        elif kind != SAME:
            print(words)
            dump.write_text(text)
            written[name] = digest(dump)
    if written:
        write_notes(known.root, written, what)
    return f"abi: {len(written)} dumps written"


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", metavar="ROOT", type=Path)
    parser.add_argument("list", metavar="LIST", type=Path)
    parser.add_argument("--arch", default=platform.machine())
    parser.add_argument("--renew", metavar="WHAT")
    options = parser.parse_args(arguments)
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        print(f"abi: {missing[0]} is not installed: apt-get install {PACKAGE}", file=sys.stderr)
        return 1
    root = options.root.resolve()
    findings = report(root)
    try:
        known = interfaces(root, options.list, options.arch)
        if options.renew is None:
            return findings.finish(check(known, findings))
        return findings.finish(renew(known, options.renew, findings))
    except failure as why:
        print(f"abi: {why}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
