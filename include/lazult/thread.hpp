// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// lazult::thread: a ULT in the manner of std::jthread.
#pragma once

#include <lazult/attributes.hpp>
#include <lazult/concepts.hpp>
#include <lazult/detail/closure.hpp>
#include <lazult/detail/deadline.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>

#include <chrono>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace lazult {

/// Names a thread: a ULT, a tasklet or an outside OS thread. Model: std::thread::id. An id outlives
/// its thread; the functions that take one report freed_handle then, as long as no new thread took
/// its place.
class thread_id {
public:
    constexpr thread_id() noexcept = default;
    /// From native_handle() of another id.
    constexpr explicit thread_id(void* handle) noexcept : handle_(handle) {}

    /// What the library calls the thread by; nullptr for no thread.
    void* native_handle() const noexcept { return handle_; }
    /// Equal if they name one thread; the order says nothing.
    friend auto operator<=>(const thread_id&, const thread_id&) noexcept = default;

private:
    void* handle_ = nullptr;
};

/// Prints "no thread", or the address that native_handle() gives.
LAZULT_API std::ostream& operator<<(std::ostream& out, thread_id id);

namespace detail {

struct closure_storage {
    unit* owner;
    void* memory;  // for the closure
};

// The unit's function is `run`; its closure is made of two words, or constructed in the storage.
// Throw error.
LAZULT_API unit* start_thread(entry_function run, std::uint64_t first, std::uint64_t second);
LAZULT_API unit* start_thread_with(const thread_attributes& how, entry_function run,
                                   std::uint64_t first, std::uint64_t second);
LAZULT_API closure_storage prepare_thread(const thread_attributes* how, entry_function run);
LAZULT_API void launch_thread(unit* u, bool child_first);
LAZULT_API void discard_thread(unit* u) noexcept;
// In a handler of what left a thread's callable: keeps it for the joiner, or throws it on.
LAZULT_API void thread_threw();

// These throw error when the handle is null, and null it when they succeed, or rethrow what left
// the callable.
LAZULT_API void join_thread(unit*& handle);
LAZULT_API void detach_thread(unit*& handle);
LAZULT_API void await_thread(unit* handle);
LAZULT_API bool await_thread_until(unit* handle, std::int64_t deadline,
                                   const std::stop_token* stop = nullptr);
LAZULT_API closure_storage revive_thread(unit* handle, entry_function run);
LAZULT_API void relaunch_thread(unit* handle) noexcept;
LAZULT_API void end_thread(unit* handle) noexcept;

LAZULT_API bool request_stop(unit* handle) noexcept;
LAZULT_API std::stop_source stop_source_of(unit* handle);
LAZULT_API bool is_canceled(const unit* handle) noexcept;
LAZULT_API bool is_finished(const unit* handle) noexcept;
LAZULT_API std::string name_of(const unit* handle);

template <class C>
void run_thread(void* place) {
    if constexpr (!travels_in_words<C>) {
        if (is_marked(place)) [[unlikely]] {
            const closure_owner<C> drop(without_mark(place));
            return;
        }
    }
    try {
        closure_owner<C>(place).call();
    } catch (...) {
        thread_threw();
    }
}

template <class F, class... A>
inline constexpr bool takes_stop_token =
    std::is_invocable_v<std::decay_t<F>, std::stop_token, std::decay_t<A>...>;

template <class F, class... A>
using thread_closure =
    std::conditional_t<takes_stop_token<F, A...>,
                       bound<std::decay_t<F>, std::stop_token, std::decay_t<A>...>,
                       bound<std::decay_t<F>, std::decay_t<A>...>>;

template <class F, class... A>
void make_thread_closure(closure_storage at, F&& function, A&&... arguments) {
    using owner = closure_owner<thread_closure<F, A...>>;
    if constexpr (takes_stop_token<F, A...>) {
        owner::make(at.memory, std::in_place, std::forward<F>(function),
                    stop_source_of(at.owner).get_token(), std::forward<A>(arguments)...);
    } else {
        owner::make(at.memory, std::in_place, std::forward<F>(function),
                    std::forward<A>(arguments)...);
    }
}

template <class F, class... A>
unit* make_thread_in_place(const thread_attributes* how, F&& function, A&&... arguments) {
    const closure_storage at = prepare_thread(how, run_thread<thread_closure<F, A...>>);
    try {
        make_thread_closure(at, std::forward<F>(function), std::forward<A>(arguments)...);
    } catch (...) {
        discard_thread(at.owner);
        throw;
    }
    launch_thread(at.owner, how != nullptr && how->child_first);
    return at.owner;
}

// With attributes, or nullptr for the default ones.
template <class F, class... A>
unit* make_thread(const thread_attributes* how, F&& function, A&&... arguments) {
    using closure = thread_closure<F, A...>;
    if constexpr (travels_in_words<closure>) {
        const words w = to_words(
            closure(std::in_place, std::forward<F>(function), std::forward<A>(arguments)...));
        return how == nullptr ? start_thread(run_thread<closure>, w.first, w.second)
                              : start_thread_with(*how, run_thread<closure>, w.first, w.second);
    } else {
        return make_thread_in_place(how, std::forward<F>(function), std::forward<A>(arguments)...);
    }
}

}  // namespace detail

/// Model: std::jthread. What differs: join() rethrows an exception that left the callable (a null
/// std::thread would have ended the process); an exception that nobody collects, because the thread
/// is detached or its object is destroyed, ends the process then. Starts the runtime if need be.
/// One object is for one thread at a time; its functions may be called from ULTs, from tasklets
/// where they do not wait, and from outside OS threads. How much stack it may use: see
/// thread_attributes::stack_size.
class thread {
public:
    /// For code that is written to std::thread.
    using id = thread_id;

