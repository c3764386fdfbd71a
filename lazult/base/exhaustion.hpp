// SPDX-License-Identifier: BSD-3-Clause
// For functions that report exhausted memory by what they return.
#pragma once

#include <new>

namespace lazult::base {

// False: `attempt` has thrown std::bad_alloc. Other exceptions go on.
template <class Attempt>
bool has_memory_for(Attempt&& attempt) {
    try {
        attempt();
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace lazult::base
