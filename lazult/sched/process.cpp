// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>
#include <type_traits>

#include "lazult/sched/events.hpp"
#include "lazult/sched/spares.hpp"
#include "lazult/watch/watch.hpp"

namespace lazult::sched {
namespace {

// field         written by             read by     order
// has_streams   the first to enter,    anybody     release / acquire
//               the last to leave
// the others    under entry            the same    the lock's
constinit struct {
    std::mutex entry;
    int entered = 0;
    pid_t process = 0;  // the process that entered; a forked child has its parent's number here
    ds::default_atomics::atomic<bool> has_streams{false};
} process_state;
static_assert(std::is_trivially_destructible_v<decltype(process_state)>);

// A holder of `entry` may wait for other threads, so no fork takes it, and the child makes it anew.
[[gnu::constructor]] void make_entry_anew_in_children() {
    ::pthread_atfork(nullptr, nullptr, [] { new (&process_state.entry) std::mutex; });
}

// Registered before stop_at_exit(), and so called after it. The leak checker comes last.
void explain_leaks_at_exit() noexcept {
    if constexpr (probe::asan) {
        static const bool once [[maybe_unused]] = std::atexit(core::note_suspended_stacks) == 0;
    }
}

}  // namespace

void enter_process() noexcept {
    core::add_waker(awaits_events);
    const std::lock_guard hold(process_state.entry);
    if (process_state.entered++ != 0) {
        return;
    }
    process_state.process = ::getpid();
    core::adopt_control_words();
    core::refresh_defaults();
    explain_leaks_at_exit();
    watch::report_at_exit();
    core::name_units_at_terminate();
    base::freeze_settings(true);
    os::install_fault_handler(watch::describe_overflow);
    open_spares();
    watch::start_watching({awaits_events, relieve});
    // pairs with: process_has_streams()
    process_state.has_streams.store(true, std::memory_order_release);
}

bool process_has_streams() noexcept {
    // pairs with: enter_process(), leave_process(), stores of has_streams
    return process_state.has_streams.load(std::memory_order_acquire);
}

bool is_process_that_entered() noexcept { return process_state.process == ::getpid(); }

void leave_process() noexcept {
    const std::lock_guard hold(process_state.entry);
    if (--process_state.entered != 0) {
        open_spares();  // a runtime that ended has closed them
    } else {
        close_spares();
        watch::stop_watching();
        end_spares();
        core::give_all_back();
        // pairs with: process_has_streams()
        process_state.has_streams.store(false, std::memory_order_release);
        base::freeze_settings(false);
    }
}

}  // namespace lazult::sched
