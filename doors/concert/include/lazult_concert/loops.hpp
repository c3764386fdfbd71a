// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over calls: each() and iterate().
#pragma once

#include <lazult_concert/call.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace lazult::concert {

namespace detail {

// A thread that waits until a number of calls have ended. Their continuations are all equal: each
// leads to the counter.
struct counter : context {
    // Takes the result of one call.
    void (*absorb)(counter* self, parcel& what);
};

inline continuation_words words_to_counter(const strand_data& in, const counter* c) noexcept {
    continuation_words words = continuation_words::to_slot(in, c, 0);
    words.where |= static_cast<std::uint64_t>(target_kind::counter) << 24;
    return words;
}

template <class R, class Combine>
struct sum_of_calls : counter {
    value_of<R> so_far;
    std::exception_ptr error;

    static sum_of_calls* make(strand_data& in, value_of<R>&& start) {
        context* const c = take_context<sizeof(sum_of_calls)>(in);
        return ::new (c) sum_of_calls(*c, std::move(start));
    }

private:
    sum_of_calls(const context& blank, value_of<R>&& start)
        : counter{context(go_on, 1, blank), take_in}, so_far(std::move(start)) {}

    static void take_in(counter* c, parcel& what) {
        auto* const self = static_cast<sum_of_calls*>(c);
        if (what.error != nullptr) {
            if (self->error == nullptr) {
                self->error = std::move(*what.error);
            }
        } else {
            try {
                self->so_far = Combine{}(std::move(self->so_far),
                                         std::move(*static_cast<value_of<R>*>(what.value)));
            } catch (...) {
                self->error = std::current_exception();
            }
        }
    }
    static void go_on(context* c) {
        auto* const self = static_cast<sum_of_calls*>(c);
        if (self->error != nullptr) {
            resolve_with_error<R>(continuation_of(*self), std::move(self->error));
        } else {
            resolve<R>(continuation_of(*self), std::move(self->so_far));
        }
        std::destroy_at(&self->so_far);
        std::destroy_at(&self->error);
        give_back(*here.inside, self);
    }
};

struct no_result {
    nothing operator()(nothing, nothing) const noexcept { return {}; }
};

// The calls of a loop. The variables of run() are never referred to from outside of it, so they
// stay in registers. The first call that leaves the stack ends run(), and go_on() makes the rest.
template <class R, class Combine, class F, class... A>
class loop_of_calls {
public:
    [[gnu::always_inline]] static outcome<R> run(std::int64_t begin, std::int64_t end, F& method,
                                                 std::tuple<A...>& arguments, value_of<R>&& start) {
        value_of<R> sum(std::move(start));
        for (std::int64_t i = begin; i < end; ++i) {
            if (leaves_stack()) [[unlikely]] {
                return go_on(i, end, F(method), std::tuple<A...>(std::move(arguments)),
                             value_of<R>(std::move(sum)), nullptr);
            }
            outcome<R> result = make(i, method, arguments);
            if (context* const by = blocked_by(result); by != nullptr) [[unlikely]] {
                return go_on(i + 1, end, F(method), std::tuple<A...>(std::move(arguments)),
                             value_of<R>(std::move(sum)), by);
            }
            sum = Combine{}(std::move(sum), value_in(result));
        }
        if constexpr (std::is_void_v<R>) {
            return {};
        } else {
            return outcome<R>(std::move(sum));
        }
    }

private:
    using traits = method_traits<F, std::int64_t, A...>;
    using sum_context = sum_of_calls<R, Combine>;

    static_assert(std::is_same_v<typename traits::value_type, R>,
                  "the start value of combine() has the type that the method gives");
    static_assert(is_movable_safely<value_of<R>> && alignof(value_of<R>) <= 16,
                  "a result's move may not throw, nor need more than 16 bytes of alignment");
    static_assert((is_movable_safely<A> && ...), "moving an argument may not throw");
    static_assert(!traits::is_passed_its_caller,
                  "a loop's method may not want its continuation: call it by one that does");

    // Call i on this stack.
    [[gnu::always_inline]] static outcome<R> make(std::int64_t i, F& method,
                                                  std::tuple<A...>& arguments) {
        return std::apply(
            [&](auto&... a) -> outcome<R> {
                if constexpr (traits::may_block) {
                    return outcome_from(method(i, a...));
                } else if constexpr (std::is_void_v<R>) {
                    method(i, a...);
                    return {};
                } else {
                    return method(i, a...);
                }
            },
            arguments);
    }

    // Calls i and all after it. `by` is the context of the call before, if that has blocked. An
    // exception ends the loop when the calls that have begun have ended.
    [[gnu::cold, gnu::noinline]] static outcome<R> go_on(std::int64_t i, std::int64_t end, F method,
                                                         std::tuple<A...> arguments,
                                                         value_of<R> sum, context* by) {
        strand_data& in = *here.inside;
        auto* const c = sum_context::make(in, std::move(sum));
        ++in.count.fallbacks;
        if (by != nullptr) {
            expect(in, *c, by);
        }
        try {
            for (; i < end; ++i) {
                make_or_expect(in, *c, i, method, arguments);
            }
        } catch (...) {
            c->error = std::current_exception();
        }
        if (--c->waiting == 0) {
            in.enqueue(c);
        }
        return blocked{c};
    }
    static void make_or_expect(strand_data& in, sum_context& c, std::int64_t i, F& method,
                               std::tuple<A...>& arguments) {
        if (leaves_stack()) {
            expect(in, c, begin_in_context(in, i, method, arguments));
            return;
        }
        outcome<R> result = make(i, method, arguments);
        if (context* const by = blocked_by(result); by != nullptr) {
            expect(in, c, by);
        } else {
            c.so_far = Combine{}(std::move(c.so_far), value_in(result));
        }
    }
    static void expect(strand_data& in, sum_context& c, context* from) noexcept {
        ++c.waiting;
        set_continuation(from, words_to_counter(in, &c));
    }
    static context* begin_in_context(strand_data& in, std::int64_t i, const F& method,
                                     const std::tuple<A...>& arguments) {
        context* const c = std::apply(
            [&](auto... a) {
                return invocation<F, std::int64_t, A...>::make(
                    in, method, std::tuple<std::int64_t, A...>(i, std::move(a)...));
            },
            arguments);
        in.enqueue(c);
        return c;
    }
};

}  // namespace detail

/// A method: calls `method(i, arguments...)` for each i from begin to end, end left out, as a group
/// of calls. One wait serves all of them. The first exception of a call is the method's.
/// Source: Concert, section 5 ("conc for").
template <class F, class... A>
outcome<void> each(std::int64_t begin, std::int64_t end, F method, A... arguments) {
    static_assert(std::is_void_v<typename detail::method_traits<F, std::int64_t, A...>::value_type>,
                  "each() is for methods without a value: see combine()");
    std::tuple<A...> all(std::move(arguments)...);
    return detail::loop_of_calls<void, detail::no_result, F, A...>::run(begin, end, method, all,
                                                                        {});
}

/// The same for methods with a value: gives operation(operation(start, first), second), and so on,
/// in the order in which the calls end. The operation has no captures.
template <class R, class Operation, class F, class... A>
outcome<R> combine(std::int64_t begin, std::int64_t end, R start, Operation, F method,
                   A... arguments) {
    static_assert(std::is_empty_v<Operation>, "the operation may not capture");
    std::tuple<A...> all(std::move(arguments)...);
    return detail::loop_of_calls<R, Operation, F, A...>::run(begin, end, method, all,
                                                             std::move(start));
}

}  // namespace lazult::concert
