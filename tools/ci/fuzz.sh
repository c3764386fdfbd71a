#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Fuzzes for a given time: two fuzzers at a time, first the parsers of environments (a quarter of
# it), then programs of units, under sanitizers and without; or one after the other, in the same
# time, each for half as long. What libFuzzer learns is kept in build/fuzz-corpus; an input that
# fails, in build/fuzz-findings.
# usage: fuzz.sh MINUTES [JOBS]    keeps what it learnt before: to begin anew, remove
#                                  build/fuzz-corpus
#        fuzz.sh --keep            makes what it learnt small, and puts it into tests/fuzz/corpus
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1

minutes=${1:-10}
jobs=${2:-2}
corpus=$PWD/build/fuzz-corpus findings=$PWD/build/fuzz-findings logs=$PWD/build/results
mkdir -p "$corpus" "$findings" "$logs"
names=(settings openmp_environment program)

build() {  # preset target...
    cmake --preset "$1" && cmake --build --preset "$1" -j "$jobs" --target "${@:2}"
}

for preset in fuzz fuzz-fast; do
    targets=(fuzz_program)
    [ "$preset" = fuzz-fast ] || targets=("${names[@]/#/fuzz_}")
    if ! build "$preset" "${targets[@]}" >"$logs/$preset.log" 2>&1; then
        tail -40 "$logs/$preset.log"
        echo "fuzz: $preset does not build; whole log: $logs/$preset.log"
        exit 1
    fi
done

longest_of() { [ "$1" = program ] && echo 300 || echo 200; }

# Leaves room for a part of the coverage only: program's depends on how threads take turns, so there
# is no end of inputs that each find something.
keep() {  # name bytes
    local folder=tests/fuzz/corpus/$1 small total=0
    small=$(mktemp -d)
    build/fuzz/bin/fuzz_"$1" -merge=1 -detect_leaks=0 -close_fd_mask=3 \
        "$small" "$corpus/$1" "$folder" 2>&1 | tail -1
    rm -rf "$folder"
    mkdir -p "$folder"
    while read -r size path; do
        total=$((total + size))
        [ "$total" -le "$2" ] || break
        cp "$path" "$folder"/
    done < <(find "$small" -type f -printf '%s %p\n' | sort -k2)
    rm -rf "$small"
    echo "$1: $(find "$folder" -type f | wc -l) files, $(du -sb "$folder" | cut -f1) bytes"
}

if [ "$minutes" = --keep ]; then
    keep settings 12000
    keep openmp_environment 16000
    keep program 40000
    exit 0
fi

fuzz() {  # preset name seconds
    local log=$logs/$1-$2.log
    mkdir -p "$corpus/$2" "tests/fuzz/corpus/$2"
    # Leaks of descriptors, stacks and values are counted by the fuzzers themselves.
    nice -n 10 build/"$1"/bin/fuzz_"$2" -max_total_time="$3" -timeout=60 -rss_limit_mb=4000 \
        -detect_leaks=0 -len_control=0 -max_len="$(longest_of "$2")" -close_fd_mask=2 \
        -print_final_stats=1 -artifact_prefix="$findings/$2-" \
        "$corpus/$2" "tests/fuzz/corpus/$2" >"$log" 2>&1
    local code=$?
    printf '%-28s %10s executions  %s\n' "$1 $2" \
        "$(sed -n 's/stat::number_of_executed_units: *//p' "$log")" \
        "$(grep -oE 'cov: [0-9]+' "$log" | tail -1)"
    if [ "$code" -ne 0 ]; then
        echo "fuzz: $2 failed; the input is in $findings, the log in $log"
    fi
    return "$code"
}

both() {  # seconds, and twice preset and name
    if [ "$jobs" -lt 2 ]; then
        local code=0
        fuzz "$2" "$3" $(($1 / 2)) || code=1
        fuzz "$4" "$5" $(($1 / 2)) || code=1
        return "$code"
    fi
    fuzz "$2" "$3" "$1" &
    local first=$! failed=0
    fuzz "$4" "$5" "$1" || failed=1
    wait "$first" || failed=1
    return "$failed"
}

failed=0
seconds=$((minutes * 60))
both $((seconds / 4)) fuzz settings fuzz openmp_environment || failed=1
both $((seconds - seconds / 4)) fuzz program fuzz-fast program || failed=1
exit "$failed"
