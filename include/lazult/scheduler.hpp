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
#include <span>
#include <utility>

namespace lazult {

namespace detail {
struct scheduler_access;
struct stream_handle;
struct stacked_handle;
}  // namespace detail

/// A scheduler of the user's own, for one stream. It chooses; the library starts, switches and
/// sleeps.
class LAZULT_API custom_scheduler {
public:
    /// Whether the loop is the library's or the class's.
    enum class loop_kind : unsigned char {
        standard,  ///< the library's: calls next() again and again
        /// the class overrides loop(), which may be abandoned in any run() and called anew
        stateless,
        /// The class overrides loop(), which may not be abandoned. So the techniques
        /// scheduler_creation and stack_separation become return_on_completion.
        stateful,
    };

    /// Not registered anywhere: an execution_stream or a stacked_scheduler takes it.
    explicit custom_scheduler(loop_kind kind = loop_kind::standard) noexcept : kind_(kind) {}
    virtual ~custom_scheduler();
    custom_scheduler(const custom_scheduler&) = delete;
    custom_scheduler& operator=(const custom_scheduler&) = delete;

    /// The next unit to run, or thread_id() when there is none. Called by the loop and by units
    /// that give way, on this stream. Must not suspend.
    virtual thread_id next() noexcept = 0;
    /// Whether there is work besides that in its pools. Streams sleep while there is none.
    virtual bool has_work() noexcept;
    /// For messages and the debugger: "custom" unless overridden. Must not throw.
    virtual const char* name() const noexcept;

protected:
    /// With loop_kind::stateless or stateful. Returns when wait() has returned false. Model:
    ///     do { while (thread_id u = next(); u != thread_id()) run(u); } while (wait());
    virtual void loop();

    /// A unit of this pool, or thread_id(). By its own stream.
    static thread_id pop(pool& from) noexcept;
    /// In loop(): runs a unit until it ends or gives way.
    void run(thread_id unit) noexcept;
    /// In loop(), when there is nothing to run: polls events, spins, sleeps. False when the stream
    /// ends.
    bool wait() noexcept;

private:
    friend struct detail::scheduler_access;
    loop_kind kind_;
    void* host_ = nullptr;
};

/// One more OS thread that runs units. pthread_cancel() has no effect on it; pthread_exit() in a
/// ULT ends that ULT (see lazult::cancel() for destructors that wait meanwhile). Pools and custom
/// schedulers are the caller's and must outlive it.
class LAZULT_API execution_stream {
public:
    /// As those that the runtime starts: a private pool, a work-stealing pool, the configured
    /// scheduler. Throws error: out_of_memory (of threads too). Starts the runtime if need be.
    execution_stream();
    /// Pools in order of preference, one at least. work_stealing takes one work_stealing pool
    /// first. Throws error: invalid_argument; busy (a private or work-stealing pool of another
    /// stream).
    execution_stream(scheduler_kind kind, std::initializer_list<pool*> pools);
    /// The same, with a scheduler of the caller's.
    execution_stream(custom_scheduler& scheduler, std::initializer_list<pool*> pools);

    /// The other one stands for nothing afterwards.
    execution_stream(execution_stream&& other) noexcept
        : stream_(std::exchange(other.stream_, nullptr)) {}
    /// The other one stands for nothing afterwards. The target ends its own stream, as the
    /// destructor does.
    execution_stream& operator=(execution_stream&& other) noexcept {
        execution_stream(std::move(other)).swap(*this);
        return *this;
    }
    /// As join(), unless it stands for nothing.
    ~execution_stream();

    /// Ends it once its pools are empty. May suspend; outside ULTs it blocks the calling OS thread.
    /// A ULT that runs on this very stream, as one does that it has stolen, goes on in the pool of
    /// another stream. A ULT that waits here suspends, so its own pool is empty meanwhile: a stream
    /// that is asked to end may end, and the ULT goes on when another stream serves that pool.
    /// Throws error: invalid_handle, would_deadlock (on this stream, where there is no other one or
    /// the caller is no ULT).
    void join();
    /// Whether it stands for a stream.
    bool joinable() const noexcept { return stream_ != nullptr; }
    /// Throw error: invalid_handle.
    int rank() const;
    pool default_pool() const;  ///< where its units' children go

    /// Not while another thread uses either.
    void swap(execution_stream& other) noexcept { std::swap(stream_, other.stream_); }
    /// As the member.
    friend void swap(execution_stream& a, execution_stream& b) noexcept { a.swap(b); }

private:
    detail::stream_handle* stream_ = nullptr;
};

/// A scheduler that runs as a unit of another one: it takes charge of the stream on which that runs
/// it, and ends when its pools are empty. Model: ABT_pool_add_sched.
class LAZULT_API stacked_scheduler {
public:
    /// Into this pool. Throw as execution_stream's.
    stacked_scheduler(pool& into, scheduler_kind kind, std::initializer_list<pool*> pools);
    /// The same, with a scheduler of the caller's.
    stacked_scheduler(pool& into, custom_scheduler& scheduler, std::initializer_list<pool*> pools);
    stacked_scheduler(const stacked_scheduler&) = delete;
    stacked_scheduler& operator=(const stacked_scheduler&) = delete;
    /// As join().
    ~stacked_scheduler();

    /// Until its pools are empty and it has ended. May suspend. Throws error: invalid_handle,
    /// cannot_suspend.
    void join();

private:
    detail::stacked_handle* scheduler_ = nullptr;
};

/// When a callback may find something: at any time, or only while somebody expects it to.
enum class awaited_events : unsigned char { always, when_expected };

/// A callback that streams call now and then, one at a time, also while they idle: progress of a
/// network, a completion queue. It returns how many completions it found, and must not suspend. Its
/// destructor waits for it to return. It does not start the runtime: as long as there are no
/// streams, nobody calls it.
///
/// How soon it is called: by a stream that runs units, once in LAZULT_EVENT_PERIOD scheduling
/// points. While all streams are idle, at once and then after pauses that grow, from 20 us to 100
/// us while events are expected, else to 20 ms; they are short again when it has found something,
/// or a unit has run. With when_expected it is not called by idle streams while nobody expects
/// events.
class LAZULT_API event_callback {
public:
    /// Throws error: out_of_memory.
    explicit event_callback(std::function<int()> poll,
                            awaited_events when = awaited_events::always);
    ~event_callback();
    event_callback(const event_callback&) = delete;
    event_callback& operator=(const event_callback&) = delete;

private:
    std::function<int()> poll_;
    std::uint64_t id_;
};

/// A caller that waits for something that a callback finds calls expect_events(+1) before the wait
/// and expect_events(-1) after it. As long as the sum is above zero, idle streams look for events
/// without long pauses. The call that raises the sum above zero wakes a stream for that. The sum
/// counts for all callbacks of the process. Any thread may call it, also in a callback. It does not
/// suspend.
LAZULT_API void expect_events(int change) noexcept;

}  // namespace lazult
