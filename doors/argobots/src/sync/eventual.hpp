// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "sync/sync_memory.hpp"

namespace lazult::abt {

// An eventual's object. Its buffer, if it has one, comes from malloc.
using eventual_object = created<kind::eventual>;

// Returns nullptr if the handle is not an eventual.
inline sync::event_cell* checked_eventual(ABT_eventual handle) noexcept {
    sync_memory* memory = checked_memory<kind::eventual>(handle, 0);
    return memory == nullptr ? nullptr : &part_in<sync::event_cell>(memory);
}

}  // namespace lazult::abt
