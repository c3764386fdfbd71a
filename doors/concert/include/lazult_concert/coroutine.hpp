// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Methods that are written as coroutines: for code with loops and many steps.
#pragma once

#include <lazult_concert/call.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

// A coroutine's frame stands behind the header of a context, so the ready list runs coroutines as
// it runs all other contexts. The coroutine begins on its caller's stack. It is a context from the
// beginning, because its frame is no stack frame.
inline constexpr std::size_t largest_context = (size_classes - 1) * size_step;

LAZULT_API context* take_context_of(strand_data& in, std::size_t bytes);
LAZULT_API void give_context_back(strand_data& in, context* c) noexcept;

inline context* header_of(void* frame) noexcept { return static_cast<context*>(frame) - 1; }

template <class R>
class task_promise_base {
public:
    template <class Waited>
    auto await_transform(Waited waited);

    static void* operator new(std::size_t bytes) {
        return take_context_of(*here.inside, sizeof(context) + bytes) + 1;
    }
    static void operator delete(void* frame) noexcept {
        give_context_back(*here.inside, header_of(frame));
    }

    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { result.fail(std::current_exception()); }

    slot<R> result;
};

template <class R>
class task_promise;

template <class R>
using task_handle = std::coroutine_handle<task_promise<R>>;

}  // namespace detail

/// What a method returns that is a coroutine. In it, `co_await call(...)` gives the value of a
/// call, and `co_await all(...)` those of several in a tuple; the coroutine waits in its own frame
/// where they block. `co_return` ends it. Variables live over all that, so there is no keep().
///
///     concert::task<long> sum_of_fibs(long n) {
///         long sum = 0;
///         for (long i = 0; i < n; ++i) {
///             sum += co_await concert::call(fib, i);
///         }
///         co_return sum;
///     }
///
/// Called by call(), as every method. Its frame is made at each call, which takes some 200
/// instructions more than a call of another method. Throws std::bad_alloc.
template <class R>
class [[nodiscard]] task {
public:
    using promise_type = detail::task_promise<R>;

    task(task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    task& operator=(task&&) = delete;
    ~task() {
        if (handle_ != nullptr) {
            handle_.destroy();
        }
    }

    /// For the library alone.
    explicit task(detail::task_handle<R> handle) noexcept : handle_(handle) {}
    /// For the library alone: runs it on this stack until it ends or waits.
    outcome<R> start() &&;

private:
    detail::task_handle<R> handle_;
};

namespace detail {

template <class R>
class task_promise : public task_promise_base<R> {
public:
    task<R> get_return_object() noexcept { return task<R>(task_handle<R>::from_promise(*this)); }
    template <class V = R>
    void return_value(V&& value) {
        this->result.fill(std::forward<V>(value));
    }
};
template <>
class task_promise<void> : public task_promise_base<void> {
public:
    task<void> get_return_object() noexcept {
        return task<void>(task_handle<void>::from_promise(*this));
    }
    void return_void() { result.fill(nothing{}); }
};

template <class R>
struct outcome_type<task<R>> {
    static constexpr bool is_outcome = true;
    static constexpr bool is_coroutine = true;
    using value_type = R;
};

// The ready list's way into a coroutine that waited.
template <class R>
void resume_task(context* c) {
    const auto handle = task_handle<R>::from_address(c + 1);
    handle.resume();
    if (!handle.done()) {
        return;
    }
    slot<R>& result = handle.promise().result;
    const continuation_words to = continuation_of(*c);
    if (result.state == slot_state::failed) {
        resolve_with_error<R>(to, result.take_error());
    } else {
        resolve<R>(to, result.take());
    }
    handle.destroy();
}

template <class... C>
class group_awaiter {
public:
    explicit group_awaiter(std::tuple<C...>&& calls) : calls_(std::move(calls)) {}

    bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
        context* const me = header_of(waiting.address());
        make_all(me, std::index_sequence_for<C...>{});
        if (me->waiting == 0 && loop_gives_way()) {  // it may be in a loop
            here.inside->enqueue(me);
            return true;
        }
        return me->waiting != 0;
    }
    auto await_resume() {
        check(std::index_sequence_for<C...>{});
        return take(std::index_sequence_for<C...>{});
    }

private:
    template <std::size_t... I>
    void make_all(context* me, std::index_sequence<I...>) {
        (make(me, std::get<I>(calls_), std::get<I>(slots_)), ...);
    }
    template <class Call, class R>
    void make(context* me, Call& call, slot<R>& into) {
        strand_data& in = *here.inside;
        const auto distance = static_cast<std::size_t>(reinterpret_cast<std::byte*>(&into) -
                                                       reinterpret_cast<std::byte*>(me));
        context* by = nullptr;
        try {
            outcome<R> result = static_cast<outcome<R>>(std::move(call));
            by = blocked_by(result);
            if (by == nullptr) {
                into.fill(value_in(result));
            }
        } catch (...) {
            into.fail(std::current_exception());
        }
        if (by != nullptr) {
            into.state = slot_state::empty;
            ++me->waiting;
            set_continuation(by, continuation_words::to_slot(in, me, distance));
        }
    }
    template <std::size_t... I>
    void check(std::index_sequence<I...>) {
        std::exception_ptr error;
        (..., [&](auto& s) {
            if (s.state == slot_state::failed && error == nullptr) {
                error = s.take_error();
            }
        }(std::get<I>(slots_)));
        if (error != nullptr) {
            (std::get<I>(slots_).clear(), ...);
            std::rethrow_exception(std::move(error));
        }
    }
    template <std::size_t... I>
    auto take(std::index_sequence<I...>) {
        if constexpr (sizeof...(C) == 1) {
            if constexpr (std::is_void_v<
                              typename std::tuple_element_t<0, std::tuple<C...>>::value_type>) {
                std::get<0>(slots_).clear();
                return;
            } else {
                return std::get<0>(slots_).take();
            }
        } else {
            return std::tuple_cat(take_one(std::get<I>(slots_))...);
        }
    }
    template <class R>
    static auto take_one(slot<R>& from) {
        if constexpr (std::is_void_v<R>) {
            from.clear();
            return std::tuple<>();
        } else {
            return std::tuple<R>(from.take());
        }
    }

    std::tuple<C...> calls_;
    std::tuple<slot<typename C::value_type>...> slots_;
};

}  // namespace detail

// Not inlined: a compiler that knew the whole life of a coroutine could put its frame on the stack,
// where there is no header before it.
template <class R>
[[gnu::noinline]] outcome<R> task<R>::start() && {
    const detail::task_handle<R> mine = std::exchange(handle_, nullptr);
    detail::context* const c = detail::header_of(mine.address());
    detail::set_continuation(c, detail::continuation_words::to_nobody());
    c->run = detail::resume_task<R>;
    c->waiting = 0;
    c->holds_object = false;
    mine.resume();
    if (!mine.done()) {
        return detail::blocked{c};
    }
    struct destroyed {
        detail::task_handle<R> handle;
        ~destroyed() { handle.destroy(); }
    } at_end{mine};
    detail::slot<R>& result = mine.promise().result;
    if (result.state == detail::slot_state::failed) {
        std::rethrow_exception(result.take_error());
    }
    if constexpr (std::is_void_v<R>) {
        result.clear();
        return {};
    } else {
        return result.take();
    }
}

namespace detail {

template <class F, class... A>
auto awaiter_of(pending_call<F, A...>&& call) {
    return group_awaiter<pending_call<F, A...>>(std::tuple<pending_call<F, A...>>(std::move(call)));
}
template <class... C>
auto awaiter_of(call_group<C...>&& group) {
    return group_awaiter<C...>(std::move(group).calls());
}
template <class T>
concept is_awaited_here = requires(T&& waited) { awaiter_of(std::move(waited)); };

// A coroutine that waited for anything else would be resumed by a thread outside of its strand.
template <class R>
template <class Waited>
auto task_promise_base<R>::await_transform(Waited waited) {
    static_assert(is_awaited_here<Waited>, "a task waits for call() and all() only");
    return awaiter_of(std::move(waited));
}

}  // namespace detail
}  // namespace lazult::concert
