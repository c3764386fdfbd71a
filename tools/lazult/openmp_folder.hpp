// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace lazult::tool {

// Where this command stands, in the build or in an installation.
std::string folder_of_this_command();
// Where a program stands that this command starts: PART below libexec/lazult. Empty if nothing is
// there.
std::string libexec_path(const std::string& part);
// Where a library of ours stands: PART below lib/lazult. Empty if nothing is there.
std::string library_path(const std::string& part);
// Where our libgomp.so.1 stands beside it. Throws usage_error, which names the option that needs
// it.
std::string openmp_folder(const std::string& option);

}  // namespace lazult::tool
