// SPDX-License-Identifier: BSD-3-Clause
// Which MPI a program was linked with, and where our library for that one is.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lazult::tool {

// "openmpi", "mpich", or "" for a program that names neither among the libraries it needs.
// `program` as in a shell: searched in PATH when it has no slash.
std::string mpi_family_of(const std::string& program);

// The families for which there is a library of ours beside this command, and the folder of one.
// Empty when there is none.
std::vector<std::string> mpi_families();
std::filesystem::path mpi_folder(const std::string& family);

// Preloads it into the program that is executed next. `family` may be empty: then the program
// tells. Throws usage_error.
void export_mpi(const std::string& program, const std::string& family);

}  // namespace lazult::tool
