// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a program of units: a tree in which each unit is a list of steps. The same bytes are
// always the same program. Every program ends: a unit that parks is unparked before anything waits
// for it, and a unit that runs for ever is cancelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lazult::fuzz {

enum class action : std::uint8_t {
    add,
    yield,
    suspend,
    create,
    create_child_first,
    create_detached,
    create_parked,   // it parks first: see unpark
    create_endless,  // it runs until it is cancelled
    join,
    join_all,
    unpark,  // of one that parks first
    revive,
    migrate_self,
    migrate_child,
    cancel_child,
    watch,  // looks at a child until that has finished
    park,   // until a unit made for it unparks it
    lock,   // suspends with a mutex held
    throw_across,
    keep_errno,
    keep_rounding,
    local,
    cancel_self,
    exit,
};
inline constexpr unsigned action_count = 24;

inline constexpr int nobody = -1;
inline constexpr std::size_t tallies = 4;

struct step {
    action what;
    std::uint8_t value;
    int unit = nobody;    // created, or meant: where it stands in program::units
    int former = nobody;  // revive: the unit that gives its descriptor
};

enum class body_kind : std::uint8_t { plain, parks_first, endless };

struct unit_plan {
    std::uint8_t technique;  // of the seven
    std::uint8_t place;      // which pool, as there are so many
    std::uint8_t stack;
    body_kind kind = body_kind::plain;
    bool is_detached = false;
    bool is_certain = true;  // false: it, or its creator, may be cancelled before it is through
    std::vector<step> steps;
};

enum class planted_by : std::uint8_t { primary, primary_here, outside };

struct root {
    int unit;
    planted_by by;
};

struct program {
    unsigned streams;
    std::uint8_t scheduler;
    bool spins;
    unsigned event_period;
    unsigned visits;  // so many other streams come and go meanwhile
    std::vector<unit_plan> units;
    std::vector<root> roots;
};

program decode(std::span<const std::uint8_t> bytes);
std::string describe(const program& p);

// What the units that are certain to run through add up to.
struct expectation {
    std::uint64_t sums[tallies] = {};
};
expectation reference(const program& p);

}  // namespace lazult::fuzz
