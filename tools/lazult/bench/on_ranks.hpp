// SPDX-License-Identifier: BSD-3-Clause
// Programs of benchmarks that are there once for each MPI.
#pragma once

#include <string>
#include <vector>

namespace lazult::tool {

// The MPI that the user named, or the first that was built. Throws usage_error, failure.
std::string chosen_mpi(const std::string& wanted, const std::string& benchmark);
// The path of a program in libexec/lazult/concert/<mpi>. Throws failure, which names the target
// that builds it.
std::string program_on_ranks(const std::string& mpi, const std::string& program,
                             const std::string& benchmark, const std::string& target);
// Replaces this process. Throws failure.
[[noreturn]] void execute(const std::vector<std::string>& command);

}  // namespace lazult::tool
