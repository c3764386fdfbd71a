// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/kmeans/experiment.hpp"

namespace kmeans {

// An array of objects, one to a configuration.
nlohmann::json to_json(const problem& of, const experiment& done);
void write_json(const std::string& path, const nlohmann::json& value);

// For the terminal.
std::string describe(const problem& of, const experiment& done, const settings& common);
std::string throughput_table(const experiment& done);
std::string suspension_table(const experiment& done);  // empty where nothing is counted

}  // namespace kmeans
