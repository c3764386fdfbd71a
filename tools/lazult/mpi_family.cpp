// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/mpi_family.hpp"

#include <cstdlib>

#include "tools/lazult/elf_file.hpp"
#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

constexpr const char* families[] = {"openmpi", "mpich"};
constexpr const char* library_name = "liblazult-mpi.so." LAZULT_SOVERSION;

// MPICH's own name for its library is libmpi.so.12, which Debian calls libmpich.so.12; Open MPI's
// numbers begin at 20.
std::string family_of_library(const std::string& name) {
    if (name.starts_with("libmpich") || name.starts_with("libmpi.so.12") ||
        name.starts_with("libmpifort.so.12")) {
        return "mpich";
    }
    return name.starts_with("libmpi.so.") || name.starts_with("libmpi_") ? "openmpi" : "";
}

}  // namespace

std::string mpi_family_of(const std::string& program) {
    for (const std::string& name : elf_file(find_program(program)).needed()) {
        if (const std::string family = family_of_library(name); !family.empty()) {
            return family;
        }
    }
    return {};
}

std::filesystem::path mpi_folder(const std::string& family) {
    std::error_code bad;
    const std::filesystem::path here =
        std::filesystem::read_symlink("/proc/self/exe", bad).parent_path();
    for (const char* libraries : {"../lib", "../" LAZULT_LIBRARY_FOLDER}) {
        const std::filesystem::path folder =
            (here / libraries / "lazult" / "mpi" / family).lexically_normal();
        if (std::filesystem::exists(folder / library_name, bad)) {
            return folder;
        }
    }
    return {};
}

std::vector<std::string> mpi_families() {
    std::vector<std::string> found;
    for (const char* family : families) {
        if (!mpi_folder(family).empty()) {
            found.emplace_back(family);
        }
    }
    return found;
}

void export_mpi(const std::string& program, const std::string& family) {
    const std::string chosen = family.empty() ? mpi_family_of(program) : family;
    if (chosen.empty()) {
        throw usage_error(
            "option --mpi", "\"" + program + "\" is not linked with Open MPI or MPICH",
            "give --mpi-family openmpi or mpich, or write `mpirun ... lazult run --mpi -- PROGRAM` "
            "if this is a launcher");
    }
    const std::filesystem::path folder = mpi_folder(chosen);
    if (folder.empty()) {
        throw usage_error(
            "option --mpi",
            "there is no " + std::string(library_name) + " for " + chosen + " beside this command",
            "build or install the MPI door with that MPI's compiler wrapper");
    }
    const std::string library = (folder / library_name).string();
    put_first("LD_PRELOAD", library);
}

}  // namespace lazult::tool
