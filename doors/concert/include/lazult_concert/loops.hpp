// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Loops over calls: each() and combine().
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

struct no_result {
    nothing operator()(nothing, nothing) const noexcept { return {}; }
};

// A loop that has left the stack: the calls that it has still to make, and what has come of those
// that have ended. `waiting` counts the calls under way, and one more until all are made.
template <class R, class Combine, class F, class... A>
class loop_frame : public counter {
public:
    // The next call is number `at`.
    static loop_frame* make(strand_data& in, std::int64_t at, std::int64_t end, F&& method,
                            std::tuple<A...>&& arguments, value_of<R>&& start) {
        context* const c = take_context<sizeof(loop_frame)>(in);
        return ::new (c)
            loop_frame(*c, at, end, std::move(method), std::move(arguments), std::move(start));
    }
    // Makes the calls that are left, unless the loop must give way before. If a call on this stack
    // throws, those after it are not made, and the loop ends when those that have begun have ended.
    void make_calls(strand_data& in) {
        try {
            for (; at_ < end_; ++at_) {
                if (loop_gives_way()) [[unlikely]] {
                    in.enqueue(this);
                    return;
                }
                make_next(in);
            }
        } catch (...) {
            keep_error(std::current_exception());
            at_ = end_;
        }
        if (--waiting == 0) {
            in.enqueue(this);
        }
    }
    // A call has blocked in `from`, which will give its result.
    void expect(strand_data& in, context* from) noexcept {
        ++waiting;
        set_continuation(from, words_to_counter(in, this));
    }

    // Call i, on this stack.
    [[gnu::always_inline]] static outcome<R> call_on_stack(std::int64_t i, F& method,
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
    static constexpr std::size_t stack_bytes =
        copies_on_stack * (sizeof(std::tuple<F, std::int64_t, A...>) + sizeof(outcome<R>));

private:
    using traits = method_traits<F, std::int64_t, A...>;

    loop_frame(const context& blank, std::int64_t at, std::int64_t end, F&& method,
               std::tuple<A...>&& arguments, value_of<R>&& start)
        : counter{context(go_on, 1, blank), take_in},
          at_(at),
          end_(end),
          method_(std::move(method)),
          arguments_(std::move(arguments)),
          so_far_(std::move(start)) {}

    void make_next(strand_data& in) {
        if (leaves_stack(stack_bytes)) {
            expect(in, begin_in_context(in));
            return;
        }
        outcome<R> result = call_on_stack(at_, method_, arguments_);
        if (context* const by = blocked_by(result); by != nullptr) {
            expect(in, by);
        } else if (error_ == nullptr) {
            so_far_ = Combine{}(std::move(so_far_), value_in(result));
        }
    }
    context* begin_in_context(strand_data& in) {
        context* const c = std::apply(
            [&](auto... a) {
                return invocation<F, std::int64_t, A...>::make(
                    in, method_, std::tuple<std::int64_t, A...>(at_, std::move(a)...));
            },
            arguments_);
        in.enqueue(c);
        return c;
    }

    static void take_in(counter* c, parcel& what) {
        auto* const self = static_cast<loop_frame*>(c);
        if (what.error != nullptr) {
            self->keep_error(std::move(*what.error));
        } else if (self->error_ == nullptr) {  // else the operation may have thrown
            try {
                self->so_far_ = Combine{}(std::move(self->so_far_),
                                          std::move(*static_cast<value_of<R>*>(what.value)));
            } catch (...) {
                self->keep_error(std::current_exception());
            }
        }
    }
    // The first exception is the loop's.
    void keep_error(std::exception_ptr error) noexcept {
        if (error_ == nullptr) {
            error_ = std::move(error);
        }
    }
    // The ready list's way back: the loop gave way, or all its calls have ended.
    static void go_on(context* c) {
        auto* const self = static_cast<loop_frame*>(c);
        strand_data& in = *here.inside;
        if (self->at_ < self->end_) {
            self->make_calls(in);
            return;
        }
        if (self->error_ != nullptr) {
            resolve_with_error<R>(continuation_of(*self), std::move(self->error_));
        } else {
            resolve<R>(continuation_of(*self), std::move(self->so_far_));
        }
        std::destroy_at(&self->so_far_);
        std::destroy_at(&self->error_);
        std::destroy_at(&self->arguments_);
        std::destroy_at(&self->method_);
        give_back(in, self);
    }

    std::int64_t at_;
    std::int64_t end_;
    F method_;
    std::tuple<A...> arguments_;
    value_of<R> so_far_;
    std::exception_ptr error_;
};

// The calls of a loop. The variables of run() are never referred to from outside of it, so they
// stay in registers. The first call that leaves the stack ends run(), and a frame makes the rest.
template <class R, class Combine, class F, class... A>
class loop_of_calls {
public:
    [[gnu::always_inline]] static outcome<R> run(std::int64_t begin, std::int64_t end, F& method,
                                                 std::tuple<A...>& arguments, value_of<R>&& start) {
        value_of<R> sum(std::move(start));
        for (std::int64_t i = begin; i < end; ++i) {
            if (leaves_stack(frame::stack_bytes)) [[unlikely]] {
                return go_on(i, end, F(method), std::tuple<A...>(std::move(arguments)),
                             value_of<R>(std::move(sum)), nullptr);
            }
            if (loop_gives_way()) [[unlikely]] {
                return give_way(i, end, F(method), std::tuple<A...>(std::move(arguments)),
                                value_of<R>(std::move(sum)));
            }
            outcome<R> result = frame::call_on_stack(i, method, arguments);
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
    using frame = loop_frame<R, Combine, F, A...>;

    static_assert(std::is_same_v<typename traits::value_type, R>,
                  "the start value of combine() has the type that the method gives");
    static_assert(is_movable_safely<value_of<R>> && alignof(value_of<R>) <= 16,
                  "a result's move may not throw, nor need more than 16 bytes of alignment");
    static_assert((is_movable_safely<A> && ...) && ((alignof(A) <= 16) && ...),
                  "an argument's move may not throw, nor need more than 16 bytes of alignment");
    static_assert(!traits::is_passed_its_caller,
                  "a loop's method may not want its continuation: call it by one that does");

    // Moves the loop to a frame. `by` is the context of the call before number `at`, if that has
    // blocked.
    [[gnu::cold, gnu::noinline]] static outcome<R> go_on(std::int64_t at, std::int64_t end,
                                                         F method, std::tuple<A...> arguments,
                                                         value_of<R> sum, context* by) {
        strand_data& in = *here.inside;
        auto* const f =
            frame::make(in, at, end, std::move(method), std::move(arguments), std::move(sum));
        ++in.count.fallbacks;
        if (by != nullptr) {
            f->expect(in, by);
        }
        f->make_calls(in);
        return blocked{f};
    }
    // Moves the loop to a frame, behind what is ready.
    [[gnu::cold, gnu::noinline]] static outcome<R> give_way(std::int64_t at, std::int64_t end,
                                                            F method, std::tuple<A...> arguments,
                                                            value_of<R> sum) {
        strand_data& in = *here.inside;
        auto* const f =
            frame::make(in, at, end, std::move(method), std::move(arguments), std::move(sum));
        ++in.count.fallbacks;
        in.enqueue(f);
        return blocked{f};
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
