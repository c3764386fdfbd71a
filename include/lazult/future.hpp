// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Futures, promises and asynchronous calls in the manner of the standard library; and futures of
/// several values, which many threads fill.
#pragma once

#include <lazult/attributes.hpp>
#include <lazult/concepts.hpp>
#include <lazult/detail/closure.hpp>
#include <lazult/detail/deadline.hpp>
#include <lazult/eventual.hpp>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <vector>

namespace lazult {

template <class T>
class future;
template <class T>
class promise;

namespace detail {

// Called in a handler: returns the exception that was caught. Rethrows those that end a thread
// (this_thread::exit, cancel).
LAZULT_API std::exception_ptr caught_by_job();
LAZULT_API closure_storage prepare_job(const thread_attributes* how, entry_function run);
LAZULT_API void launch_job(unit* u, bool child_first);
LAZULT_API void discard_job(unit* u) noexcept;

struct nothing {};

// The state that one promise and its futures share.
//
// field     written by               read by           order
// holders   promise and futures      the same          acq_rel: the last holder frees the state
// taken     promise: first setter    setters           relaxed: it only excludes other setters
// value..   the setter               futures           published by `ready`
template <class T>
struct shared_state {
    using stored = std::conditional_t<
        std::is_void_v<T>, nothing,
        std::conditional_t<std::is_reference_v<T>,
                           std::reference_wrapper<std::remove_reference_t<T>>, T>>;

    event ready;
    std::atomic<unsigned> holders{1};
    std::atomic<bool> has_future{false};
    std::atomic<bool> taken{false};
    std::exception_ptr failure;
    std::optional<stored> value;

    static shared_state* make() {
        void* memory = allocate_block(sizeof(shared_state));
        try {
            return ::new (memory) shared_state;
        } catch (...) {
            release_block(memory, sizeof(shared_state));
            throw;
        }
    }

    void claim() {
        if (taken.exchange(true, std::memory_order_relaxed)) {
            throw std::future_error(std::future_errc::promise_already_satisfied);
        }
    }
    template <class... A>
    void set_value(A&&... arguments) {
        claim();
        try {
            value.emplace(std::forward<A>(arguments)...);
        } catch (...) {
            taken.store(false, std::memory_order_relaxed);
            throw;
        }
        ready.set();
    }
    void set_exception(std::exception_ptr e) {
        claim();
        failure = std::move(e);
        ready.set();
    }
};

template <class T>
class state_holder {
public:
    using state = shared_state<T>;

    state_holder() noexcept = default;
    explicit state_holder(state* adopted) noexcept : state_(adopted) {}
    state_holder(const state_holder& other) noexcept : state_(other.state_) {
        if (state_ != nullptr) {
            state_->holders.fetch_add(1, std::memory_order_relaxed);
        }
    }
    state_holder(state_holder&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    state_holder& operator=(state_holder other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~state_holder() {
        // acq_rel pairs with itself: the holder that frees the state has seen what the others did
        if (state_ != nullptr && state_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            std::destroy_at(state_);
            release_block(state_, sizeof(state));
        }
    }

    explicit operator bool() const noexcept { return state_ != nullptr; }
    state* operator->() const noexcept { return state_; }
    state& checked() const {
        if (state_ == nullptr) {
            throw std::future_error(std::future_errc::no_state);
        }
        return *state_;
    }

private:
    state* state_ = nullptr;
};

// The functions that future and shared_future have in common.
template <class T>
class future_base {
public:
    bool valid() const noexcept { return static_cast<bool>(state_); }
    bool is_ready() const { return state_.checked().ready.is_set(); }

    // Waits until the value or the exception is there. May suspend. Throws error: cannot_suspend
    // (in a tasklet, when it is not ready); std::future_error (no_state).
    void wait() const { state_.checked().ready.wait_until(no_deadline); }
    // Waits, but returns false when a stop is requested first.
    bool wait(std::stop_token stop) const {
        return state_.checked().ready.wait_until(no_deadline, &stop);
    }
    template <class Rep, class Period>
    std::future_status wait_for(std::chrono::duration<Rep, Period> span) const {
        return status(state_.checked().ready.wait_until(deadline_after(span)));
    }
    template <class Clock, class Duration>
    std::future_status wait_until(std::chrono::time_point<Clock, Duration> when) const {
        return status(state_.checked().ready.wait_until(deadline_at(when)));
    }

    event& as_event() const { return state_.checked().ready; }

protected:
    future_base() noexcept = default;
    explicit future_base(state_holder<T> state) noexcept : state_(std::move(state)) {}

    static std::future_status status(bool ready) noexcept {
        return ready ? std::future_status::ready : std::future_status::timeout;
    }
    shared_state<T>& finished() const {
        shared_state<T>& state = state_.checked();
        state.ready.wait_until(no_deadline);
        if (state.failure != nullptr) {
            std::rethrow_exception(state.failure);
        }
        return state;
    }

    state_holder<T> state_;
};

}  // namespace detail

/// A future that may be copied. Model: std::shared_future.
template <class T>
class shared_future : public detail::future_base<T> {
public:
    shared_future() noexcept = default;
    /// Takes over the result of a future, which is not valid afterwards.
    shared_future(future<T>&& one) noexcept;

