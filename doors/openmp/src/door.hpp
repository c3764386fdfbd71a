// SPDX-License-Identifier: BSD-3-Clause
// Types, names and a spin lock that all files of the OpenMP door use.
//
// The folders, lowest first. A file includes files of its own folder, and of those before it.
//   environment  reads the environment variables, and holds the control variables
//   waiting      lets a caller wait for a word in memory, and says how long an OS thread spins
//   model        defines teams, threads, tasks and worksharing constructs, and the protocols on
//                their words
//   threads      knows what a thread runs on: its processor, its stack, its scheduler
//   loops        enters, divides and leaves worksharing constructs
//   tasks        creates, finds, runs and ends tasks, and waits for them
//   schedulers   has the loops that run the units of OpenMP threads
//   teams        forks and joins teams, and has their barriers
//   abi          has the functions of gcc's interface
#pragma once

#include <cstdint>

#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::omp {

namespace base = lazult::base;
namespace core = lazult::core;
namespace ds = lazult::ds;
namespace os = lazult::os;
namespace probe = lazult::probe;
namespace sched = lazult::sched;
namespace sync = lazult::sync;

using core::work_unit;
using core::worker;

template <class T>
using atomic = ds::default_atomics::atomic<T>;

using region_function = void (*)(void*);

// A spin lock for short critical sections. A waiting thread now and then yields its processor,
// because the holder may have been preempted. The holder must not suspend.
//
// field  written by  read by     order
// held_  any thread  any thread  acquire to lock, release to unlock
class spin_lock {
public:
    void lock() noexcept {
        sync::brief_spin<ds::default_atomics> spin;
        while (!try_lock()) {
            spin.pause();
        }
    }
    bool try_lock() noexcept {
        // acquire pairs with: unlock(), store
        return held_.load(std::memory_order_relaxed) == 0 &&
               held_.exchange(1, std::memory_order_acquire) == 0;
    }
    // pairs with: try_lock(), exchange
    void unlock() noexcept { held_.store(0, std::memory_order_release); }

private:
    atomic<std::uint32_t> held_{0};
};

}  // namespace lazult::omp
