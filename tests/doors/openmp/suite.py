#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs gcc's own libgomp tests over this library.

usage: suite.py BUILD_DIR [-j N] [--runs N] [--threads N] [--only WORD] [--sample N] [--suites SUITE...]

The tests come from Debian's package gcc-12-source, and are unpacked and compiled once, into BUILD_DIR/libgomp-suite. The names
that must pass are in libgomp-pass.txt; a sample is each N-th of them. GOMPTEST names the script that compiles and runs them (gomptest.py).
"""
import argparse
import os
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = Path("/usr/src/gcc-12")
WANTED = ("/libgomp/testsuite/", "/libgomp/libgomp", "/include/", "/gcc/testsuite/")


def unpack(into):
    archives = sorted(SOURCES.glob("gcc-12*.tar.xz"))
    if not archives:
        sys.exit("suite.py: install gcc-12-source first")
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archives[0]) as archive:
        members = [m for m in archive if any(part in "/" + m.name for part in WANTED)]
        archive.extractall(into, members)
    return next(into.glob("gcc-12*"))


def has_sources():
    return any(SOURCES.glob("gcc-12*.tar.xz"))


def prepare(folder, chosen, script, environment, options):
    """What was compiled for a list of names is found again by that list."""
    source = next(folder.glob("gcc-12*"), None) or unpack(folder)
    environment["GOMP_SRC"] = str(source)
    environment["GOMP_BIN"] = str(folder / "bin")
    built = folder / "built.txt"
    if built.exists() and set(chosen.read_text().split()) <= set(built.read_text().split()):
        return
    command = [sys.executable, script, "build", *options.suites, "--list", str(chosen), "-j", str(options.j)]
    subprocess.run(command, env=environment, check=True)
    built.write_text(chosen.read_text())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--suites", nargs="+", default=["c", "c++", "fortran"])
    options = parser.parse_args()
    build = Path(options.build).resolve()
    script = os.environ.get("GOMPTEST", str(HERE / "gomptest.py"))
    folder = build / "libgomp-suite"
    environment = dict(os.environ)
    names = (HERE / "libgomp-pass.txt").read_text().splitlines()
    names = [n for n in names if options.only in n and n.split(":")[0] in options.suites][:: options.sample]
    folder.mkdir(parents=True, exist_ok=True)
    chosen = folder / "names.txt"
    chosen.write_text("\n".join(names) + "\n")
    prepare(folder, chosen, script, environment, options)
    command = [sys.executable, script, "run", str(folder / "out.tsv"), "--list", str(chosen), "-j", str(options.j)]
    command += ["--ldpath", str(build / "lib/lazult/openmp")]
    if options.threads:
        command += ["--env", f"OMP_NUM_THREADS={options.threads}"]
    failures = 0
    for _ in range(options.runs):
        failures += subprocess.run(command, env=environment).returncode
        for line in (folder / "out.tsv").read_text().splitlines():
            if line.split("\t")[1] != "PASS":
                print(line)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
