// SPDX-License-Identifier: BSD-3-Clause
// What `lazult info` prints.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult {

// A row of the table of settings.
struct setting {
    std::string name;
    std::string variable;  // of the environment
    std::string value;
    std::string source;  // default, environment, program
    std::string default_value;
    std::string accepted;
    std::string description;
};

// All are thread-safe and start nothing.
LAZULT_API std::vector<setting> settings();
// Several lines.
LAZULT_API std::string describe_machine();
LAZULT_API std::string version();

struct stack_counts {
    std::uint64_t carved = 0;  // stacks that exist
    std::uint64_t reserved_bytes = 0;
    std::uint64_t guarded_by_madvise = 0;
    std::uint64_t guarded_by_mprotect = 0;
    std::uint64_t guarded_by_canary = 0;
    std::uint64_t unguarded = 0;
};
LAZULT_API stack_counts stacks();
// The guard of stacks that are made from now on: madvise, mprotect, canary or none.
LAZULT_API std::string guard_method();
// Which context switch this library was built with: x86_64, aarch64 or generic.
LAZULT_API std::string context_switch();

}  // namespace lazult
