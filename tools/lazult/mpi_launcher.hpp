// SPDX-License-Identifier: BSD-3-Clause
// How programs of each MPI that this was built for are started on this machine.
#pragma once

#include <string>
#include <vector>

namespace lazult::tool {

// In the order in which the build found them.
std::vector<std::string> mpis_with_launcher();

// The words of its launcher, to which the number of ranks and the program are appended. Throws
// usage_error, which names the option or benchmark that needs it.
std::vector<std::string> mpi_launcher(const std::string& family, const std::string& needed_by);

}  // namespace lazult::tool
