// SPDX-License-Identifier: BSD-3-Clause
// ULT-local storage: keys with destructors, as pthread_key_create has them.
#pragma once

#include <cstdint>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

using local_destructor = void (*)(void*);
using local_key = std::uint32_t;

// Keys are process-wide. Thread-safe. Returns invalid_local_key when memory is exhausted.
inline constexpr local_key invalid_local_key = 0;
local_key create_local_key(local_destructor destructor) noexcept;
// Values that ULTs still hold under the key are dropped, and no destructor is called.
void destroy_local_key(local_key key) noexcept;

// Called by the unit, or while the unit does not run. Returns false when memory is exhausted.
bool set_local(work_unit& u, local_key key, void* value) noexcept;
void* get_local(const work_unit& u, local_key key) noexcept;

// Called in the unit's own context, at its end. Runs destructors, again while they set new values
// (at most four rounds, as POSIX allows), and frees the table. Destructors are not cancelled.
void destroy_locals(work_unit& u) noexcept;

}  // namespace lazult::core
