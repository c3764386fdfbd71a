// SPDX-License-Identifier: BSD-3-Clause
// Creators that wait below units which they have called at once: see life/at_once.hpp.
#pragma once

#include <cstdint>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// Lies in the creator's frame. The OS thread that runs the call uses it, until the creator is
// ready. From then on the creator does.
struct call_at_once {
    // Takes note of a unit that goes its own way, before another stream can know of it or of its
    // creator. False: out of memory. Then the creator joins the unit before it goes on.
    using lister = bool (*)(void* list, work_unit* u) noexcept;

    work_unit* creator;
    work_unit* unit;
    lister list;
    void* argument;
    // An older call in the same host. Its unit is this call's creator, or has that creator in place
    // above it.
    call_at_once* below;
    work_unit* occupant;  // the host's before the call
    int error_number;
    arch::context context;  // the creator's, from the call on
    enum class fate : std::uint8_t { returns, is_listed, is_not_listed } unit_fate;
};

// When these units end, they do not return to their creators. Returns the occupant before the
// oldest call.
work_unit* cut_off(call_at_once* calls, const arch::entry_record& end) noexcept;
// The creators become ready. Their records may be gone then.
void free_creators(worker& w, call_at_once* calls) noexcept;

}  // namespace lazult::core
