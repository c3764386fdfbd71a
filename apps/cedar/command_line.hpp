// SPDX-License-Identifier: BSD-3-Clause
// The options that the programs have in common.
#pragma once

#include "apps/cedar/experiment.hpp"

#include <string>

namespace CLI {
class App;
}

namespace cedar {

struct arguments {
    request wanted;
    std::uint64_t seed = 1;
    std::string chain;
    double femtoseconds = 2;
    std::string law = "truncated";
    std::string json;
};

void declare(CLI::App& app, arguments& given);

// Throws std::invalid_argument.
request request_of(const arguments& given);

}  // namespace cedar
