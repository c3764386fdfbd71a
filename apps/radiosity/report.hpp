// SPDX-License-Identifier: BSD-3-Clause
// What a run of the program prints and writes.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/radiosity/run.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

struct report {
    std::string scene;
    std::string version;
    settings with;
    std::size_t patches;
    double model_seconds;
    outcome found;
    census counted;
    balance light;
};

std::string describe(const report& of);
nlohmann::json to_json(const report& of);
// Throw std::runtime_error.
void write_json(const report& of, const std::string& file);
void write_json(const nlohmann::json& measured, const std::string& file);

}  // namespace radiosity
