// SPDX-License-Identifier: BSD-3-Clause
// An execution stream: one OS thread and the stack of schedulers that runs on it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/stream_record.hpp"

namespace lazult::sched {

enum class stream_state : std::uint8_t { starting, running, ended };

// What a door's own stream is. The door keeps the scheduler, its pools and all else: the stream
// comes and goes under them.
struct stream_options {
    void* owner = nullptr;  // the door's word
    void (*on_end)(void* owner) =
        nullptr;  // by the stream's OS thread when it runs nothing any more: the last thing it does
    std::span<const int>
        processors;  // as the system calls them: where its thread may run; empty: where it likes
    const char* thread_name = nullptr;  // 15 characters; nullptr: ours
    std::uint16_t stream_number =
        0;  // the door's number for it: worker::stream_number while it runs
};

// field              written by            read by     order
// state_             its own OS thread     anybody     release / acquire; the creator waits on it
//                                                      as a futex
// joiner_            end(), its own thread the other   release / acquire: see await_end()
// worker_            its own OS thread     anybody     published by state_
class stream : public stream_record {
public:
    ~stream();

    // Starts an OS thread under a scheduler. The stream keeps the scheduler; its pools are the
    // caller's.
    static base::status start(std::unique_ptr<scheduler> main, stream** result);
    // As above with the default: a private pool, a stealing pool, and the scheduler that
    // LAZULT_SCHEDULER names.
    static base::status start_default(stream** result);
    // The calling OS thread becomes a stream, and its own code a ULT.
    static base::status adopt(stream** result);

    // A door's own. The runtime does not stop them, and gives them no units. busy: a pool is
    // private to another stream; out_of_memory, also when there are no more OS threads.
    static base::status start(scheduler& main, const stream_options& options,
                              stream** result) noexcept;
    // Of one that was asked to stop or has ended: waits for its OS thread, which must not depend on
    // the caller any more (on_end tells), and frees the object.
    static void discard(stream* s) noexcept;
    // Of one that has ended: its OS thread, which has waited since, begins anew. Takes no memory
    // where the scheduler's stack is as large as the last one's. The processors stay. On failure it
    // has ended still. await_rest() tells when nothing of its former life is left to do.
    void await_rest() noexcept;
    base::status restart(scheduler& main, const stream_options& options) noexcept;
    // The calling OS thread becomes one, and its own code `primary`: a prepared unit that is never
    // launched. release() gives the thread back; the unit is the door's to dispose of then. It runs
    // wherever its home pool is served, also on other streams; not with ThreadSanitizer, which
    // knows an OS thread's own stack as that thread's only: give it a private pool.
    static base::status adopt(scheduler& main, work_unit& primary, const stream_options& options,
                              stream** result) noexcept;

    // Waits until the scheduler's pools are empty and ends the stream; then the object is gone. A
    // unit that runs there goes on in the pool of another stream; would_deadlock where there is
    // none, or the caller may not suspend.
    static base::status join(stream* s);
    // As join, without waiting for units that have not run.
    static base::status stop(stream* s);
    // Turns an adopted thread back into what it was. By that thread, on its primary ULT, else
    // not_supported.
    static base::status release(stream* s);

    int processor() const noexcept { return processor_; }
    void* owner() const noexcept { return owner_; }
    stream_state state() const noexcept {
        // pairs with: body(), stores of state_
        return static_cast<stream_state>(state_.load(std::memory_order_acquire));
    }
    // Of a door's own stream, by a unit right under its main scheduler: when that one's loop ends,
    // `next` goes on in its place, and hears took_over(). Its pools are attached at once: busy, and
    // nothing done, if one is private to another stream.
    base::status replace_main(scheduler& next) noexcept;
    // Units that must stay on this stream go here; nullptr under a user's own scheduler.
    private_fifo* pinned() const noexcept { return pinned_.get(); }
    worker* its_worker() noexcept { return worker_; }
    // For the system's own functions. Of one that has not ended, or not been discarded yet.
    std::thread::native_handle_type thread_handle() noexcept;

private:
    static std::unique_ptr<stream> make();
    explicit stream(int rank) noexcept;
    void serve(scheduler& main) noexcept;
    stream(int rank, scheduler& main, const stream_options& options) noexcept;
    static base::status make_independent(scheduler& main, const stream_options& options,
                                         stream** result) noexcept;
    void make_default_scheduler();
    void name_thread() const noexcept;
    base::status launch();
    static base::status launch_listed(std::unique_ptr<stream> s, stream** result);
    base::status await_start() noexcept;
    void await_end();
    void become(stream_state now) noexcept;
    void resume_joiner() noexcept;
    void body();
    void live();
    // By its OS thread, after its end: until somebody restarts it (true) or discards it.
    bool is_wanted_again() noexcept;
    void order(std::uint32_t what) noexcept;
    void bind() const;
    void start_apart() const noexcept;
    base::status end(scheduler::stop_request how);
    void retire_pool();

    int processor_;
    std::unique_ptr<private_fifo> pinned_;
    int launched_from_ = -1;  // the processor on which its creator ran
    std::unique_ptr<scheduler> owned_main_;
    void* owner_ = nullptr;
    void (*on_end_)(void*) = nullptr;
    std::vector<int> processors_;
    char thread_name_[16] = {};
    std::uint16_t stream_number_ = 0;
    std::thread::native_handle_type adopted_thread_{};
    worker* worker_ = nullptr;
    base::status started_ = base::status::ok;
    ds::default_atomics::atomic<std::uint32_t> state_{
        static_cast<std::uint32_t>(stream_state::starting)};
    // The ULT that waits for the end, or nullptr. The stream's own address means "ended".
    //   nullptr -> ULT     by the ULT's suspension, after its context is saved
    //   any     -> ended   by the stream's OS thread, which then resumes the ULT that stood there
    ds::default_atomics::atomic<void*> joiner_{nullptr};
    // What the OS thread of an independent stream shall do.
    //   busy    -> resting   by the OS thread, after an end
    //   resting -> again     by restart(), which wakes the OS thread
    //   again   -> busy      by the OS thread, which lives once more
    //   any     -> gone      by discard(), or launch() after a failed start; wakes the OS thread
    enum : std::uint32_t { busy, resting, again, gone };
    ds::default_atomics::atomic<std::uint32_t> order_{busy};
    std::thread thread_;
};

// The stream that the caller runs on, or nullptr on an outside thread.
stream* this_stream() noexcept;
// By rank; nullptr when there is none.
stream* stream_at(int rank) noexcept;
stream* primary_stream() noexcept;
void for_each_stream(void (*visit)(stream&, void*), void* argument);

}  // namespace lazult::sched
