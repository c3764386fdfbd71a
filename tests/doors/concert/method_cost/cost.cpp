// SPDX-License-Identifier: BSD-3-Clause
// The same recursion by each way of calling, for a count of instructions.
//
// usage: cost WAY N    (WAY: plain, never-blocks, may-block, continuation-passing, coroutine, heap)
#include <lazult_concert_methods.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::outcome;
using concert::task;

// Two calls that no compiler makes one: the results are not only added.
long mix(long a, long b) { return a ^ (b + 1); }

long stack_end = 0;
[[gnu::noinline]] long too_deep() { std::abort(); }

// With the check of the stack's depth that a method makes.
[[gnu::noinline]] long plain(long n) {
    if (n < 2) {
        return n;
    }
    if (reinterpret_cast<long>(__builtin_dwarf_cfa()) < stack_end) {
        return too_deep();
    }
    const long a = plain(n - 1);
    return mix(a, plain(n - 2));
}

[[gnu::noinline]] outcome<long> may_block(long n) {
    if (n < 2) {
        return n;
    }
    return all(call(may_block, n - 1), call(may_block, n - 2)).then([](long a, long b) {
        return mix(a, b);
    });
}

[[gnu::noinline]] outcome<long> passes_continuation(caller<long>, long n) {
    if (n < 2) {
        return n;
    }
    return all(call(passes_continuation, n - 1), call(passes_continuation, n - 2))
        .then([](long a, long b) { return mix(a, b); });
}

task<long> coroutine(long n) {
    if (n < 2) {
        co_return n;
    }
    const auto [a, b] = co_await all(call(coroutine, n - 1), call(coroutine, n - 2));
    co_return mix(a, b);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        return 2;
    }
    const std::string way = argv[1];
    const long n = std::strtol(argv[2], nullptr, 10);
    if (way == "heap") {
        concert::detail::block_every(1);
    }
    long result = 0;
    if (way == "plain") {
        result = plain(n);
    } else if (way == "never-blocks") {
        result = concert::run(plain, n);
    } else if (way == "continuation-passing") {
        result = concert::run(passes_continuation, n);
    } else if (way == "coroutine") {
        result = concert::run(coroutine, n);
    } else {
        result = concert::run(may_block, n);
    }
#if defined(__clang__)
    std::printf("%ld clang\n", result);
#else
    std::printf("%ld other\n", result);
#endif
}
