// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Threads that are calls. A method is a function that returns an outcome. A call of it is a plain
/// call on the caller's stack until it has to wait. Then it goes on in a context, which is a small
/// record and not a stack, and its callers follow it as far as they need its result.
///
///     namespace concert = lazult::concert;
///
///     concert::outcome<long> fib(long n) {
///         if (n < 2) {
///             return n;
///         }
///         return concert::all(concert::call(fib, n - 1), concert::call(fib, n - 2))
///             .then([](long a, long b) { return a + b; });
///     }
///
///     long result = concert::run(fib, 30L);
///
/// A method must not suspend: no lock that it may have to wait for, no MPI call that blocks. In a
/// ULT such a call ends with error (cannot_suspend), as in a tasklet. The same holds for the moves
/// and destructors of arguments, results and what is kept. A method may use 16 KiB of the stack
/// besides its calls of other methods.
///
/// Source: Karamcheti, Plevyak, Chien, "Runtime Mechanisms for Efficient Dynamic Multithreading",
/// sections 3 and 4. The paper has a compiler that makes two versions of each method. Here the
/// function of then() is the part of a method that a context can run.
#pragma once

#include <lazult_concert/call.hpp>
#include <lazult_concert/coroutine.hpp>
#include <lazult_concert/loops.hpp>

#include <lazult/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <type_traits>
#include <utility>

namespace lazult::concert {

/// How often what happened, in this process since it began.
struct method_counters {
    std::uint64_t contexts = 0;      ///< contexts that were made
    std::uint64_t heap_calls = 0;    ///< calls that began in a context, not on the stack
    std::uint64_t fallbacks = 0;     ///< methods that moved from the stack to a context
    std::uint64_t taken = 0;         ///< continuations that were taken of a caller on the stack
    std::uint64_t restarts = 0;      ///< contexts that went on when their results were there
    std::uint64_t foreign = 0;       ///< results and calls that another strand or a thread left
    std::uint64_t sent_calls = 0;    ///< calls that went to another strand or rank
    std::uint64_t served = 0;        ///< calls that came from there, and did not block
    std::uint64_t served_later = 0;  ///< calls that came from there, and blocked
    std::uint64_t cache_hits = 0;    ///< calls by call_cached() whose result was remembered
    std::uint64_t cache_misses = 0;  ///< the others, also those that waited for one under way
};

/// Exact while no method runs. Thread-safe. Inside a method it ends the process with a report.
LAZULT_API method_counters count_methods() noexcept;

namespace detail {

// A thread outside of all strands that waits for a method's result.
struct waiting_thread {
    void* slot;
    alignas(16) std::byte event[32] = {};  // happens when the slot is filled
};

// `in` is the strand that the caller is inside.
inline continuation_words words_to_waiter(const strand_data& in, const waiting_thread& t) noexcept {
    return {reinterpret_cast<std::uint64_t>(&t) << 16,
            (in.home & 0xffff) | (std::uint64_t{no_strand} << 16) |
                (static_cast<std::uint64_t>(target_kind::waiter) << 24)};
}

// Calls begin(argument) inside a strand. If that returns true, `me` has to wait, and this suspends
// until its slot is filled. A cancellation comes after that. Throws error: cannot_suspend, at once,
// in a tasklet.
LAZULT_API void run_inside(bool (*begin)(void*), void* argument, waiting_thread& me);

// A call that a thread outside of all strands makes.
template <class Call>
class outer_call {
public:
    using R = typename Call::value_type;

    explicit outer_call(Call&& call) : call_(std::move(call)), me_{&result_} {}
    outer_call(const outer_call&) = delete;
    outer_call& operator=(const outer_call&) = delete;
    ~outer_call() { result_.clear(); }

    R run() {
        run_inside(begin, this, me_);
        if (result_.state == slot_state::failed) {
            std::rethrow_exception(result_.take_error());
        }
        if constexpr (std::is_void_v<R>) {
            result_.clear();
        } else {
            return result_.take();
        }
    }

private:
    static bool begin(void* call) {
        auto& self = *static_cast<outer_call*>(call);
        try {
            outcome<R> first = call_group(std::move(self.call_)).then(pass_on{});
            if (context* const by = blocked_by(first); by != nullptr) {
                set_continuation(by, words_to_waiter(*here.inside, self.me_));
                return true;
            }
            self.result_.fill(value_in(first));
        } catch (...) {
            self.result_.fail(std::current_exception());
        }
        return false;
    }

    Call call_;
    slot<R> result_;
    waiting_thread me_;
};

}  // namespace detail

/// Calls the method and gives its result. The caller waits: it runs the method as far as that does
/// not block, and goes on with it in contexts until its result is there. Then it suspends for what
/// others have to do. Thread-safe. May suspend; a cancellation comes when the result is there.
/// Throws what the method threw; std::bad_alloc; error: cannot_suspend, in a tasklet. Inside a
/// method it ends the process with a report: use call() there.
template <class F, class... A>
auto run(F method, A... arguments) {
    // found by argument-dependent lookup, too: calls of objects have forms of their own
    return detail::outer_call(call(std::move(method), std::move(arguments)...)).run();
}

}  // namespace lazult::concert
