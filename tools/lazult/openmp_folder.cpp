// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/openmp_folder.hpp"

#include <filesystem>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* openmp_folders[] = {"../lib/lazult/openmp",
                                          "../" LAZULT_LIBRARY_FOLDER "/lazult/openmp"};

}  // namespace

std::string folder_of_this_command() {
    std::error_code bad;
    return fs::read_symlink("/proc/self/exe", bad).parent_path().string();
}

std::string libexec_path(const std::string& part) {
    std::error_code bad;
    const fs::path found = (folder_of_this_command() / fs::path("../" LAZULT_LIBEXEC_FOLDER) / part)
                               .lexically_normal();
    return fs::exists(found, bad) ? found.string() : std::string();
}

std::string openmp_folder(const std::string& option) {
    std::error_code bad;
    for (const char* from_here : openmp_folders) {
        const fs::path folder = (folder_of_this_command() / fs::path(from_here)).lexically_normal();
        if (fs::exists(folder / "libgomp.so.1", bad)) {
            return folder.string();
        }
    }
    throw usage_error(option, "there is no libgomp.so.1 of ours beside this command",
                      "build or install the OpenMP door");
}

}  // namespace lazult::tool
