// SPDX-License-Identifier: BSD-3-Clause
// Creators that wait below units which they have called at once: see life/at_once.hpp.
#pragma once

#include <cstdint>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

// A call of a new unit by its creator. Lies in the creator's frame. The OS thread that runs the
// call uses the record until the creator is ready. From then on the creator does.
struct call_at_once {
    // Lists a unit that has suspended, before another stream can know of the unit or of its
    // creator. Returns false if memory is exhausted. Then the creator joins the unit first.
    using lister = bool (*)(void* list, work_unit* u) noexcept;

    work_unit* creator;
    work_unit* unit;
    lister list;
    void* argument;
    // The next older call in the same host. Its unit is this call's creator, or runs this creator
    // in place above itself.
    call_at_once* below;
    work_unit* occupant;  // the occupant of the host before the call
    int error_number;
    arch::context context;  // the creator's, saved by the call
    enum class fate : std::uint8_t { returns, is_listed, is_not_listed } unit_fate;
};

// Redirects the returns of these calls' units, so that their ends do not return to the creators.
// Returns the occupant before the oldest call.
work_unit* cut_off(call_at_once* calls, const arch::entry_record& end) noexcept;
// Makes ready the creators of these calls, after cut_off(). A record lies in its creator's frame,
// so do not use it afterwards: the creator may have gone on.
void free_creators(worker& w, call_at_once* calls) noexcept;

}  // namespace lazult::core
