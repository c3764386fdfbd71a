// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Information about the library and the machine, which `lazult info` prints.
#pragma once

#include <lazult/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult {

/// A row of the table of settings.
struct setting {
    std::string name;           ///< its name in lazult::options
    std::string variable;       ///< its environment variable
    std::string value;          ///< the value in force now
    std::string source;         ///< where the value comes from: default, environment, program
    std::string default_value;  ///< written as `value` is
    std::string accepted;       ///< the range or the choices, as text for people
    std::string description;    ///< what the setting does
};

/// Returns all settings. Thread-safe, as are the functions below; none of them starts the runtime.
LAZULT_API std::vector<setting> settings();
/// Returns several lines about processors and NUMA nodes.
LAZULT_API std::string describe_machine();
/// Returns the version of this library: MAJOR.MINOR.PATCH.
LAZULT_API std::string version();

/// How many stacks there are, and what guards them.
struct stack_counts {
    std::uint64_t carved = 0;  ///< stacks that exist
    /// bytes of address space; stacks that were never used take no memory
    std::uint64_t reserved_bytes = 0;
    std::uint64_t guarded_by_madvise = 0;   ///< by MADV_GUARD_INSTALL, without a mapping of its own
    std::uint64_t guarded_by_mprotect = 0;  ///< by a page without access rights
    std::uint64_t guarded_by_canary = 0;    ///< by a pattern that is checked when the ULT ends
    std::uint64_t unguarded = 0;            ///< not guarded
};
/// Returns numbers of about the same moment. Thread-safe. Does not start the runtime.
LAZULT_API stack_counts stacks();
/// Returns the guard of stacks that are made from now on: madvise, mprotect, canary or none.
LAZULT_API std::string guard_method();
/// Returns the context switch of this library: "x86-64 assembly", "AArch64 assembly" or "generic
/// (ucontext)".
LAZULT_API std::string context_switch();

}  // namespace lazult
