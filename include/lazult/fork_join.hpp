// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Recursive parallelism. While no stream is idle, a fork costs little more than a call.
///
///     long sum(lazult::forker fork, const node* n) {
///         if (n->is_leaf()) {
///             return n->value;
///         }
///         const auto [left, right] = fork.both([n](lazult::forker f) { return sum(f, n->left); },
///                                              [n](lazult::forker f) { return sum(f, n->right);
///                                              });
///         return left + right + n->value;
///     }
///     long total = lazult::fork_join([root](lazult::forker f) { return sum(f, root); });
///
/// Sources: lazy task creation (Mohr, Kranz, Halstead 1991), heartbeat scheduling (Acar and others
/// 2018), Spice. There, a call that waits for another part of the tree hangs. Here it may wait.
#pragma once

#include <lazult/detail/forking.hpp>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace lazult {

/// A callable that takes a forker, with which it may fork in turn.
template <class F>
concept forked_callable = std::invocable<F&, forker>;

/// The right to fork, which a recursive function passes down by value. Use it only in the call that
/// received it: calls below, and fork_joins inside, get forkers of their own.
class forker {
public:
    /// Calls first(forker) here, and second(forker) after it, or meanwhile in a thread of its own.
    /// Returns when both calls have: a pair of their values, the one value if only one call has
    /// one, or nothing. May suspend. Throws error: out_of_memory. It is no cancellation point.
    ///
    /// The caller keeps the second call for itself. That call becomes a thread if a stream has had
    /// nothing to do for a while, or if the caller suspends. So either call may block, and the
    /// first may wait for something that the second does, by lazult's own objects or by a loop that
    /// yields. If a stream looks for work, the first call may become the thread instead, and the
    /// second is made here. The thread is created like a lazult::thread, with as much stack as the
    /// calling thread has, but at most 8 MiB if that is an OS thread's stack.
    ///
    /// A second call is cheapest if the callable and its value are trivially copyable and have at
    /// most 16 bytes each, because such a callable is copied. So capture pointers by value. A first
    /// callable of that kind may be copied, too. No other callable is copied: the caller's own
    /// object is called. Each call may run on another OS thread.
    ///
    /// A call that has become a thread has its own id, local values and floating-point modes, and
    /// cancel() of the caller does not reach it. If that thread ends without a return from the
    /// call, or never starts because the runtime ends, both() throws error: canceled.
    ///
    /// Rethrows an exception of a call; one of the two if both threw. If the first throws, the
    /// second may or may not be called; if it has become a thread, both() waits for that thread.
    template <forked_callable F, forked_callable G>
    [[gnu::always_inline]] auto both(F&& first, G&& second) const {
        using f = std::remove_reference_t<F>;
        using g = std::remove_reference_t<G>;
        if constexpr (std::is_function_v<f> || std::is_function_v<g>) {
            return both(detail::as_object(first), detail::as_object(second));
        } else {
            return detail::present(detail::fork_both<f, g>(next_, first, {second}));
        }
    }

private:
    friend struct detail::forker_access;
    explicit forker(detail::latent_slot* next) noexcept : next_(next) {}

    detail::latent_slot* next_;
};

namespace detail {

struct forker_access {
    static forker at(latent_slot* next) noexcept { return forker(next); }
};

template <class F>
forked_value<F> make_in_slots(F& function) {
    const opened_slots slots;
    if (slots.first() == nullptr) [[unlikely]] {
        refuse_slots();
    }
    return value_of(function, slots.first());
}

// For an outside thread, which cannot suspend: calls the function in a ULT.
template <class F>
forked_value<F> make_in_thread(F& function) {
    std::optional<forked_value<F>> value;
    thread([&] { value.emplace(make_in_slots(function)); }).join();
    if (!value) [[unlikely]] {
        refuse_unwound();
    }
    return *std::move(value);
}

}  // namespace detail

/// Calls function(forker), and returns its value when all that it forked has ended. Starts the
/// runtime if need be. If the caller is an outside OS thread, a ULT calls the function. May
/// suspend. Rethrows an exception of the function. Throws error: cannot_suspend (in a tasklet),
/// out_of_memory, canceled (the function ended that ULT).
///
/// Streams of the runtime that have its work-stealing scheduler help. An idle stream asks a tree
/// for work only after the tree has run for 20 microseconds, so small trees stay on one stream.
template <forked_callable F>
std::decay_t<detail::forked_result<F>> fork_join(F&& function) {
    auto& called = function;
    using f = std::remove_reference_t<F>;
    auto value = detail::may_have_slots() ? detail::make_in_slots<f>(called)
                                          : detail::make_in_thread<f>(called);
    if constexpr (!std::is_void_v<detail::forked_result<f>>) {
        return value;
    }
}

}  // namespace lazult
