// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace lazult::tool {

// The words that an option takes, for --help, the manual page and the completions. It refuses none:
// the command reads the value itself, and says more when it is wrong.
template <class Words>
CLI::Validator known_words(const Words& words) {
    std::string list;
    for (const auto& word : words) {
        list += list.empty() ? "{" : ",";
        list += word;
    }
    return CLI::Validator([](std::string&) { return std::string(); }, list + "}");
}

}  // namespace lazult::tool
