// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Many tasks and one wait: structured fork and join.
#pragma once

#include <lazult/attributes.hpp>
#include <lazult/concepts.hpp>
#include <lazult/detail/closure.hpp>
#include <lazult/error.hpp>
#include <lazult/export.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace lazult {

class task_group;

namespace detail {

struct task_group_access;

// field    written by  read by          order
// stopped  any thread  tasks that start relaxed: a task that sees it late runs
struct task_scope {
    std::atomic<bool> stopped{false};
};

// What a task keeps in its unit: 24 bytes.
struct task_frame {
    task_scope* scope;
    std::byte closure[closure_bytes];

    static task_scope& scope_of(void* place) noexcept {
        return *reinterpret_cast<task_frame*>(static_cast<std::byte*>(place) -
                                              offsetof(task_frame, closure))
                    ->scope;
    }
};

struct task_storage {
    unit* owner;
    void* memory;
};

LAZULT_API void start_task(task_group& group, entry_function run, std::uint64_t first,
                           std::uint64_t second);
// Starts a task at once. The callable stays in the caller's frame; the task's first word is its
// address. Returns false if no task was started; then the callable is unchanged.
LAZULT_API bool start_task_from_frame(task_group& group, entry_function run, void* closure);
LAZULT_API task_storage prepare_task(task_group& group, entry_function run);
// Throws error: out_of_memory; then the unit and its callable are still the caller's.
LAZULT_API void launch_task(task_group& group, unit* u);
LAZULT_API void discard_task(unit* u) noexcept;
// Called in a handler of an exception that left a task's callable: keeps the exception for the
// group. Rethrows those that end a thread.
LAZULT_API void task_threw(task_scope& scope);

template <class C>
void run_task(void* place) {
    task_scope& scope = task_frame::scope_of(place);
    try {
        closure_owner<C> closure(place);
        if (!scope.stopped.load(std::memory_order_relaxed)) {
            closure.call();
        }
    } catch (...) {
        task_threw(scope);
    }
}

// A task that starts at once first moves its callable out of its creator's frame. The creator waits
// in that frame until the task has ended or has suspended.
template <class C>
void run_task_from_frame(void* place) {
    task_scope& scope = task_frame::scope_of(place);
    try {
        C closure(std::move(**std::launder(static_cast<C**>(place))));
        if (!scope.stopped.load(std::memory_order_relaxed)) {
            closure();
        }
    } catch (...) {
        task_threw(scope);
    }
}

// In bytes. A larger callable would take too much of the task's stack, and of its creator's.
inline constexpr std::size_t largest_in_frame = 256;
template <class C>
inline constexpr bool travels_in_frame =
    std::is_nothrow_move_constructible_v<C> && sizeof(C) <= largest_in_frame;

}  // namespace detail

/// Tasks that one thread waits for. Model: oneTBB's task_group. Tasks are ULTs with the group's
/// attributes. wait() runs tasks itself where it can, so a group nested in a task costs no stream.
/// wait() rethrows the first exception that left a task; tasks that have not started by then do not
/// run. A group belongs to the thread that waits. Only run(), cancel() and is_canceled() are
/// thread-safe, so that tasks of the group may add tasks to it.
class task_group {
public:
    LAZULT_API task_group();
    /// A group of tasks with these attributes. Throws error: invalid_argument (names the
    /// attribute; `stack`, `name` and `child_first` are for single threads).
    LAZULT_API explicit task_group(const thread_attributes& how);
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;
    /// If tasks are left, because an exception passed and wait() was not called: cancels the group,
    /// waits, and drops exceptions of tasks. May suspend.
    LAZULT_API ~task_group();

