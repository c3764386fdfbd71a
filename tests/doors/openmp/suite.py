#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs gcc's own libgomp tests over this library.

usage: suite.py BUILD_DIR [-j N] [--runs N] [--threads N] [--only WORD] [--sample N]
                [--suites SUITE...] [--sanitize thread|address]

The tests come from Debian's package gcc-12-source, and are unpacked and compiled once, into
BUILD_DIR/libgomp-suite. The names that must pass are in libgomp-pass.txt; a sample is each N-th of
them. GOMPTEST names the script that compiles and runs them (gomptest.py).

With --sanitize, BUILD_DIR is a build by the preset tsan or asan. gcc instruments the tests,
clang++-19 links its run-time library, and what fails a run is a report in which the library's own
code is one of those that meet; some of the tests do race themselves.
"""
import argparse
import os
import re
import shutil
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
    command = [
        sys.executable,
        script,
        "build",
        *options.suites,
        "--list",
        str(chosen),
        "-j",
        str(options.j),
    ]
    subprocess.run(command, env=environment, check=True)
    built.write_text(chosen.read_text())


def instrument(build, kind, folder, environment):
    libraries = build / "lib"
    everything = "address,undefined" if kind == "address" else kind
    paths = f"-Wl,-rpath,{libraries}:{libraries}/lazult/openmp"
    environment["GOMP_SANITIZE"] = kind
    environment["GOMP_LINK"] = (
        f"clang++-19 -fsanitize={everything} {libraries}/lazult/openmp/libgomp.so.1 "
        f"{libraries}/liblazult.so {paths}"
    )
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    options = f"exitcode=0:log_path={reports}/report"
    symbolizer = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    options += f":external_symbolizer_path={symbolizer}" if symbolizer else ""
    suppressions = HERE.parents[1] / "support/tsan.supp"
    # A program's own leaks, and what it asks for too much of, are its own.
    environment["ASAN_OPTIONS"] = (
        options + ":detect_stack_use_after_return=1:detect_leaks=0:allocator_may_return_null=1"
    )
    environment["UBSAN_OPTIONS"] = options
    environment["TSAN_OPTIONS"] = (
        options + f":die_after_fork=0:allocator_may_return_null=1:suppressions={suppressions}"
    )
    return reports


def is_own(report):
    """Whether one of the stacks that meet begins in the library's code; what the system's headers
    inline belongs to who includes."""
    begins = False
    for line in report.split("Location is", 1)[0].splitlines():
        frame = re.match(r" +#(\d+) ", line)
        begins = frame is not None and (begins or frame[1] == "0")
        if begins and " /usr/" not in line and "<null>" not in line:
            if re.search(r"/(lazult|doors/openmp/src)/[^ ]*:\d", line):
                return True
            begins = False
    return "DEADLYSIGNAL" in report


def own_reports(reports):
    found = []
    for path in sorted(reports.iterdir()):
        for report in re.split(r"^=+$", path.read_text(errors="replace"), flags=re.MULTILINE):
            if is_own(report):
                found.append(report.strip())
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("-j", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--sanitize", choices=("thread", "address"))
    parser.add_argument("--suites", nargs="+", default=["c", "c++", "fortran"])
    options = parser.parse_args()
    build = Path(options.build).resolve()
    script = os.environ.get("GOMPTEST", str(HERE / "gomptest.py"))
    folder = build / "libgomp-suite"
    environment = dict(os.environ)
    names = (HERE / "libgomp-pass.txt").read_text().splitlines()
    names = [n for n in names if options.only in n and n.split(":")[0] in options.suites][
        :: options.sample
    ]
    folder.mkdir(parents=True, exist_ok=True)
    reports = instrument(build, options.sanitize, folder, environment) if options.sanitize else None
    chosen = folder / "names.txt"
    chosen.write_text("\n".join(names) + "\n")
    prepare(folder, chosen, script, environment, options)
    command = [
        sys.executable,
        script,
        "run",
        str(folder / "out.tsv"),
        "--list",
        str(chosen),
        "-j",
        str(options.j),
    ]
    command += ["--ldpath", str(build / "lib/lazult/openmp")]
    if options.threads:
        command += ["--env", f"OMP_NUM_THREADS={options.threads}"]
    failures = 0
    for _ in range(options.runs):
        failures += subprocess.run(command, env=environment).returncode
        for line in (folder / "out.tsv").read_text().splitlines():
            if line.split("\t")[1] != "PASS":
                print(line)
    own = own_reports(reports) if reports else []
    for report in own[:10]:
        print(report)
    if reports:
        print(
            f"reports: {sum(1 for _ in reports.iterdir())} programs; "
            f"{len(own)} of the library's own"
        )
        return 1 if own else 0
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
