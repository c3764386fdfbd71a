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
/// its thread. Functions that take an id then report freed_handle, unless a new thread has got the
/// memory of the old one: then the id names the new thread.
class thread_id {
public:
    constexpr thread_id() noexcept = default;
    /// An id from native_handle() of another id.
    constexpr explicit thread_id(void* handle) noexcept : handle_(handle) {}

    /// Returns the library's handle of the thread; nullptr for no thread.
    void* native_handle() const noexcept { return handle_; }
    /// Ids are equal if they name the same thread. The order has no meaning.
    friend auto operator<=>(const thread_id&, const thread_id&) noexcept = default;

private:
    void* handle_ = nullptr;
};

/// Prints "no thread", or the address that native_handle() returns.
LAZULT_API std::ostream& operator<<(std::ostream& out, thread_id id);

namespace detail {

struct closure_storage {
    unit* owner;
    void* memory;  // for the closure
};

// Start or prepare a unit with the function `run`. Its closure consists of two words, or is
// constructed in the storage. All throw error.
LAZULT_API unit* start_thread(entry_function run, std::uint64_t first, std::uint64_t second);
LAZULT_API unit* start_thread_with(const thread_attributes& how, entry_function run,
                                   std::uint64_t first, std::uint64_t second);
LAZULT_API closure_storage prepare_thread(const thread_attributes* how, entry_function run);
LAZULT_API void launch_thread(unit* u, bool child_first);
LAZULT_API void discard_thread(unit* u) noexcept;
// Called in a handler of an exception that left a thread's callable: keeps the exception for the
// joiner. Rethrows those that end a thread.
LAZULT_API void thread_threw();

// These throw error when the handle is null. The first two make the handle null when they succeed;
// join_thread() does so also when it rethrows an exception of the callable.
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

// `how`: attributes, or nullptr for the default ones.
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

/// A ULT. Model: std::jthread, with these differences: join() rethrows an exception that left the
/// callable, where std::thread ends the process. If no join() can rethrow it, because the thread is
/// detached or its object is destroyed, the process ends then. Starts the runtime if need be. A
/// thread object is not thread-safe. Its functions may be called from ULTs, from outside OS
/// threads, and from tasklets if they need not wait. For the size of the stack see
/// thread_attributes::stack_size.
class thread {
public:
    /// The name that std::thread uses, for code that is written for it.
    using id = thread_id;

    thread() noexcept = default;

    /// Starts a thread that calls copies of the callable and its arguments. If the callable takes a
    /// std::stop_token first, it gets one. Throws error: out_of_memory; what copying throws.
    template <class F, class... A>
        requires(!std::same_as<std::remove_cvref_t<F>, thread> &&
                 !std::convertible_to<F, const thread_attributes&> && thread_callable<F, A...>)
    explicit thread(F&& function, A&&... arguments)
        : unit_(detail::make_thread(nullptr, std::forward<F>(function),
                                    std::forward<A>(arguments)...)) {}

    /// Starts a thread with these attributes. Throws error: invalid_argument (names the attribute),
    /// out_of_memory. With child_first the caller suspends.
    template <class F, class... A>
        requires thread_callable<F, A...>
    thread(const thread_attributes& how, F&& function, A&&... arguments)
        : unit_(detail::make_thread(&how, std::forward<F>(function),
                                    std::forward<A>(arguments)...)) {}

    /// The other object is not joinable afterwards.
    thread(thread&& other) noexcept : unit_(std::exchange(other.unit_, nullptr)) {}
    /// The other object is not joinable afterwards. This one ends its own thread, as the destructor
    /// does. May suspend.
    thread& operator=(thread&& other) noexcept {
        thread(std::move(other)).swap(*this);
        return *this;
    }

    /// Asks a joinable thread to stop, and joins it. Also cancels it if the caller is unwound by
    /// cancellation. May suspend; cancellation does not end this wait. In a
    /// tasklet, which cannot wait, it ends the process unless the thread has ended.
    ~thread() {
        if (unit_ != nullptr) {
            detail::end_thread(unit_);
        }
    }

