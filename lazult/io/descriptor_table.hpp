// SPDX-License-Identifier: BSD-3-Clause
// Numbers by which a debugger finds the descriptor to which a queue of waiters belongs. tools/gdb
// finds the table by the name of its symbol. In the process, find_queue() does the same search. Add
// new fields at the end, and raise the version.
#pragma once

#include <cstdint>

namespace lazult::io::inner {

struct descriptor_table {
    std::uint64_t version;
    // The address and number of the pointers to chunks; a chunk begins with its records.
    const void* chunks;
    std::uint64_t chunk_count;
    std::uint64_t chunk_records;
    // Of a record: its size, and the offset of the queue of those that wait to read.
    std::uint64_t record_bytes;
    std::uint64_t record_in;
};

}  // namespace lazult::io::inner

extern "C" {
extern const lazult::io::inner::descriptor_table lazult_descriptor_table
    [[gnu::visibility("default")]];
}
