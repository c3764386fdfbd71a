// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <lazult_concert_simulation.hpp>

#include <string>
#include <vector>

namespace lazult::bench {

// The machine `here`, of rows that `lazult bench concert --json` has written: those of primitives,
// schemas and objects. Throws std::runtime_error if one is missing.
concert::machine measured_machine(const std::vector<std::string>& files);

}  // namespace lazult::bench
