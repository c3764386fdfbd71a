// SPDX-License-Identifier: BSD-3-Clause
// What the door keeps in each work unit: the 24 bytes of work_unit::storage, and its user_bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "handles/handles.hpp"
#include "units/unit_ids.hpp"

namespace lazult::abt {

struct thread_record;

// Bits of work_unit::header.user_bits. Only the first says that a unit is the door's: units of
// other doors may have the others, which mean something else there.
enum unit_bit : std::uint16_t {
    abt_unit = 0x800,  // the kind: registered in unit_hooks.cpp
    abt_named = 1,
    abt_migratable = 2,
    abt_primary = 4,
    abt_main_scheduler = 8,  // the identity of a stream's main scheduler: never in a pool
    abt_traced = 16,         // its entry and argument are in its record
};

// The flags ABT_POOL_CONTEXT_OP_ of a push, numbered. thread_part::context has the one for the
// unit's next push to a user's pool. It is `resume`, except from the time when a function of the
// interface sets another value until that push.
enum class push_context : std::uint8_t {
    create,
    create_to,
    revive,
    revive_to,
    yield,
    yield_to,
    resume_yield_to,
    yield_loop,
    resume,
    migrate
};

// field    written by                           read by         order
// unit     the thread that holds the work unit  pools, queries  handed over with the work unit
// record   anybody, once, by a CAS              anybody         release / acquire
// id       anybody, once, by a CAS              anybody         see unit_ids.hpp
// context  the next pusher                      the pool        handed over with the work unit
struct thread_part {
    ABT_unit unit = nullptr;  // the unit that a user's pool made for it; nullptr in a built-in pool
    ds::default_atomics::atomic<thread_record*> record{nullptr};
    unit_ids::narrow_id id{unit_ids::unasked};
    std::uint8_t context = static_cast<std::uint8_t>(push_context::resume);
    std::uint8_t unused = 0;
    // The stack size that was asked for, in units of 64 bytes. 0: the default size, or the record
    // has it. See asked_stack_size_of().
    std::uint16_t stack_units = 0;
};
static_assert(sizeof(thread_part) == sizeof(work_unit::storage));

inline thread_part& part_of(work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<thread_part*>(u.storage));
}
inline const thread_part& part_of(const work_unit& u) noexcept {
    return *std::launder(reinterpret_cast<const thread_part*>(u.storage));
}

inline void set_context(work_unit& u, push_context c) noexcept {
    part_of(u).context = static_cast<std::uint8_t>(c);
}

// Returns the bits for a new unit. A unit that may not suspend gets blocks_thread, so that a wait
// in it blocks its OS thread.
constexpr std::uint16_t initial_bits(core::technique how, bool named, bool migratable) noexcept {
    return static_cast<std::uint16_t>(
        abt_unit | (named ? abt_named : 0) | (migratable ? abt_migratable : 0) |
        (how == core::technique::run_to_completion ? core::unit_header::blocks_thread : 0));
}

// Returns the unit's bits. The access is atomic because the unit and its owner may change different
// bits at the same time.
inline std::uint16_t bits_of(const work_unit& u) noexcept {
    return std::atomic_ref(const_cast<std::uint16_t&>(u.header.user_bits))
        .load(std::memory_order_relaxed);
}
inline bool has_bit(const work_unit& u, unsigned bits) noexcept { return (bits_of(u) & bits) != 0; }
inline void set_bit(work_unit& u, unit_bit bit) noexcept {
    std::atomic_ref(u.header.user_bits).fetch_or(bit, std::memory_order_relaxed);
}
inline void clear_bit(work_unit& u, unit_bit bit) noexcept {
    std::atomic_ref(u.header.user_bits)
        .fetch_and(static_cast<std::uint16_t>(~unsigned{bit}), std::memory_order_relaxed);
}

// Makes the unit's disposal call dispose_unit_data() (unit_hooks.cpp). Must be called when the unit
// gets a record or a unit of a user's pool.
inline void own_unit_data(work_unit& u) noexcept {
    // relaxed: read when the unit is finished and joined
    u.notes.fetch_or(core::owns_door, std::memory_order_relaxed);
}

// Decides by the technique. core::flag_tasklet would be wrong, because the units of schedulers have
// that flag, too.
inline bool is_tasklet(const work_unit& u) noexcept {
    return u.header.how == core::technique::run_to_completion;
}
inline bool is_named(const work_unit& u) noexcept { return has_bit(u, abt_named); }

// Makes a unit that was prepared by core::prepare() a unit of this door. For the primary ULT and
// for the units of schedulers.
inline void become_unit(work_unit& u, std::uint16_t bits) noexcept {
    new (u.storage) thread_part;
    u.header.user_bits = static_cast<std::uint16_t>(abt_unit | bits);
}
// Frees a unit that has ended or was never launched.
inline void free_unit(worker* w, work_unit* u) noexcept {
    probe::release(u);
    core::dispose(w, u);
}

// Returns the work unit behind a handle, or nullptr if it is not a live unit of this door. If the
// unit was freed and its descriptor was used again, the new unit is returned.
inline work_unit* checked_thread(ABT_thread handle) noexcept {
    auto* u = reinterpret_cast<work_unit*>(handle);
    if (!core::is_descriptor(u) || u->state() == core::life_state::unused || !has_bit(*u, abt_unit))
        LAZULT_UNLIKELY {
        return nullptr;
    }
    return u;
}

}  // namespace lazult::abt
