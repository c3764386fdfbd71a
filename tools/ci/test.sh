#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds and tests Lazult in its configurations, and ends with a table and the line `N passed, M
# failed`.
# usage: test.sh [-j JOBS] [STEP[=FLOOR,...]...]
# Steps: release headers dev clang asan tsan generic chaos aarch64, which run by default; checker.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

jobs=$(nproc)
if [ "${1:-}" = -j ]; then
    jobs=$2
    shift 2
fi

# All tests run optimised and under AddressSanitizer. Elsewhere the floors that the configuration
# can change run: what is left out there is what neither the compiler, nor the architecture, nor
# interleaving could break anew. ThreadSanitizer sees what programs see: the tests of core look into
# structures that it is not told of. dev and chaos are one configuration but for the chaos, so they
# share the floors.
all_steps=(release headers asan dev clang tsan generic chaos aarch64)
floors_of() {
    case $1 in
        *=*) floors_of "${1%%=*}" >/dev/null && tr , ';' <<<"${1#*=}" ;;
        release | asan) echo all ;;
        headers) ;;
        dev) echo "base;os;probe;topo;arch;api" ;;
        clang) echo "arch;core;watch;sched;sync;api;examples" ;;
        tsan) echo "ds;watch;sched;sync;io;api;examples;stress;concert" ;;
        generic) echo "arch;core;watch;sched;sync" ;;
        chaos) echo "ds;core;watch;sched;sync;stress" ;;
        aarch64) echo "arch;core;watch;sched" ;;
        checker) echo "sync;io;api;stress" ;;
        *) return 1 ;;
    esac
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=("${all_steps[@]}")
for step in "${steps[@]}"; do
    if ! floors_of "$step" >/dev/null; then
        echo "test.sh: no step '$step'; there are: ${all_steps[*]} checker" >&2
        exit 2
    fi
done

results=build/results
mkdir -p "$results"
table=$results/table
: >"$table"

# The checks of the tree, and the tests of the checks, run once; whether headers compile alone is
# for each compiler to say. Valgrind 3.19 does not read what clang 19 writes for debuggers.
# The tests of the Argobots door pass data between ULTs of one stream as the order of its pool
# allows, which ThreadSanitizer cannot know. Of those of sched, some few that take a quarter of the
# time stay with the other configurations. ThreadSanitizer has a stack of its own, which the deep
# recursions of concert overflow. The checker moves ULTs in tests that block streams, migrate ULTs
# themselves, or ask where ULTs run; and it has records of its own where a test counts memory.
excluded_of() {
    case $1 in
        clang)
            printf '%s' '^((checks|install)\.|debugging\.valgrind$' \
                '|tree\.(floors|sizes|atomics|memory_model|links)$)'
            ;;
        tsan)
            printf '%s' '^(argobots\.|openmp\.argobots_|sched\.(two_joiners\.' \
                '|stream\.(comes_and_goes_a_thousand|many_at_once)' \
                '|ownerless_pool\.a_message_is_not)' \
                '|concert\.[^.]*\.recurse_deeper)'
            ;;
        checker)
            printf '%s' '^(io\.(streams/spare|spare_streams)\.' \
                '|api\.(many_tasks\.take_little_memory' \
                '|execution_stream\.may_be_ended_by_a_thread_that_it_has_stolen' \
                '|channel\.(a_receiver_runs_while_its_sender_computes|partners_with_small)' \
                '|migrate\.continues_in_the_other_pool))'
            ;;
    esac
}

configure() {  # step floors partial
    local floors=$2
    local options=(-DLAZULT_TESTS=ON)
    if [ "$floors" = all ]; then
        options+=(-ULAZULT_TEST_FLOORS)
    else
        options+=("-DLAZULT_TEST_FLOORS=$floors")
    fi
    [ "$1" != dev ] || options+=(-DLAZULT_TOOLS=OFF -DLAZULT_CHECKS=OFF)
    # The floors named, and no more.
    [ -z "$3" ] || options+=(-DLAZULT_TOOLS=OFF -DLAZULT_CHECKS=OFF -DLAZULT_DOORS=OFF)
    # One step compiles each file with its own includes alone, as builds with ccache do.
    [ "$1" != aarch64 ] || options+=(-DLAZULT_PRECOMPILE=OFF)
    cmake --preset "$1" "${options[@]}"
}

record() {  # step passed failed skipped seconds note
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@" >>"$table"
}

# Each header with its own includes alone. The other steps precompile those that are not of this
# tree.
check_headers() {
    local log=$results/headers.log arch
    arch=$(uname -m)
    echo "== headers: compile each alone"
    if python3 tools/checks/headers.py . --arch "$arch" \
        -- "-DLAZULT_ARCH_${arch^^}=1" -DLAZULT_HAVE_HWLOC=1 2>&1 </dev/null | tee "$log"; then
        record headers 1 0 0 $((SECONDS - started)) ""
    else
        record headers 0 1 0 $((SECONDS - started)) "whole log: $log"
    fi
}

build() {  # step floors partial
    configure "$@" && cmake --build --preset "$1" -j "$jobs"
}

run_step() {
    local step=${1%%=*} started=$SECONDS built partial=
    [ "$1" = "$step" ] || partial=yes
    if [ "$step" = headers ]; then
        check_headers
        return
    fi
    local log=$results/$step.log junit=$PWD/$results/$step.xml
    rm -f "$junit"
    echo "== $step: configure and build"
    if ! build "$step" "$(floors_of "$1")" "$partial" >"$log" 2>&1 </dev/null; then
        grep -nE 'error|Error|FAILED' "$log" | head -40
        echo "== $step: does not build; whole log: $log"
        record "$step" 0 1 0 $((SECONDS - started)) "does not build"
        return
    fi
    built=$((SECONDS - started))
    echo "== $step: test"
    local excluded
    excluded=$(excluded_of "$step")
    # What has the label `deep` is for make test-mpi and its like.
    ctest --preset "$step" -j "$jobs" ${excluded:+-E "$excluded"} -LE '^deep$' --no-tests=error \
        --output-junit "$junit" </dev/null 2>&1 |
        tee -a "$log" | grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test.* Passed )'
    python3 tools/ci/junit.py "$junit" "$step" $((SECONDS - started)) "$built" >>"$table"
}

for step in "${steps[@]}"; do
    run_step "$step"
done

echo
awk -F'\t' '
    BEGIN { printf "%-10s %8s %8s %8s %8s\n", "step", "passed", "failed", "skipped", "seconds" }
    { printf "%-10s %8d %8d %8d %8d  %s\n", $1, $2, $3, $4, $5, $6; passed += $2; failed += $3 }
    END {
        printf "\n%d passed, %d failed\n", passed, failed
        exit failed > 0 || passed == 0
    }' "$table"
