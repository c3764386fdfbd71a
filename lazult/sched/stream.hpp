// SPDX-License-Identifier: BSD-3-Clause
// An execution stream: one OS thread and the stack of schedulers that runs on it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {

enum class stream_state : std::uint8_t { starting, running, ended };

// Options of an independent stream, which a door owns. The door also owns the scheduler and its
// pools: they last longer than the stream.
struct stream_options {
    void* owner = nullptr;                  // for the door alone
    void (*on_end)(void* owner) = nullptr;  // the OS thread's last call, after the stream's end
    std::span<const int> processors;        // by the system's numbers; empty: all that are allowed
    const char* thread_name = nullptr;      // at most 15 characters; nullptr: "lazult" and the rank
    // worker::number while the stream runs, below door_numbers; 0: one by its rank
    std::uint16_t stream_number = 0;
};

// field              written by            read by     order
// state_             its own OS thread     anybody     release / acquire; the creator waits on it
//                                                      as a futex
// joiner_            end(), its own thread the other   release / acquire: see await_end()
// worker_            its own OS thread     anybody     published by state_
class stream : public stream_record {
public:
    ~stream();

    // Starts an OS thread that runs `main`. The stream owns `main`; its pools are the caller's.
    static base::status start(std::unique_ptr<scheduler> main, stream** result);
    // Like start(), with a private pool, a stealing pool, and the scheduler of LAZULT_SCHEDULER.
    // `started` says whether units that have begun stay; without it LAZULT_STARTED says so.
    static base::status start_default(stream** result,
                                      std::optional<base::started_kind> started = {});
    // Like start_default(), with a spare_scheduler.
    static base::status start_spare(stream** result);
    // Makes the calling OS thread a stream, and the thread's own code its primary ULT.
    static base::status adopt(stream** result);

    // Starts an independent stream. The runtime does not stop it, and gives it no units. busy: a
    // pool is private to another stream; out_of_memory: also if there are no more OS threads.
    static base::status start(scheduler& main, const stream_options& options,
                              stream** result) noexcept;
    // Joins the OS thread of an independent stream that was asked to stop or has ended, and frees
    // the stream. The OS thread must not depend on the caller any more, as it does not after
    // on_end.
    static void discard(stream* s) noexcept;
    // Starts an independent stream again that has ended. Its OS thread has waited since, and keeps
    // its processors. Takes no memory if the scheduler's stack is as large as the last one's. On
    // failure the stream stays ended. await_rest() returns when the thread has nothing of its
    // former life left to do.
    void await_rest() noexcept;
    base::status restart(scheduler& main, const stream_options& options) noexcept;
    // Makes the calling OS thread an independent stream, and the thread's own code `primary`: a
    // prepared unit that is never launched. release() gives the thread back; then the door disposes
    // of the unit. The unit runs on any stream that serves its home pool. Under ThreadSanitizer
    // that must be a private pool, because the tool takes an OS thread's stack for that thread's
    // alone.
    static base::status adopt(scheduler& main, work_unit& primary, const stream_options& options,
                              stream** result) noexcept;

    // Waits until the scheduler's pools are empty, ends the stream and frees it. A caller that runs
    // on this stream goes on in the pool of another stream. Returns would_deadlock if there is
    // none, or if that caller may not suspend.
    static base::status join(stream* s);
    // Like join(), but the stream ends when it finds nothing to run, even if its pools are not
    // empty.
    static base::status stop(stream* s);
    // Gives an adopted thread back. Only its primary ULT may call this; others get not_supported.
    static base::status release(stream* s);

    int processor() const noexcept { return processor_; }
    void* owner() const noexcept { return owner_; }
    stream_state state() const noexcept {
        // pairs with: body(), stores of state_
        return static_cast<stream_state>(state_.load(std::memory_order_acquire));
    }
    // Called on an independent stream by a unit right under its main scheduler. When that
    // scheduler's loop ends, `next` takes its place, and took_over() is called. The pools of `next`
    // are attached now. Returns busy, and does nothing, if one of them is private to another
    // stream.
    base::status replace_main(scheduler& next) noexcept;
    // Returns the pool for units that must stay on this stream; nullptr under a user's scheduler.
    private_fifo* pinned() const noexcept { return pinned_.get(); }
    worker* its_worker() noexcept { return worker_; }
    // Returns the OS thread's handle, for the system's functions, until the stream is freed.
    std::thread::native_handle_type thread_handle() noexcept;

private:
    static std::unique_ptr<stream> make();
    explicit stream(int rank) noexcept;
    void serve(scheduler& main) noexcept;
    stream(int rank, scheduler& main, const stream_options& options) noexcept;
    static base::status make_independent(scheduler& main, const stream_options& options,
                                         stream** result) noexcept;
    enum class role : std::uint8_t { ordinary, spare };
    void make_default_scheduler(role r, std::optional<base::started_kind> started);
    void name_thread() const noexcept;
    base::status launch();
    static base::status launch_listed(std::unique_ptr<stream> s, stream** result);
    base::status await_start() noexcept;
    void await_end();
    void become(stream_state now) noexcept;
    void resume_joiner() noexcept;
    void body();
    void live();
    // Called by the OS thread after the stream's end. Waits until another thread restarts the
    // stream (true) or discards it (false).
    bool is_wanted_again() noexcept;
    void order(std::uint32_t what) noexcept;
    void bind() const;
    std::uint16_t number() const noexcept;
    void start_apart() const noexcept;
    base::status end(scheduler::stop_request how);
    void retire_pool();

    int processor_;
    std::unique_ptr<private_fifo> pinned_;
    int launched_from_ = -1;  // the processor on which the creator called launch()
    std::unique_ptr<scheduler> owned_main_;
    void* owner_ = nullptr;
    void (*on_end_)(void*) = nullptr;
    std::vector<int> processors_;
    char thread_name_[16] = {};
    std::uint16_t stream_number_ = 0;
    bool keeps_begun_ = false;  // units that have begun here stay, in the pinned pool
    std::thread::native_handle_type adopted_thread_{};
    worker* worker_ = nullptr;
    base::status started_ = base::status::ok;
    ds::default_atomics::atomic<std::uint32_t> state_{
        static_cast<std::uint32_t>(stream_state::starting)};
    // The ULT that waits for the end, or nullptr. The stream's own address means "ended".
    //   nullptr -> ULT     by the ULT's suspension, after its context is saved
    //   any     -> ended   by the stream's OS thread, which then resumes the ULT that stood there
    ds::default_atomics::atomic<void*> joiner_{nullptr};
    // What the OS thread of an independent stream does, or shall do next.
    //   busy    -> resting   by the OS thread, after the stream's end
    //   resting -> again     by restart(), which wakes the OS thread
    //   again   -> busy      by the OS thread, which runs the stream again
    //   any     -> gone      by discard(), or launch() after a failed start; wakes the OS thread
    enum : std::uint32_t { busy, resting, again, gone };
    ds::default_atomics::atomic<std::uint32_t> order_{busy};
    std::thread thread_;
};

// Returns the stream that the caller runs on, or nullptr on an outside thread.
stream* this_stream() noexcept;

}  // namespace lazult::sched
