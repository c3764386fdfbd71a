// SPDX-License-Identifier: BSD-3-Clause
// The machine that a figure is from, for later readers of the figure.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lazult::tool {

// {"processor": "AMD EPYC (family 26, model 2)", "caches": {"L1d": "48K", ...}, "kernel": "Linux
// 6.1.0"}, of the first processor. What the system does not tell is "unknown", or is left out of
// the caches.
nlohmann::ordered_json describe_machine();

}  // namespace lazult::tool
