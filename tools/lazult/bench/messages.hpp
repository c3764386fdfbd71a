// SPDX-License-Identifier: BSD-3-Clause
// lazult bench messages: starts a program of its own on several ranks, as messages need MPI and
// this command does not.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace lazult::tool {

struct messages_options {
    std::string mpi;  // empty: the first that was built
    unsigned ranks = 4;
    unsigned rounds = 200;
    unsigned iterations = 2000;
    std::string tiers = "auto";
};

void declare_messages(CLI::App& bench, messages_options& options);
// Replaces this process. Throws usage_error, failure.
[[noreturn]] void run_messages(const messages_options& options, const std::string& json_file);

}  // namespace lazult::tool
