// SPDX-License-Identifier: BSD-3-Clause
// Doors inline much of the core, so a door and the library must agree on the layout of what they
// share. A door refers to a symbol that has the layout in its name. So a door of another build does
// not link, and does not load.
#pragma once

#include <cstddef>

#include "lazult/core/switch/host.hpp"

namespace lazult::core {

template <std::size_t... numbers>
struct private_abi {
    static const int present;
};

using this_abi =
    private_abi<sizeof(work_unit), offsetof(work_unit, storage), offsetof(work_unit, header),
                offsetof(work_unit, notes), sizeof(worker), offsetof(worker, here),
                offsetof(worker, stacks), offsetof(worker, count), sizeof(host), sizeof(pool),
                sizeof(stack), sizeof(unit_extras)>;

}  // namespace lazult::core