    thread() noexcept = default;

    /// The callable and its arguments are copied. A callable that takes a std::stop_token first is
    /// given one. Throws error: out_of_memory.
    template <class F, class... A>
        requires(!std::same_as<std::remove_cvref_t<F>, thread> &&
                 !std::convertible_to<F, const thread_attributes&> && thread_callable<F, A...>)
    explicit thread(F&& function, A&&... arguments)
        : unit_(detail::make_thread(nullptr, std::forward<F>(function),
                                    std::forward<A>(arguments)...)) {}

    /// Throws error: invalid_argument (names the attribute), out_of_memory.
    template <class F, class... A>
        requires thread_callable<F, A...>
    thread(const thread_attributes& how, F&& function, A&&... arguments)
        : unit_(detail::make_thread(&how, std::forward<F>(function),
                                    std::forward<A>(arguments)...)) {}

    /// The other one is not joinable afterwards.
    thread(thread&& other) noexcept : unit_(std::exchange(other.unit_, nullptr)) {}
    /// The other one is not joinable afterwards. The target ends its own thread, as the destructor
    /// does. May suspend.
    thread& operator=(thread&& other) noexcept {
        thread(std::move(other)).swap(*this);
        return *this;
    }

    /// Asks a joinable thread to stop, and joins it; where a cancelled thread is being unwound,
    /// cancels it, too. May suspend, and cancellation does not end that. In a tasklet, where it
    /// cannot, it ends the process unless the thread has ended.
    ~thread() {
        if (unit_ != nullptr) {
            detail::end_thread(unit_);
        }
    }

    /// Waits for the end and frees the thread. May suspend. Rethrows what left the callable: then
    /// it is joined too. Throws error: invalid_handle (not joinable), would_deadlock (itself),
    /// cannot_suspend (in a tasklet), already_joined (somebody waits for it).
    void join() { detail::join_thread(unit_); }
    /// Waits for the end only: the thread stays joinable, and may be revived. Throws as join, but
    /// not what left the callable.
    void wait() { detail::await_thread(unit_); }
    /// As wait(); false when the time is over.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> span) {
        return detail::await_thread_until(unit_, detail::deadline_after(span));
    }
    /// As wait_for(), but until a point of time.
    template <class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> when) {
        return detail::await_thread_until(unit_, detail::deadline_at(when));
    }
    /// The same as wait(), but it also returns when a stop is requested by this token, which is the
    /// caller's own. It then returns false.
    bool wait(std::stop_token stop) {
        return detail::await_thread_until(unit_, detail::no_deadline, &stop);
    }
    /// It is freed at its end. Throws error: invalid_handle.
    void detach() { detail::detach_thread(unit_); }

    /// Whether it stands for a thread: not moved from, joined or detached.
    bool joinable() const noexcept { return unit_ != nullptr; }
    /// Whether it has ended. A hint unless the answer is yes.
    bool finished() const noexcept { return detail::is_finished(unit_); }
    /// After wait(): whether lazult::cancel() took effect, in the thread or before it started.
    bool canceled() const noexcept { return detail::is_canceled(unit_); }
    /// The id of no thread when it is not joinable.
    id get_id() const noexcept { return id(unit_); }
    /// As the attributes gave it, shortened; empty when it has none or is not joinable.
    std::string name() const { return detail::name_of(unit_); }
    /// What the library calls the thread by; nullptr when it is not joinable.
    detail::unit* native_handle() const noexcept { return unit_; }

    /// Starts a thread that has ended (see wait) again, with another callable and its old
    /// attributes. Cheaper than a new one. Model: ABT_thread_revive. Throws error: invalid_handle,
    /// busy (it has not ended), out_of_memory. An exception that its last callable left is dropped.
    template <class F, class... A>
        requires thread_callable<F, A...>
    void revive(F&& function, A&&... arguments) {
        using closure = detail::thread_closure<F, A...>;
        detail::make_thread_closure(detail::revive_thread(unit_, detail::run_thread<closure>),
                                    std::forward<F>(function), std::forward<A>(arguments)...);
        detail::relaunch_thread(unit_);
    }

    /// Thread-safe. If the thread's callable takes no token, its stop state costs nothing before
    /// its first use.
    bool request_stop() noexcept { return detail::request_stop(unit_); }
    /// The stop state, made on first use. Throws error: out_of_memory.
    std::stop_source get_stop_source() const { return detail::stop_source_of(unit_); }
    /// The same, to look at only.
    std::stop_token get_stop_token() const { return detail::stop_source_of(unit_).get_token(); }

    /// Not while another thread uses either.
    void swap(thread& other) noexcept { std::swap(unit_, other.unit_); }
    /// As the member.
    friend void swap(thread& a, thread& b) noexcept { a.swap(b); }

    /// The processors that this process may use. Starts nothing.
    LAZULT_API static unsigned hardware_concurrency() noexcept;

private:
    friend void join_many(std::span<thread> threads);

    detail::unit* unit_ = nullptr;
};

/// Joins all. A ULT that joins N threads suspends at most once. Model: ABT_thread_join_many.
/// Rethrows the first of the exceptions, in the order of the span, after all are joined; the others
/// are dropped. Throws error as join(), and then joins none.
LAZULT_API void join_many(std::span<thread> threads);
/// The same, but it also returns when a stop is requested by this token. It then returns false and
/// joins none. It suspends once for each thread that has not ended.
LAZULT_API bool join_many(std::span<thread> threads, std::stop_token stop);

}  // namespace lazult

/// @cond
template <>
struct std::hash<lazult::thread_id> {
    std::size_t operator()(lazult::thread_id id) const noexcept {
        return std::hash<void*>{}(id.native_handle());
    }
};
/// @endcond
