// SPDX-License-Identifier: BSD-3-Clause
// The OpenMP runtimes that are compared, and how one program runs over each.
#pragma once

#include <string>
#include <vector>

#include "tools/lazult/child_process.hpp"

namespace lazult::tool {

// A program over a runtime.
struct contender {
    std::string name;
    std::string program;
    std::string library_folder;  // for LD_LIBRARY_PATH
    std::string library;         // the file that must be loaded from there
};

// Whether threads that wait keep their processors: as the runtime likes it, or not at all.
enum class wait_policy : std::uint8_t { standard, passive };
constexpr const char* name(wait_policy policy) noexcept {
    return policy == wait_policy::passive ? "passive" : "default";
}

// Folders in which a runtime stands under the name that a program asks for. Gone with the object.
class link_folders {
public:
    link_folders();
    ~link_folders();
    link_folders(const link_folders&) = delete;
    link_folders& operator=(const link_folders&) = delete;
    // Returns the folder.
    std::string add(const std::string& contender_name, const std::string& link,
                    const std::string& file);

private:
    std::string root_;
};

// Ours is the first. `peers`: NAME=FILE, where FILE is a libgomp.so or a libomp.so; the latter runs
// under clang's program, if there is one, and, as NAME-gcc, under gcc's. Throws usage_error, and
// failure where another library than wanted is loaded.
std::vector<contender> contenders(const std::vector<std::string>& peers, link_folders& links);

command_line command_for(const contender& who, wait_policy policy, unsigned threads,
                         std::vector<std::string> arguments);
// What it printed. Throws failure.
std::string output_of(const contender& who, const command_line& command);

}  // namespace lazult::tool
