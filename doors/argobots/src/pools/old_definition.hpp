// SPDX-License-Identifier: BSD-3-Clause
// Adapters, through which the door calls an old definition of a user's pool as if it were new.
#pragma once

#include "pools/pool_definition.hpp"

namespace lazult::abt {

pool_functions adapt(const ABT_pool_def& definition) noexcept;

}  // namespace lazult::abt
