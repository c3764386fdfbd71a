#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What `make demo` runs once the release build is there: k-means by every technique and its
# alternatives, then the fork-join sweep over techniques and suspension rates. Tables go to the
# terminal, data and plots to build/report/. FULL=1 takes all complete flights of 2013, fetched with
# pip, instead of the source's sample.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${BUILD_DIR:-build/release}
report=${REPORT_DIR:-build/report}
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3

fail() {
    echo "demo: $*" >&2
    exit 1
}

check_tools() {
    local program
    for program in kmeans lazult; do
        [ -x "$build/bin/$program" ] ||
            fail "$build/bin/$program is missing: run 'make build' (it needs zlib1g-dev too)"
    done
    "$python" -c 'import matplotlib' 2>/dev/null ||
        fail "$python has no matplotlib: apt-get install python3-matplotlib"
}

run_kmeans() {
    local arguments=(--json "$report/kmeans.json")
    if [ "${FULL:-0}" != 0 ]; then
        local full=build/data/flights-full.csv.gz
        [ -f "$full" ] || "$python" apps/flights/fetch_full.py "$full"
        arguments+=(--data "$full" --repetitions 3)
    fi
    "$build/bin/kmeans" "${arguments[@]}"
}

progress() {
    [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2
}

# One measurement: its table goes to a log that is shown only if the bench fails.
measure() {
    local parts=$1 name=$2 technique=$3 rate=$4
    local command=("$build/bin/lazult" bench fork-join --technique "$technique" --suspend "$rate")
    if ! "${command[@]}" --json "$parts/$name.json" >"$parts/log" 2>&1 </dev/null; then
        progress
        cat "$parts/log" >&2
        fail "${command[*]}"
    fi
}

# All techniques at one rate come after one another, and all rates twice, so that a change of the
# machine's mood meets all of them alike.
sweep() {
    local parts=$1 round rate technique techniques
    for round in 1 2; do
        for rate in 0 1 10 25 50 75 100; do
            techniques=(adaptive full lazy_stack return_on_completion stack_separation
                scheduler_creation)
            [ "$rate" != 0 ] || techniques+=(run_to_completion) # it cannot suspend
            for technique in "${techniques[@]}"; do
                progress "fork-join: round $round of 2, $rate % suspended, $technique"
                measure "$parts" "$round-$rate-$technique" "$technique" "$rate"
            done
        done
    done
    progress
}

run_fork_join() {
    local parts
    parts=$(mktemp -d)
    # The path is wanted as it is now: the variable is gone when the trap runs.
    # shellcheck disable=SC2064
    trap "rm -rf '$parts'" EXIT
    sweep "$parts"
    "$python" tools/plots/plot_fork_join.py "$parts"/*.json --merged "$report/fork-join.json" \
        --out "$report"
}

check_tools
mkdir -p "$report"
export PYTHONDONTWRITEBYTECODE=1

echo "== 1 of 2: k-means over flight records =="
run_kmeans
"$python" tools/plots/plot_kmeans.py "$report/kmeans.json" --out "$report"

echo
echo "== 2 of 2: fork-join over techniques and suspension rates =="
run_fork_join

echo
echo "Done. Plots (each as .svg and .png) and data are in $report/:"
printf '  %-24s %s\n' \
    kmeans-variants.png "throughput of every way to run k-means" \
    kmeans-locks.png "throughput and suspensions by the number of locks" \
    fork-join.png "cost of a ULT by technique and suspension rate" \
    kmeans.json "the measurements of k-means" \
    fork-join.json "the measurements of the sweep"
