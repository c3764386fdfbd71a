// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "apps/cedar/experiment.hpp"

#include <nlohmann/json_fwd.hpp>

namespace cedar {

std::string describe(const request& wanted, const findings& found);

nlohmann::json to_json(const request& wanted, const findings& found);

// Throws std::runtime_error where the file cannot be written.
void write_json(const std::string& path, const nlohmann::json& what);

}  // namespace cedar
