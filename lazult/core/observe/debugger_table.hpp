// SPDX-License-Identifier: BSD-3-Clause
// What a debugger needs to list and unwind units, in a process or a core file, if the library has
// no debug information. tools/gdb finds the table by the name of its symbol. A new field goes to
// the end, and raises the version.
#pragma once

#include <cstdint>

#include "lazult/core/memory/descriptor.hpp"

namespace lazult::core {

struct debugger_table {
    std::uint64_t version;
    // Where descriptors are.
    const descriptor_range* in_order;
    const void* elsewhere;  // the first of a list of chunks
    std::uint64_t chunk_bytes;
    std::uint64_t chunk_next;  // an offset, as are most fields below
    std::uint64_t unit_bytes;
    std::uint64_t unit_home;
    std::uint64_t unit_entry;
    std::uint64_t unit_context;
    std::uint64_t unit_stack;
    std::uint64_t unit_argument;
    std::uint64_t unit_join;
    std::uint64_t unit_header;
    std::uint64_t unit_life;
    std::uint64_t unit_started;
    std::uint64_t worker_current;
    std::uint64_t stack_low;
    std::uint64_t stack_high;
    const arch::saved_registers* registers;
};

}  // namespace lazult::core

extern "C" {
extern const lazult::core::debugger_table lazult_debugger_table [[gnu::visibility("default")]];
}
