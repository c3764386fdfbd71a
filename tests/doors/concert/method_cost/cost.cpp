// SPDX-License-Identifier: BSD-3-Clause
// The same recursion by each way of calling, for a count of instructions.
//
// usage: cost WAY N    (WAY: plain, never-blocks, may-block, continuation-passing, coroutine, heap,
// object-reads, object-writes, object-plain)
#include <lazult_concert_objects.hpp>

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

// Never called here. But without it, compilers leave out the caller, which this method is to cost.
[[gnu::noinline, gnu::cold]] outcome<long> resolve_by_value(caller<long> by) {
    by.take().resolve(0);
    return by.given();
}
[[gnu::noinline]] outcome<long> passes_continuation(caller<long> by, long n) {
    if (n < 2) {
        return n >= 0 ? outcome<long>(n) : resolve_by_value(by);
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

// The leaves of the recursion are methods of an object in the same strand.
struct leaf {
    long calls = 0;
    [[gnu::noinline]] long read(long n) const { return n + calls; }
    [[gnu::noinline]] long write(long n) { return calls += n; }
};

// The same without an object that lives somewhere.
[[gnu::noinline]] outcome<long> on_plain(leaf* of, long n) {
    if (n < 2) {
        return of->write(n);
    }
    return all(call(on_plain, of, n - 1), call(on_plain, of, n - 2)).then([](long a, long b) {
        return mix(a, b);
    });
}
template <auto Method>
[[gnu::noinline]] outcome<long> on_object(concert::global_ptr<leaf> of, long n) {
    if (n < 2) {
        return call(Method, of, n);
    }
    return all(call(on_object<Method>, of, n - 1), call(on_object<Method>, of, n - 2))
        .then([](long a, long b) { return mix(a, b); });
}

// The object stays where the recursion runs: in the strand that makes it.
outcome<long> on_plain_here(long n) {
    static leaf one;
    return call(on_plain, &one, n);
}
template <auto Method>
outcome<long> on_object_here(long n) {
    return call(concert::create<leaf>).keep(n).then([](long m, concert::global_ptr<leaf> of) {
        return call(on_object<Method>, of, m);
    });
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
    } else if (way == "object-plain") {
        result = concert::run(on_plain_here, n);
    } else if (way == "object-reads") {
        result = concert::run(on_object_here<&leaf::read>, n);
    } else if (way == "object-writes") {
        result = concert::run(on_object_here<&leaf::write>, n);
    } else {
        result = concert::run(may_block, n);
    }
#if defined(__clang__)
    std::printf("%ld clang\n", result);
#else
    std::printf("%ld other\n", result);
#endif
}