    /// Creates a task. Throws error: out_of_memory; and what copying the callable throws. Starts
    /// the runtime if need be.
    ///
    /// Fine grains: if options::ready_tasks units are ready in the work-stealing pool of the
    /// caller's stream, the task may start before run() returns, as a call on a stack of its own.
    /// If the task suspends or yields, the caller becomes ready, behind the units of that pool, and
    /// run() returns when the caller's turn has come. So a loop that creates ten million tasks has
    /// a few hundred of them at a time, unless they wait for the caller.
    /// - Then run() may suspend and may return on another OS thread; it is a cancellation point.
    /// - So the caller must not hold anything then that blocks an OS thread, such as a std::mutex,
    ///   even if the task does not use it. It may hold a lazult::mutex, and the task may lock that.
    /// - The task must not wait for the caller by anything that blocks the OS thread or spins: a
    ///   std::mutex, a std::future, a pipe. It may wait by lazult's objects, or a loop that yields.
    /// - After such a start the group holds one stack, until a wait() or the group's end.
    /// - If the callable has at most 256 bytes and its move constructor is noexcept, that
    ///   constructor may run in the task, and must not suspend.
    /// - No task starts so with options::ready_tasks = 0 (LAZULT_READY_TASKS=0), with the
    ///   techniques full, lazy_stack and run_to_completion, or with a pool in the attributes.
    template <task_callable F>
    void run(F&& function) {
        using closure = detail::bound<std::decay_t<F>>;
        if constexpr (detail::travels_in_words<closure>) {
            const detail::words w =
                detail::to_words(closure(std::in_place, std::forward<F>(function)));
            detail::start_task(*this, detail::run_task<closure>, w.first, w.second);
        } else if constexpr (detail::travels_in_frame<closure>) {
            closure local(std::in_place, std::forward<F>(function));
            if (!detail::start_task_from_frame(*this, detail::run_task_from_frame<closure>,
                                               &local)) {
                run_later<closure>(std::move(local));
            }
        } else {
            run_later<closure>(std::in_place, std::forward<F>(function));
        }
    }

    /// Waits until all tasks have ended, also those that tasks have added; the group is then as
    /// new. May suspend. Rethrows the first exception of a task. Throws error: cannot_suspend (in a
    /// tasklet).
    LAZULT_API void wait();
    /// Does what the other wait() does, and returns true. But when a stop is requested by this
    /// token first, it returns false: the tasks continue and still belong to the group, so call
    /// wait() again. It runs no task itself, so the caller suspends once for each task that has not
    /// ended.
    LAZULT_API bool wait(std::stop_token stop);

    /// Creates a task and waits for all tasks. Throws as run() and wait().
    template <task_callable F>
    void run_and_wait(F&& function) {
        run(std::forward<F>(function));
        wait();
    }

    /// Until the end of wait(), tasks that have not started will not run. Requests a stop by the
    /// stop token of the others. Thread-safe.
    LAZULT_API void cancel() noexcept;
    /// Returns true if cancel() was called or a task threw, since the last wait(). Thread-safe.
    bool is_canceled() const noexcept { return scope_.stopped.load(std::memory_order_relaxed); }

private:
    friend struct detail::task_group_access;

    template <class C, class... A>
    void run_later(A&&... arguments) {
        if constexpr (detail::fits_in_unit<C>) {
            run_in_place<C>(std::forward<A>(arguments)...);
        } else {
            run_in_block<C>(std::forward<A>(arguments)...);
        }
    }
    template <class C, class... A>
    void run_in_place(A&&... arguments) {
        const detail::task_storage at = detail::prepare_task(*this, detail::run_task<C>);
        try {
            detail::closure_owner<C>::make(at.memory, std::forward<A>(arguments)...);
        } catch (...) {
            detail::discard_task(at.owner);
            throw;
        }
        start_or([&] { detail::launch_task(*this, at.owner); },
                 [&] {
                     detail::closure_owner<C>::destroy(at.memory);
                     detail::discard_task(at.owner);
                 });
    }
    template <class C, class... A>
    void run_in_block(A&&... arguments) {
        void* block = detail::closure_owner<C>::make_in_block(std::forward<A>(arguments)...);
        start_or(
            [&] {
                detail::start_task(*this, detail::run_task<C>,
                                   reinterpret_cast<std::uintptr_t>(block), 0);
            },
            [&] { detail::closure_owner<C>::destroy(&block); });
    }
    // Calls start(). If that throws for want of memory, there is no task, so it calls otherwise().
    // Any other exception means that the caller was cancelled; the task may exist then.
    template <class Start, class Otherwise>
    static void start_or(Start start, Otherwise otherwise) {
        try {
            start();
        } catch (const error&) {
            otherwise();
            throw;
        } catch (const std::bad_alloc&) {
            otherwise();
            throw;
        }
    }

    detail::task_scope scope_;
    alignas(8) std::byte state_[256];
};

}  // namespace lazult