    /// Waits, and returns a reference to the value, or rethrows. May suspend. Throws as wait().
    decltype(auto) get() const {
        auto& state = this->finished();
        if constexpr (std::is_reference_v<T>) {
            return static_cast<T>(state.value->get());
        } else if constexpr (!std::is_void_v<T>) {
            return static_cast<const T&>(*state.value);
        }
    }
};

/// The result of an asynchronous call. Model: std::future. Its destructor never waits.
template <class T>
class future : public detail::future_base<T> {
public:
    future() noexcept = default;
    /// The other future is not valid afterwards.
    future(future&&) noexcept = default;
    /// The other future is not valid afterwards. This one drops its own result.
    future& operator=(future&&) noexcept = default;

    /// Waits, and moves the value out or rethrows the exception; this future is not valid
    /// afterwards. May suspend. Throws as wait().
    T get() {
        const future one = std::move(*this);
        auto& state = one.finished();
        if constexpr (std::is_reference_v<T>) {
            return state.value->get();
        } else if constexpr (!std::is_void_v<T>) {
            return std::move(*state.value);
        }
    }
    /// Moves the result to a future that may be copied; this one is not valid afterwards.
    shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

private:
    friend class promise<T>;
    friend class shared_future<T>;
    explicit future(detail::state_holder<T> state) noexcept
        : detail::future_base<T>(std::move(state)) {}
};

template <class T>
shared_future<T>::shared_future(future<T>&& one) noexcept
    : detail::future_base<T>(std::move(one.state_)) {}

/// The side that sets a future's value. Model: std::promise. Setting never suspends, so tasklets
/// may set. Throws std::future_error as std::promise does.
template <class T>
class promise {
public:
    promise() : state_(detail::shared_state<T>::make()) {}
    /// The other promise may only be assigned to or destroyed afterwards.
    promise(promise&&) noexcept = default;
    /// The other promise may only be assigned to or destroyed afterwards. This one breaks its own
    /// promise, as the destructor does.
    promise& operator=(promise&& other) noexcept {
        promise(std::move(other)).swap(*this);
        return *this;
    }
    /// If no value was set, the future gets std::future_error (broken_promise).
    ~promise() {
        if (state_ && !state_->taken.exchange(true, std::memory_order_relaxed)) {
            state_->failure =
                std::make_exception_ptr(std::future_error(std::future_errc::broken_promise));
            state_->ready.set();
        }
    }

    /// Returns the future, once. Throws std::future_error: future_already_retrieved, no_state.
    future<T> get_future() {
        if (state_.checked().has_future.exchange(true, std::memory_order_relaxed)) {
            throw std::future_error(std::future_errc::future_already_retrieved);
        }
        return future<T>(state_);
    }
    /// Sets the value, made of these arguments; no argument for promise<void>. Throws
    /// std::future_error: promise_already_satisfied, no_state; what the constructor throws.
    template <class... A>
        requires std::constructible_from<typename detail::shared_state<T>::stored, A...>
    void set_value(A&&... value) {
        state_.checked().set_value(std::forward<A>(value)...);
    }
    /// Sets an exception instead of a value, which the future's get() rethrows. Throws
    /// std::future_error: promise_already_satisfied, no_state.
    void set_exception(std::exception_ptr e) { state_.checked().set_exception(std::move(e)); }
    /// Not thread-safe: no other thread may use either promise meanwhile.
    void swap(promise& other) noexcept { std::swap(state_, other.state_); }

private:
    detail::state_holder<T> state_;
};

namespace detail {

template <class C>
void run_job(void* place) {
    closure_owner<C> closure(place);
    closure.call();
}

// Calls the function and passes its result, or the exception that it threw, to the promise.
template <class R, class C>
struct job {
    promise<R> result;
    C function;

    template <class... A>
    explicit job(std::in_place_t, promise<R>&& p, A&&... arguments)
        : result(std::move(p)), function(std::in_place, std::forward<A>(arguments)...) {}

