// SPDX-License-Identifier: BSD-3-Clause
// The microkernel of `lazult bench concert`, in each version of the runtime by turns.
#pragma once

#include <string>
#include <vector>

namespace lazult::tool {

struct kernel_turns {
    std::vector<std::string> versions;  // base, stack, pull, stack+pull; or all
    unsigned repetitions;
};

// Runs the command so often with each version, and prints medians. Throws failure, also where the
// versions have not done the same work.
void run_kernel_versions(const std::vector<std::string>& command, const kernel_turns& turns,
                         const std::string& json_file);

}  // namespace lazult::tool
