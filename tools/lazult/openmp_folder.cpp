// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/openmp_folder.hpp"

#include <filesystem>

#include "tools/lazult/failure.hpp"

namespace lazult::tool {
namespace {

namespace fs = std::filesystem;

// In a build, and in an installation.
constexpr const char* library_folders[] = {"../lib/lazult", "../" LAZULT_LIBRARY_FOLDER "/lazult"};

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

std::string library_path(const std::string& part) {
    std::error_code bad;
    for (const char* from_here : library_folders) {
        const fs::path found =
            (folder_of_this_command() / fs::path(from_here) / part).lexically_normal();
        if (fs::exists(found, bad)) {
            return found.string();
        }
    }
    return {};
}

std::string openmp_folder(const std::string& option) {
    const std::string library = library_path("openmp/libgomp.so.1");
    if (library.empty()) {
        throw usage_error(option, "there is no libgomp.so.1 of ours beside this command",
                          "build or install the OpenMP door");
    }
    return fs::path(library).parent_path().string();
}

}  // namespace lazult::tool