    void operator()() {
        try {
            if constexpr (std::is_void_v<R>) {
                function();
                result.set_value();
            } else {
                result.set_value(function());
            }
        } catch (...) {
            result.set_exception(caught_by_job());
        }
    }
};

template <class F, class... A>
using job_result = std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>;

template <class F, class... A>
future<job_result<F, A...>> start_job(const thread_attributes* how, F&& function,
                                      A&&... arguments) {
    using result = job_result<F, A...>;
    using closure = job<result, bound<std::decay_t<F>, std::decay_t<A>...>>;
    promise<result> p;
    future<result> f = p.get_future();
    const closure_storage at = prepare_job(how, run_job<closure>);
    try {
        closure_owner<closure>::make(at.memory, std::in_place, std::move(p),
                                     std::forward<F>(function), std::forward<A>(arguments)...);
    } catch (...) {
        discard_job(at.owner);
        throw;
    }
    launch_job(at.owner, how != nullptr && how->child_first);
    return f;
}

}  // namespace detail

/// Calls the function in a ULT of its own, and returns its future. Model: std::async, but the
/// future's destructor does not wait. Never suspends. Throws error: out_of_memory; what copying
/// throws. Starts the runtime if need be.
template <class F, class... A>
    requires(!std::convertible_to<F, const thread_attributes&> && callable_with<F, A...>)
[[nodiscard]] auto async(F&& function, A&&... arguments) {
    return detail::start_job(nullptr, std::forward<F>(function), std::forward<A>(arguments)...);
}
/// Does what the other async() does, in a ULT with these attributes. With child_first the caller
/// becomes ready. Throws error: invalid_argument too.
template <class F, class... A>
    requires callable_with<F, A...>
[[nodiscard]] auto async(const thread_attributes& how, F&& function, A&&... arguments) {
    return detail::start_job(&how, std::forward<F>(function), std::forward<A>(arguments)...);
}

/// A future of several compartments. It is ready when all are filled, in any order, by any threads.
/// The caller that fills the last compartment runs the callback, before the waiters continue.
/// Model: ABT_future. Thread-safe, except reset().
template <class T>
class compartments {
public:
    /// Called once, with all elements, in the order of set().
    using callback = std::function<void(std::span<T>)>;

    /// A future of `count` compartments. With 0 it is ready at once, and the constructor calls the
    /// callback. Throws std::bad_alloc; what T's default constructor and the callback throw.
    explicit compartments(std::size_t count, callback then = {})
        : slots_(count), then_(std::move(then)), missing_(count) {
        if (count == 0) {
            open();
        }
    }
    compartments(const compartments&) = delete;
    compartments& operator=(const compartments&) = delete;

    /// Fills the next empty compartment, and returns its number. Throws error: busy (all are full).
    /// Suspends only if the callback does.
    template <class... A>
        requires std::constructible_from<T, A...>
    std::size_t set(A&&... value) {
        const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
        if (index >= slots_.size()) {
            detail::refuse_second_value("compartments");
        }
        slots_[index] = T(std::forward<A>(value)...);
        // acq_rel pairs with itself: the caller that fills the last one sees all other elements
        if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            open();
        }
        return index;
    }

    /// Returns true if all are filled. A caller that sees true also sees all elements.
    bool is_ready() const noexcept { return ready_.is_set(); }
    /// Returns the number of compartments.
    std::size_t size() const noexcept { return slots_.size(); }
    /// Waits until all are filled. Returns the elements in the order of set(). May suspend. Throws
    /// error: cannot_suspend (in a tasklet, when it is not ready).
    std::span<T> wait() {
        ready_.wait_until(detail::no_deadline);
        return slots_;
    }
    /// Does what wait() does, but returns false when a stop is requested first.
    bool wait(std::stop_token stop) { return ready_.wait_until(detail::no_deadline, &stop); }
    /// Does what wait() does, but returns false if it is not ready within `span`.
    template <class Rep, class Period>
    bool wait_for(std::chrono::duration<Rep, Period> span) {
        return ready_.wait_until(detail::deadline_after(span));
    }
    /// For wait_any.
    detail::event& as_event() noexcept { return ready_; }

    /// Empties all compartments. No other thread may use them meanwhile.
    void reset() {
        ready_.reset();
        missing_.store(slots_.size(), std::memory_order_relaxed);
        next_.store(0, std::memory_order_relaxed);
    }

private:
    void open() {
        if (then_) {
            then_(slots_);
        }
        ready_.set();
    }

    std::vector<T> slots_;
    callback then_;
    std::atomic<std::size_t> next_{0};
    std::atomic<std::size_t> missing_;
    detail::event ready_;
};

}  // namespace lazult
