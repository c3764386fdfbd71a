// SPDX-License-Identifier: BSD-3-Clause
// What the door keeps in each work unit: the 24 bytes of work_unit::storage and the upper byte of
// its user_bits.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>

#include "handles/handles.hpp"
#include "units/unit_ids.hpp"

namespace lazult::abt {

struct thread_record;

// Bits of work_unit::header.user_bits. The lower byte is the C++ door's.
enum unit_bit : std::uint16_t {
    abt_unit = 0x100,
    abt_named = 0x200,
    abt_migratable = 0x400,
    abt_primary = 0x800,
    abt_main_scheduler = 0x1000,  // the identity of a stream's main scheduler: never in a pool
    abt_traced = 0x2000,          // its entry and argument are in its record
};

// The flags ABT_POOL_CONTEXT_OP_ that come with a push, as one byte. A unit's next push to a user's
// pool is what this says; it is `resume` unless somebody has just set it.
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
// unit     the holder, in unit.cpp              pools, queries  handed over with the unit
// record   anybody, once (compare and exchange)  anybody         release / acquire
// id       anybody, once (compare and exchange)  anybody         see unit_ids.hpp
// context  the next pusher                       the pool        handed over with the unit
struct thread_part {
    ABT_unit unit = nullptr;  // what a user's pool calls it; nullptr in a built-in one
    ds::default_atomics::atomic<thread_record*> record{nullptr};
    unit_ids::narrow_id id{unit_ids::unasked};
    std::uint8_t context = static_cast<std::uint8_t>(push_context::resume);
    std::uint8_t unused = 0;
    // Size of the stack asked for; 0: the default, or it is in the record. See stack_size_of().
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

// Of a unit to be created. What may not suspend blocks its OS thread instead.
constexpr std::uint16_t initial_bits(core::technique how, bool named, bool migratable) noexcept {
    return static_cast<std::uint16_t>(
        abt_unit | (named ? abt_named : 0) | (migratable ? abt_migratable : 0) |
        (how == core::technique::run_to_completion ? core::unit_header::blocks_thread : 0));
}

// The bits may be changed by the unit and by its owner at once.
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

// From now on its disposal frees what it owns: see unit_hooks.hpp. Whenever it gets a record or a
// user's unit.
inline void own_unit_data(work_unit& u) noexcept {
    // relaxed: read when the unit is finished and joined
    u.requests.fetch_or(core::owns_door, std::memory_order_relaxed);
}

// Looks at how the unit was created. core::flag_tasklet will not do: schedulers' own code has it
// too.
inline bool is_tasklet(const work_unit& u) noexcept {
    return u.header.how == core::technique::run_to_completion;
}
inline bool is_named(const work_unit& u) noexcept { return has_bit(u, abt_named); }

// Makes a unit that core::prepare() made elsewhere one of this door's: the primary ULT, main
// schedulers' identities.
inline void become_unit(work_unit& u, std::uint16_t bits) noexcept {
    new (u.storage) thread_part;
    u.header.user_bits = static_cast<std::uint16_t>(abt_unit | bits);
}
// Frees a unit that has ended, or was never launched.
inline void free_unit(worker* w, work_unit* u) noexcept {
    probe::release(u);
    core::dispose(w, u);
}

// nullptr unless it is a unit of this door that was not freed. One that was freed and made anew is
// not told apart.
inline work_unit* checked_thread(ABT_thread handle) noexcept {
    auto* u = reinterpret_cast<work_unit*>(handle);
    if (!core::is_descriptor(u) || u->state() == core::life_state::unused || !has_bit(*u, abt_unit))
        LAZULT_UNLIKELY {
        return nullptr;
    }
    return u;
}

}  // namespace lazult::abt
