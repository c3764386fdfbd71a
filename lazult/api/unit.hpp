// SPDX-License-Identifier: BSD-3-Clause
// What the C++ interface keeps in a descriptor: 24 bytes of storage, and 16 bits of user_bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <stop_token>

#include <lazult/pool.hpp>
#include <lazult/task_group.hpp>

#include "lazult/api/refusal.hpp"
#include "lazult/sched/sched.hpp"

namespace lazult::api {

using core::work_unit;
using core::worker;

// Bits of work_unit::user_bits. Units of other doors have none of the kinds, and may have the other
// bits, which mean something else there.
enum unit_bit : std::uint16_t {
    kind_thread = 0x100,
    kind_task = 0x200,
    kind_job = 0x400,        // made by async(): no thread joins it
    closure_to_destroy = 8,  // if the unit never runs, its closure must still be destroyed
    threw = 16,              // an exception_ptr stands in the closure's place
    unwound = 32,            // the unit had started, and cancel() or exit() ended it
    // the unit has a record, or cancel() touched it: freeing the descriptor is not enough
    needs_cleanup = 64,
    placed = 128,  // its creator named its pool
};

// What few threads need besides their descriptor, made on first use.
struct thread_record {
    char name[32] = {};  // the first field, where debuggers look for it
    std::stop_source stop;
    core::stack* own_stack = nullptr;
    std::function<void(thread_id)> migrated;
};

// `record` is one of
//   none        no record and no stop request
//   requested   no record, but a stop request
//   a pointer   the address of the record
//   from        to         by
//   none        requested  request_stop
//   none        pointer    record_of
//   requested   pointer    record_of, which passes the request on to the record
struct thread_frame {
    using word = ds::default_atomics::atomic<std::uintptr_t>;
    static constexpr std::uintptr_t none = 0;
    static constexpr std::uintptr_t requested = 1;

    word record{none};
    std::byte closure[detail::closure_bytes];
};

static_assert(sizeof(thread_frame) == sizeof(work_unit::storage));
static_assert(sizeof(detail::task_frame) == sizeof(work_unit::storage));
static_assert(alignof(thread_frame) <= 8 && alignof(detail::task_frame) <= 8);
static_assert(offsetof(work_unit, storage) % 8 == 0);
static_assert(sizeof(std::exception_ptr) <= detail::closure_bytes);

inline work_unit* to_unit(detail::unit* u) noexcept { return reinterpret_cast<work_unit*>(u); }
inline const work_unit* to_unit(const detail::unit* u) noexcept {
    return reinterpret_cast<const work_unit*>(u);
}
inline detail::unit* to_handle(work_unit* u) noexcept { return reinterpret_cast<detail::unit*>(u); }

inline thread_frame& frame_of(work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<thread_frame*>(u.storage));
}

// The unit and its owner may set bits at the same time, so these functions are atomic.
inline std::uint16_t bits_of(const work_unit& u) noexcept {
    return std::atomic_ref(const_cast<std::uint16_t&>(u.header.user_bits))
        .load(std::memory_order_relaxed);
}
inline void set_bit(work_unit& u, unit_bit bit) noexcept {
    std::atomic_ref(u.header.user_bits).fetch_or(bit, std::memory_order_relaxed);
}

// For each technique, attributes that name nothing else. They are made when the runtime starts,
// because most threads need no others.
struct attribute_set {
    std::array<core::unit_attributes, core::technique_count> by_technique;
    core::technique configured;

    const core::unit_attributes& operator[](technique how) const noexcept {
        return by_technique[static_cast<std::size_t>(
            how == technique::configured ? static_cast<technique>(configured) : how)];
    }
    const core::unit_attributes& standard() const noexcept {
        return by_technique[static_cast<std::size_t>(configured)];
    }
};

struct default_attributes {
    explicit default_attributes(core::technique configured) noexcept;

    attribute_set thread_of_words;
    attribute_set thread;
    attribute_set task;
    attribute_set job;
    const default_attributes* previous = nullptr;
};

// field              written by                                       read by    order
// composed_defaults  compose_defaults (under lock), forget_defaults   creators   release / acquire
extern constinit ds::default_atomics::atomic<const default_attributes*> composed_defaults;
// Makes the next creator compose the defaults anew. Called when settings change; nothing runs then.
void forget_defaults() noexcept;

// What a creator of units needs to know: its worker, the home of the new unit, the defaults.
struct creation_context {
    worker* w;
    core::pool* home;
    const default_attributes* defaults;

