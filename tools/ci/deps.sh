#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the Debian packages that Lazult needs, and says which and why. What is there already
# costs nothing.
# usage: deps.sh build|test|openmp|mpi|peers|bench-peers|bench-io|demo|figures|docs|all...
set -euo pipefail

# group package reason
packages='
build g++                     compiles the library (C++20)
build cmake                   configures the build
build ninja-build             runs the build
build pkg-config              finds hwloc
build libhwloc-dev            the machine topology
build liburing-dev            files by io_uring
build libcli11-dev            arguments of the lazult command
build libfmt-dev              output of the lazult command
build nlohmann-json3-dev      JSON of lazult bench
build systemtap-sdt-dev       static probes (sys/sdt.h)
build zlib1g-dev              reads the flight records of the demo
test  libgtest-dev            the test framework
test  libgmock-dev            the test framework
test  googletest              the same as source, for sanitizers and AArch64
test  libbenchmark-dev        micro-benchmarks
test  clang-19                the second compiler; its ThreadSanitizer knows many fibers
test  libclang-rt-19-dev      run-time libraries of the sanitizers
test  llvm-19                 symbols in the reports of the sanitizers
test  clang-format-19         make format: C and C++
test  black                   make format: Python
test  clang-tidy-19           make tidy
test  g++-aarch64-linux-gnu   cross-compiles for AArch64
test  qemu-user               runs the AArch64 tests
test  spin                    searches the models of tests/spin
test  valgrind                counts instructions, checks memory
test  libudev-dev             named by the pkg-config file of hwloc for static links
test  gdb                     the debugger script is tested in it
test  gdb-multiarch           steps through the switch of AArch64
test  python3                 checks of the source tree
test  universal-ctags         finds functions: their length is checked
test  reuse                   each file has a licence
test  mandoc                  checks the manual page
test  man-db                  shows it
test  zsh                     tries the completion for it
test  fish                    tries the completion for it
test  doxygen                 no public declaration without a comment
test  abigail-tools           compares the interfaces of the libraries with their dumps
openmp gcc-12-source          holds the tests of libgomp
openmp gfortran               compiles a third of them
openmp python3                runs them
peers clang-19                compiles the program for the peers
peers libomp-19-dev           the OpenMP runtime of LLVM
peers python3-matplotlib      draws the comparison
bench-peers python3           runs the comparison
bench-peers valgrind          counts instructions
bench-peers libtbb-dev        is a peer
bench-peers clang-19          compiles for the OpenMP runtime of LLVM
bench-peers libomp-19-dev     is that runtime
bench-io python3              runs the comparison
bench-io golang-go            is a peer
mpi   openmpi-bin             runs the tests of the MPI door and of messages
mpi   libopenmpi-dev          has both built for Open MPI
mpi   mpich                   runs them with the other MPI
mpi   libmpich-dev            has both built for MPICH
mpi   gfortran                compiles its tests in Fortran
demo  python3                 draws the report
demo  python3-matplotlib      draws the plots
figures python3               runs the measurements of Concert
figures python3-matplotlib    draws them
figures valgrind              counts instructions
docs  doxygen                 reference pages of the public interfaces
docs  python3                 lists the atomics
'

wanted=" $* "
if [ $# -eq 0 ] || [ "$wanted" = " all " ]; then
    wanted=" build test demo "
fi

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "deps: this is not Debian: nothing is installed. Needed are the equivalents of:"
    awk -v wanted="$wanted" 'NF && index(wanted, " " $1 " ") { printf "  %s\n", $2 }' <<<"$packages"
    exit 0
fi

missing=()
while read -r group package reason; do
    [ -n "$group" ] || continue
    case "$wanted" in *" $group "*) ;; *) continue ;; esac
    if ! installed "$package"; then
        case " ${missing[*]:-} " in *" $package "*) continue ;; esac
        [ ${#missing[@]} -gt 0 ] || echo "deps: installing with apt-get:"
        printf '  %-24s %s\n' "$package" "$reason"
        missing+=("$package")
    fi
done <<<"$packages"

if [ ${#missing[@]} -eq 0 ]; then
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "deps: run this as root, or install sudo: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
run_apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q "$@" </dev/null
}
run_apt update
run_apt install -y --no-install-recommends "${missing[@]}"
