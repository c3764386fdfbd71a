// SPDX-License-Identifier: BSD-3-Clause
// Schedulers of the door: the core's host that does the work, and what Argobots keeps with it.
#pragma once

#include "door.hpp"
#include "pools/pool.hpp"
#include "runtime/config.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace lazult::abt {

// Legal transitions: none -> main -> none (a stream takes and gives it), none -> in_pool -> none
// (it is pushed, its unit is freed).
enum class sched_use : std::uint8_t { none, main, in_pool };

// Bits of sched_object::requests.
enum sched_request : std::uint32_t {
    sched_finish = 1,   // end when no unit is left
    sched_exit = 2,     // end now
    sched_replace = 4,  // end when no unit is left: another one takes the stream over
};

// field         written by                      read by                       order
// requests      anybody                         its own stream                release / acquire
// used          creators and enders of streams  the same, anybody as a hint   compare and exchange
//                                                                             acq_rel
// data          the user                        the user                      the user's
// the others    the creator, before the handle is given out
struct sched_object {
    static constexpr kind arena_kind = kind::sched;

    ABT_sched_def def{};  // zeroes: one of the library's
    ABT_sched_predef predef = ABT_SCHED_DEFAULT;
    bool is_users = false;
    bool is_automatic = false;
    void* data = nullptr;
    ds::default_atomics::atomic<std::uint32_t> requests{0};
    ds::default_atomics::atomic<sched_use> used{sched_use::none};
    std::unique_ptr<sched::scheduler> host;

    ABT_sched handle() noexcept { return abt::to_handle(this); }
    std::span<sched::ready_pool* const> pools() const noexcept { return host->pools(); }
};

// --- life

struct sched_plan {
    ABT_sched_def* def = nullptr;  // nullptr: `predef`
    ABT_sched_predef predef = ABT_SCHED_DEFAULT;
    int pool_count = 0;
    const ABT_pool* pools = nullptr;  // nullptr for a predef: those that it likes best
    ABT_sched_config config = ABT_SCHED_CONFIG_NULL;
};
// SUCCESS; INV_ARG, INV_SCHED_PREDEF, INV_POOL, MEM, what the user's init returned. The pools given
// stay as they were then.
int create_sched(const sched_plan& plan, sched_object** made) noexcept;

// Calls the user's free, and frees automatic pools that no other scheduler has; all pools
// `by_force`. Not in use.
void free_sched(sched_object& s, bool by_force = false) noexcept;
// The same for a scheduler that was just created from these pools for something that then failed:
// the given pools stay the caller's, and are not freed.
void abandon_sched(sched_object& s, const ABT_pool* given) noexcept;

// What it runs on, in bytes.
std::size_t stack_size_of(const sched_object& s) noexcept;

// --- use

// False when it is in use.
bool take_sched(sched_object& s, sched_use how) noexcept;
void give_sched_back(sched_object& s) noexcept;

// Any OS thread. Wakes it.
void ask(sched_object& s, sched_request what) noexcept;
// Before it runs (again).
void forget_requests(sched_object& s) noexcept;
// Whether there is a unit in its pools, or one will come back that only it can serve.
bool has_units(const sched_object& s) noexcept;
// Whether a running scheduler must end. By its own stream.
bool has_to_stop(const sched_object& s) noexcept;

// In a user's scheduler's own code: the scheduler that runs, or nullptr.
sched_object* running_users_sched(const caller& who) noexcept;
// In a user's scheduler's own code, for each unit that the scheduler runs: now and then, its pools
// bring in what others pushed.
void look_around_in_users_sched(worker& w) noexcept;
// By a user's scheduler now and then: lets another OS thread on the processor if it has not run
// anything since.
void rest_if_idle(sched_object& s, worker& w) noexcept;

}  // namespace lazult::abt
