// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Schedulers and execution streams. Model: ABT_sched and ABT_xstream.
#pragma once

#include <lazult/error.hpp>
#include <lazult/export.hpp>
#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <utility>

namespace lazult {

namespace detail {
struct scheduler_access;
struct stream_handle;
struct stacked_handle;
}  // namespace detail

/// A scheduler that the user implements, for one stream. It chooses units; the library starts them,
/// switches between them and sleeps.
class LAZULT_API custom_scheduler {
public:
    /// Says which loop runs the units: the library's, or one of the derived class.
    enum class loop_kind : unsigned char {
        standard,  ///< the library's loop, which calls next() again and again
        /// the class overrides loop(); any run() may abandon that call, and loop() is called anew
        stateless,
        /// The class overrides loop(), and no call of it is abandoned. So the techniques
        /// scheduler_creation and stack_separation become return_on_completion.
        stateful,
    };

    /// Pass the object to an execution_stream or a stacked_scheduler.
    explicit custom_scheduler(loop_kind kind = loop_kind::standard) noexcept : kind_(kind) {}
    virtual ~custom_scheduler();
    custom_scheduler(const custom_scheduler&) = delete;
    custom_scheduler& operator=(const custom_scheduler&) = delete;

    /// Returns the next unit to run, or thread_id() if there is none. The loop calls it, and so do
    /// units that give way, all on this stream. Must not suspend.
    virtual thread_id next() noexcept = 0;
    /// Returns true if there is work outside of its pools. Streams sleep while there is no work.
    virtual bool has_work() noexcept;
    /// Returns the name for messages and the debugger: "custom" unless overridden. Must not throw.
    virtual const char* name() const noexcept;

protected:
    /// The loop of kinds stateless and stateful. It returns when wait() has returned false. Model:
    ///     do { while (thread_id u = next(); u != thread_id()) run(u); } while (wait());
    virtual void loop();

    /// Takes a unit from this pool; returns thread_id() if there is none. Only on its own stream.
    static thread_id pop(pool& from) noexcept;
    /// In loop(): runs a unit until the unit ends or gives way.
    void run(thread_id unit) noexcept;
    /// In loop(), with nothing to run: polls, spins, sleeps. Returns false when the stream ends.
    bool wait() noexcept;

private:
    friend struct detail::scheduler_access;
    loop_kind kind_;
    void* host_ = nullptr;
};

/// What a new stream of the runtime's own kind may be told.
struct stream_options {
    /// stay: a ULT that has begun on the stream stays there, whichever thread wakes it, and other
    /// streams steal what has not begun. move: they may steal both. Not given: options::started
    /// decides. It has an effect only under the scheduler work_stealing.
    std::optional<started_kind> started = {};
};

/// One more OS thread that runs units. pthread_cancel() has no effect on it. pthread_exit() in a
/// ULT ends that ULT; lazult::cancel() says what then holds for destructors that wait. Pools and
/// custom schedulers belong to the caller and must outlive the stream.
class LAZULT_API execution_stream {
public:
    /// Starts a stream with a private pool, a work-stealing pool and the configured scheduler.
    /// Starts the runtime if need be. Throws error: out_of_memory (also: no more OS threads).
    execution_stream();
    /// Does the same with these options. Throws the same.
    explicit execution_stream(const stream_options& options);
    /// Starts a stream with these pools, in order of preference, at least one. work_stealing needs
    /// a work_stealing pool first. Each pool says whether its ULTs stay. Throws error:
    /// invalid_argument; busy (a private or work-stealing pool of another stream); out_of_memory.
    execution_stream(scheduler_kind kind, std::initializer_list<pool*> pools);
    /// Starts a stream with a scheduler of the caller. Throws as the constructor above.
    execution_stream(custom_scheduler& scheduler, std::initializer_list<pool*> pools);

    /// The other object is empty afterwards.
    execution_stream(execution_stream&& other) noexcept
        : stream_(std::exchange(other.stream_, nullptr)) {}
    /// The other object is empty afterwards. This one ends its own stream, as the destructor does.
    execution_stream& operator=(execution_stream&& other) noexcept {
        execution_stream(std::move(other)).swap(*this);
        return *this;
    }
    /// Does what join() does, if the object is not empty.
    ~execution_stream();