    // Returns the context of the caller's stream. If the caller is not on a stream with a pool of
    // the runtime, or no defaults are composed yet, the result is not known: slow() finds it. That
    // is a function of its own, so that creators can leave it to another function, and need no
    // registers for it.
    LAZULT_ALWAYS_INLINE static creation_context here() noexcept {
        worker* w = core::this_worker_or_null();
        // acquire pairs with: compose_defaults(), store of composed_defaults
        const default_attributes* defaults = composed_defaults.load(std::memory_order_acquire);
        sched::stream_record* const mine = sched::stream_record_of(w);
        if (mine != nullptr && defaults != nullptr) LAZULT_LIKELY {
            return {w, mine->runtime_pool_or_null(), defaults};
        }
        return {nullptr, nullptr, nullptr};
    }
    bool is_known() const noexcept { return home != nullptr; }
    // Finds the context in all cases. Starts the runtime if there is none.
    static creation_context slow();

    LAZULT_ALWAYS_INLINE static creation_context find() {
        const creation_context at = here();
        return at.is_known() ? at : slow();
    }
};

// Returns the attributes as the core knows them. If `how` names only a technique, they come from
// `set`. Throws error: invalid_argument.
core::unit_attributes translate(const thread_attributes& how, const attribute_set& set,
                                std::string_view object);
// Returns true if the attributes name nothing but a technique, a pool and child_first. Then the
// unit needs no attributes of its own.
inline bool is_by_technique_alone(const thread_attributes& how) noexcept {
    const std::uintptr_t more = how.stack_size | how.stack.size() |
                                reinterpret_cast<std::uintptr_t>(how.name) |
                                static_cast<unsigned>(how.priority);
    return more == 0 && (how.how <= technique::adaptive || how.how == technique::configured);
}
LAZULT_ALWAYS_INLINE core::pool& home_of(const thread_attributes& how,
                                         const creation_context& at) noexcept {
    return how.where == nullptr ? *at.home
                                : *static_cast<sched::ready_pool*>(how.where->native_handle());
}

[[noreturn]] LAZULT_COLD void refuse_for_memory();

// Frees a unit that was joined, or was never launched.
LAZULT_ALWAYS_INLINE void free_unit(worker* w, work_unit* u) noexcept {
    probe::release(u);
    core::dispose(w, u);
}

// Prepares a unit, with room for a closure in its descriptor. Provides what pools need to take the
// unit, because a push must not fail. Throws error: out_of_memory.
LAZULT_ALWAYS_INLINE work_unit* prepare(worker& w, core::pool& home, core::entry_function run,
                                        const core::unit_attributes& how) {
    work_unit* u = core::prepare(w, home, run, nullptr, how);
    if (u == nullptr) LAZULT_UNLIKELY {
        refuse_for_memory();
    }
    probe::acquire(u);  // pairs with: free_unit()
    if (u->node == nullptr && !sched::provide_node(*u)) LAZULT_UNLIKELY {
        free_unit(&w, u);
        refuse_for_memory();
    }
    u->argument = u->storage + sizeof(u->storage) - detail::closure_bytes;
    return u;
}

// Prepares a unit for the lane of the caller's stream. It makes no call, so that a function which
// does nothing else needs no stack frame. If it would need a call, it does nothing and returns
// nullptr.
LAZULT_ALWAYS_INLINE work_unit* prepare_at_once(worker& w, core::pool& home,
                                                core::entry_function run,
                                                const core::unit_attributes& how) noexcept {
    work_unit* const u =
        core::prepare_at_once(w, home, run, nullptr, how, false, core::node_of_unit::as_needed);
    if (u != nullptr) LAZULT_LIKELY {
        probe::acquire(u);  // pairs with: free_unit()
        u->argument = u->storage + sizeof(u->storage) - detail::closure_bytes;
    }
    return u;
}
// Does what prepare_at_once() does, but also returns nullptr if the lane has no room.
// Precondition: at.is_known().
LAZULT_ALWAYS_INLINE work_unit* prepare_in_lane(const creation_context& at,
                                                core::entry_function run,
                                                const core::unit_attributes& how) noexcept {
    const core::steal_lane* const lane = at.w->lane;
    if (lane == nullptr || !lane->is_open_for(at.home) || !lane->has_room()) LAZULT_UNLIKELY {
        return nullptr;
    }
    return prepare_at_once(*at.w, *at.home, run, how);
}
LAZULT_ALWAYS_INLINE void launch_in_lane(worker& w, work_unit* u) noexcept {
    probe::release(u);
    w.lane->push_into_room(u);
}

LAZULT_ALWAYS_INLINE void put_words(work_unit* u, std::uint64_t first,
                                    std::uint64_t second) noexcept {
    const detail::words closure{first, second};
    std::memcpy(u->argument, &closure, sizeof(closure));
}

// Does what core::join() does, for a unit with a pool that its creator named. The unit runs only on
// streams that serve that pool, so a joiner on another stream does not run it in place.
base::status join_placed(work_unit* u, core::cancelable how = core::cancelable::no);

// Frees a prepared unit that was not launched.
void discard(work_unit* u) noexcept;

}  // namespace lazult::api
