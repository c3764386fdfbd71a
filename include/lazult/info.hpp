// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What `lazult info` prints.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult {

/// A row of the table of settings.
struct setting {
    std::string name;           ///< as lazult::options calls it
    std::string variable;       ///< of the environment
    std::string value;          ///< in force now
    std::string source;         ///< default, environment, program
    std::string default_value;  ///< in the text of `value`
    std::string accepted;       ///< the range or the choices, for people
    std::string description;    ///< what it does
};

/// All are thread-safe and start nothing.
LAZULT_API std::vector<setting> settings();
/// Several lines.
LAZULT_API std::string describe_machine();
/// Of this library: MAJOR.MINOR.PATCH.
LAZULT_API std::string version();

/// How many stacks there are, and what guards them.
struct stack_counts {
    std::uint64_t carved = 0;  ///< stacks that exist
    /// of address space; what was never touched has no memory
    std::uint64_t reserved_bytes = 0;
    std::uint64_t guarded_by_madvise = 0;   ///< by MADV_GUARD_INSTALL, without a mapping of its own
    std::uint64_t guarded_by_mprotect = 0;  ///< by a page that cannot be touched
    std::uint64_t guarded_by_canary = 0;    ///< by a pattern that is looked at when the ULT ends
    std::uint64_t unguarded = 0;            ///< by nothing
};
/// Thread-safe; the numbers are of about the same moment. Starts nothing.
LAZULT_API stack_counts stacks();
/// The guard of stacks that are made from now on: madvise, mprotect, canary or none.
LAZULT_API std::string guard_method();
/// Which context switch this library was built with: x86_64, aarch64 or generic.
LAZULT_API std::string context_switch();

}  // namespace lazult