    /// Waits until the stream's pools are empty, and ends the stream. May suspend a ULT; blocks any
    /// other caller. If a ULT on this very stream calls it, the ULT continues in the pool of
    /// another stream. While a ULT waits here, its own pool may be empty. Then a stream that is
    /// asked to end may end; the ULT continues when another stream serves that pool. Throws error:
    /// invalid_handle, would_deadlock (the caller is on this stream, and is no ULT or there is no
    /// other stream).
    void join();
    /// Returns true if the object stands for a stream.
    bool joinable() const noexcept { return stream_ != nullptr; }
    /// Returns the number of the stream. Throws error: invalid_handle.
    int rank() const;
    pool default_pool() const;  ///< the pool of units that its units create; throws as rank()

    /// Not thread-safe: no other thread may use either object meanwhile.
    void swap(execution_stream& other) noexcept { std::swap(stream_, other.stream_); }
    /// Does what the member swap() does.
    friend void swap(execution_stream& a, execution_stream& b) noexcept { a.swap(b); }

private:
    detail::stream_handle* stream_ = nullptr;
};

/// A scheduler that is a unit in a pool of another scheduler. When that one runs the unit, this
/// scheduler takes over the stream, until its own pools are empty. Model: ABT_pool_add_sched.
class LAZULT_API stacked_scheduler {
public:
    /// Pushes a scheduler with these pools into `into`. Throws as execution_stream's constructors;
    /// also invalid_argument if ULTs of these pools stay where they began, and `into` would let the
    /// scheduler move: a shared_fifo or priority pool without that option, or a custom pool.
    stacked_scheduler(pool& into, scheduler_kind kind, std::initializer_list<pool*> pools);
    /// Does the same with a scheduler of the caller.
    stacked_scheduler(pool& into, custom_scheduler& scheduler, std::initializer_list<pool*> pools);
    stacked_scheduler(const stacked_scheduler&) = delete;
    stacked_scheduler& operator=(const stacked_scheduler&) = delete;
    /// Does what join() does, if that was not called.
    ~stacked_scheduler();

    /// Waits until the scheduler's pools are empty and it has ended. May suspend. Throws error:
    /// invalid_handle, cannot_suspend.
    void join();

private:
    detail::stacked_handle* scheduler_ = nullptr;
};

/// When a callback may find something: at any time, or only while a caller expects events.
enum class awaited_events : unsigned char { always, when_expected };

/// A callback that streams call now and then, also while they idle: progress of a network, a
/// completion queue. One stream at a time calls it. It returns how many completions it found, and
/// must not suspend. The destructor waits until a running call returns. The object does not start
/// the runtime: while there are no streams, the callback is not called.
///
/// A stream that runs units calls it once in LAZULT_EVENT_PERIOD scheduling points. If all streams
/// are idle, it is called at once, and then after pauses that grow from 20 us: to 100 us while
/// events are expected, else to 20 ms. The pauses are short again when it has found something, or a
/// unit has run. With when_expected, idle streams call it only while events are expected.
class LAZULT_API event_callback {
public:
    /// Registers the callback. Throws error: out_of_memory.
    explicit event_callback(std::function<int()> poll,
                            awaited_events when = awaited_events::always);
    ~event_callback();
    event_callback(const event_callback&) = delete;
    event_callback& operator=(const event_callback&) = delete;

private:
    std::function<int()> poll_;
    std::uint64_t id_;
};

/// Tells idle streams to look for events. A caller that waits for something that a callback finds
/// calls expect_events(+1) before the wait and expect_events(-1) after it. While the sum of all
/// calls in the process is above zero, idle streams look for events without long pauses. The call
/// that raises the sum above zero wakes a stream. Thread-safe, also in a callback. Never suspends.
LAZULT_API void expect_events(int change) noexcept;

}  // namespace lazult
