// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/private_abi.hpp"

namespace lazult::core {

template <std::size_t... numbers>
const int private_abi<numbers...>::present = 1;

template struct private_abi<
    sizeof(work_unit), offsetof(work_unit, storage), offsetof(work_unit, header),
    offsetof(work_unit, notes), sizeof(worker), offsetof(worker, here), offsetof(worker, stacks),
    offsetof(worker, count), sizeof(host), sizeof(pool), sizeof(stack), sizeof(unit_extras)>;

}  // namespace lazult::core