    /// Waits for the thread's end and frees the thread. May suspend. Rethrows an exception that
    /// left the callable; the thread is joined then, too. Throws error: invalid_handle (not
    /// joinable), would_deadlock (itself), cannot_suspend (in a tasklet), already_joined (another
    /// thread waits for it).
    void join() { detail::join_thread(unit_); }
    /// Waits for the thread's end only: the thread stays joinable, and may be revived. May suspend.
    /// Throws as join(), but does not rethrow an exception of the callable.
    void wait() { detail::await_thread(unit_); }
    /// Does what wait() does, but returns false if the thread has not ended within `span`.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> span) {
        return detail::await_thread_until(unit_, detail::deadline_after(span));
    }
    /// Does what wait() does, but returns false if the thread has not ended by `when`.
    template <class Clock, class Duration>
    bool wait_until(std::chrono::time_point<Clock, Duration> when) {
        return detail::await_thread_until(unit_, detail::deadline_at(when));
    }
    /// Does what wait() does, but returns false when a stop is requested first. The token is one of
    /// the caller, not of the thread.
    bool wait(std::stop_token stop) {
        return detail::await_thread_until(unit_, detail::no_deadline, &stop);
    }
    /// Lets the thread run on alone; it is freed at its end. Throws error: invalid_handle,
    /// already_joined, out_of_memory.
    void detach() { detail::detach_thread(unit_); }

    /// Returns true if the object stands for a thread: not moved from, joined or detached.
    bool joinable() const noexcept { return unit_ != nullptr; }
    /// Returns true if the thread has ended. False is only a hint.
    bool finished() const noexcept { return detail::is_finished(unit_); }
    /// After wait(): returns true if lazult::cancel() ended the thread, or kept it from starting.
    bool canceled() const noexcept { return detail::is_canceled(unit_); }
    /// Returns the thread's id; the id of no thread if the object is not joinable.
    id get_id() const noexcept { return id(unit_); }
    /// Returns the name from the attributes, which may be shortened; empty if there is none or the
    /// object is not joinable.
    std::string name() const { return detail::name_of(unit_); }
    /// Returns the library's handle of the thread; nullptr if the object is not joinable.
    detail::unit* native_handle() const noexcept { return unit_; }

    /// Starts a thread that has ended (see wait()) again, with another callable and its old
    /// attributes. Cheaper than a new thread. Drops an exception of the last callable. Model:
    /// ABT_thread_revive. Throws error: invalid_handle, busy (it has not ended), out_of_memory.
    template <class F, class... A>
        requires thread_callable<F, A...>
    void revive(F&& function, A&&... arguments) {
        using closure = detail::thread_closure<F, A...>;
        detail::make_thread_closure(detail::revive_thread(unit_, detail::run_thread<closure>),
                                    std::forward<F>(function), std::forward<A>(arguments)...);
        detail::relaunch_thread(unit_);
    }

    /// Requests a stop by the thread's token. Returns true if this call did it. Thread-safe. If the
    /// thread's callable takes no token, the stop state costs nothing before its first use.
    bool request_stop() noexcept { return detail::request_stop(unit_); }
    /// Returns the stop state, which is made on first use. Throws error: out_of_memory.
    std::stop_source get_stop_source() const { return detail::stop_source_of(unit_); }
    /// Returns a token of the stop state. Throws as get_stop_source().
    std::stop_token get_stop_token() const { return detail::stop_source_of(unit_).get_token(); }

    /// Not thread-safe: no other thread may use either object meanwhile.
    void swap(thread& other) noexcept { std::swap(unit_, other.unit_); }
    /// Does what the member swap() does.
    friend void swap(thread& a, thread& b) noexcept { a.swap(b); }

    /// Returns how many processors this process may use. Does not start the runtime.
    LAZULT_API static unsigned hardware_concurrency() noexcept;

private:
    friend void join_many(std::span<thread> threads);

    detail::unit* unit_ = nullptr;
};

/// Joins all these threads. A ULT suspends at most once for that. After all are joined, rethrows
/// the first of their exceptions in the order of the span, and drops the others. Throws error as
/// join(), and then joins none. Model: ABT_thread_join_many.
LAZULT_API void join_many(std::span<thread> threads);
/// Does what the other join_many() does, and returns true. But when a stop is requested by this
/// token first, it returns false and joins none. Suspends once for each thread that has not ended.
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
