# SPDX-License-Identifier: BSD-3-Clause
"""Builds the programs that `lazult bench peers` runs, and runs them."""
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import rows

HERE = Path(__file__).resolve().parent
ARGOBOTS = HERE.parent / "argobots"
# Of ours and of the peers: default settings are measured.
SETTINGS = (
    "LAZULT_",
    "ABT_",
    "OMP_",
    "GOMP_",
    "KMP_",
    "MYTH_",
    "TBB_",
    "LD_",
    "GOMAXPROCS",
    "GOGC",
    "GODEBUG",
)
C = ("-std=gnu11", "-O3")
CXX = ("-std=c++20", "-O3")
LIBRARY_FOLDERS = ("lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu")


class failure(Exception):
    """Something that was asked for did not work."""


class missing(Exception):
    """A peer that is not installed. The words say what to do."""


def clean_environment():
    return {name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}


def compiler(variable, default):
    return os.environ.get(variable, default).split()


def run_tool(command, environment=None):
    try:
        done = subprocess.run(
            [str(word) for word in command],
            env=environment or clean_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
    except (FileNotFoundError, PermissionError) as problem:
        raise failure(f"{command[0]} cannot be run ({problem.strerror})") from problem
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        said = next((line for line in lines if "error" in line), lines[-1] if lines else "nothing")
        raise failure(
            f"{' '.join(str(word) for word in command[:1])} ended with {done.returncode}: "
            f"{said.strip()}"
        )
    return done.stdout


def sources(*patterns):
    return sorted(path for pattern in patterns for path in HERE.glob(pattern))


def linked_in(folders):
    return [word for folder in folders for word in (f"-L{folder}", f"-Wl,-rpath,{folder}")]


def below(prefix):
    """Options to compile and to link against what is installed in a prefix; none where it is the
    system's own."""
    if prefix is None:
        return []
    found = [Path(prefix) / name for name in LIBRARY_FOLDERS if (Path(prefix) / name).is_dir()]
    return ["-I", Path(prefix) / "include", *linked_in(found)]


def pkg_config(prefix, package):
    """pkg-config's words for a package of an installed Lazult, and the folder of its library."""
    found = next(iter(sorted(Path(prefix).rglob(f"pkgconfig/{package}.pc"))), None)
    if found is None:
        raise failure(
            f"there is no {package}.pc in {prefix}: install Lazult there, or say --lazult PREFIX"
        )
    environment = dict(clean_environment(), PKG_CONFIG_PATH=str(found.parent))
    words = run_tool(["pkg-config", "--cflags", "--libs", package], environment).split()
    return [*words, *linked_in([found.parent.parent])]


def build_lazult(out, prefix):
    run_tool(
        [
            *compiler("CXX", "c++"),
            *CXX,
            *sources("lazult/*.cpp"),
            "-o",
            out,
            *pkg_config(prefix, "lazult"),
        ]
    )


def build_abt(out, prefix):
    c_files = sorted(ARGOBOTS.glob("*.c"))
    run_tool(
        [*compiler("CC", "cc"), *C, *c_files, "-o", out, *pkg_config(prefix, "argobots"), "-ldl"]
    )
    check_library(out, prefix)


def build_argobots(out, prefix):
    if prefix is None:
        raise missing("say --prefix argobots=DIR")
    run_tool(
        [
            *compiler("CC", "cc"),
            *C,
            *sorted(ARGOBOTS.glob("*.c")),
            "-o",
            out,
            *below(prefix),
            "-labt",
            "-ldl",
        ]
    )
    check_library(out, prefix)


def check_library(program, prefix):
    """A wrong path would compare a library with itself and look fine."""
    loaded = Path(run_tool([program, "--library"]).strip()).resolve()
    if Path(prefix).resolve() not in loaded.parents:
        raise failure(
            f"the program for {prefix} loads {loaded}: see that the prefix has a libabt.so"
        )


def build_massivethreads(out, prefix):
    if prefix is None:
        raise missing("say --prefix massivethreads=DIR")
    run_tool(
        [*compiler("CC", "cc"), *C, HERE / "massivethreads.c", "-o", out, *below(prefix), "-lmyth"]
    )


def build_libfork(out, prefix):
    if prefix is None:
        raise missing("say --prefix libfork=DIR, with its headers in DIR/include")
    run_tool(
        [
            *compiler("CXX", "c++"),
            *CXX,
            "-w",
            HERE / "libfork.cpp",
            "-o",
            out,
            *below(prefix),
            "-pthread",
        ]
    )


def build_onetbb(out, prefix):
    run_tool(
        [
            *compiler("CXX", "c++"),
            *CXX,
            HERE / "onetbb.cpp",
            "-o",
            out,
            *below(prefix),
            "-ltbb",
            "-pthread",
        ]
    )


def build_libgomp(out, prefix):
    gcc = compiler("CC", "gcc")
    if "clang" in gcc[0]:
        gcc = ["gcc"]
    run_tool([*gcc, *C, "-fopenmp", HERE / "openmp.c", "-o", out, *below(prefix)])


def build_libomp(out, prefix):
    known = [
        name for name in ("clang", *(f"clang-{n}" for n in range(30, 13, -1))) if shutil.which(name)
    ]
    if not known:
        raise missing("install clang and libomp")
    problem = None
    for clang in known:
        try:
            run_tool([clang, *C, "-fopenmp=libomp", HERE / "openmp.c", "-o", out, *below(prefix)])
            return
        except failure as this:
            problem = this
    raise problem


def build_go(out, prefix):
    go = str(Path(prefix) / "bin/go") if prefix else shutil.which("go")
    if go is None:
        raise missing("install Go, or say --prefix go=DIR")
    run_tool([go, "build", "-o", out, *sources("go/*.go")])


BUILDERS = {
    name.removeprefix("build_"): value
    for name, value in list(globals().items())
    if name.startswith("build_")
}


def build_ours(prefix, folder):
    built = {}
    for name in rows.OURS:
        built[name] = Path(folder) / name
        BUILDERS[name](built[name], prefix)
    return built


def build_peers(prefixes, folder, wanted):
    """The programs, and for each peer that is missing why. A peer whose prefix was given must
    build."""
    built, absent = {}, {}
    for name in [name for name in rows.PEERS if name in wanted]:
        program = Path(folder) / name
        try:
            BUILDERS[name](program, prefixes.get(name))
            built[name] = program
        except missing as reason:
            absent[name] = str(reason)
        except failure as reason:
            if name in prefixes:
                raise failure(f"the program for {name} cannot be built: {reason}") from reason
            absent[name] = f"its program cannot be built ({reason})"
    return built, absent


def output_of(program, words, pinned_to):
    pinned = (
        ["taskset", "-c", str(pinned_to)]
        if pinned_to is not None and shutil.which("taskset")
        else []
    )
    command = [*pinned, str(program), *words]
    try:
        done = subprocess.run(
            command,
            env=clean_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    except subprocess.TimeoutExpired as problem:
        raise failure(f"{program.name} {' '.join(words)} did not end within 300 s") from problem
    if done.returncode != 0:
        raise failure(
            f"{program.name} {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()}"
        )
    return done.stdout


def times_of(program, case, repetitions, inexact=False, quick=False, pinned_to=None):
    """Nanoseconds per operation, of each repetition."""
    words = [
        case,
        str(repetitions),
        *(["--quick"] if quick else []),
        *(["--inexact"] if inexact else []),
    ]
    printed = output_of(program, words, pinned_to)
    try:
        found = [float(line) for line in printed.split()]
    except ValueError:
        found = []
    if len(found) != repetitions or not all(math.isfinite(ns) and ns > 0 for ns in found):
        raise failure(
            f"{program.name} {' '.join(words)} printed \"{printed.strip()}\" "
            f"and not {repetitions} times"
        )
    return found


def counted(program, case, count):
    """Instructions and operations of a run of so many rounds."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        str(program),
        case,
        "--count",
        str(count),
    ]
    done = subprocess.run(
        command, env=clean_environment(), capture_output=True, text=True, check=False, timeout=600
    )
    found = re.search(r"Collected *: *(\d+)", done.stderr)
    if done.returncode != 0 or found is None:
        raise failure(
            f"{program.name} {case} under valgrind ended with {done.returncode}: "
            f"{done.stderr.strip()[-300:]}"
        )
    return int(found[1]), float(done.stdout)


def instructions_of(program, case, counts):
    """For one operation: the difference of two runs is free of what begins and ends a program."""
    fewer, more = (counted(program, case, count) for count in counts)
    return (more[0] - fewer[0]) / (more[1] - fewer[1])
