// SPDX-License-Identifier: BSD-3-Clause
// Schedulers of the door: the core's scheduler that does the work, and what Argobots keeps with it.
#pragma once

#include "pools/pool.hpp"
#include "units/caller.hpp"

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
// took_over     replace_main_sched              its new stream                 the core's
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
    std::unique_ptr<sched::scheduler> scheduler;
    // Called in its own code before it runs anything, when it takes a stream over.
    void (*took_over)(worker&) = nullptr;

    ABT_sched handle() noexcept { return abt::to_handle(this); }
    std::span<sched::ready_pool* const> pools() const noexcept { return scheduler->pools(); }
};

inline sched_object* checked_sched(ABT_sched handle) noexcept {
    return checked<sched_object>(handle);
}

// --- life

inline bool is_given(const ABT_pool* pools, std::size_t i) noexcept {
    return pools != nullptr && !is_null(pools[i]);
}
// What remains of freeing when the user's free was called, or must not be. The pools that were
// given stay the caller's if `keeps_given`.
void dismantle_sched(sched_object& s, const ABT_pool* given, bool keeps_given,
                     bool by_force) noexcept;
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

bool has_pool(const sched_object& s, const core::pool& p) noexcept;
// Where a unit goes that is to migrate to the scheduler, as its get_migr_pool says; nullptr:
// nowhere.
sched::ready_pool* migration_pool_of(sched_object& s) noexcept;

// The unit that stood for a stacked scheduler is gone.
void stacked_sched_ended(sched_object& s) noexcept;

inline bool is_asked_to_exit(const sched_object& s) noexcept {
    // relaxed: a hint; has_to_stop() decides
    return (s.requests.load(std::memory_order_relaxed) & sched_exit) != 0;
}

}  // namespace lazult::abt
