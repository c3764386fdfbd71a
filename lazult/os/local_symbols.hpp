// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace lazult::os {

// Returns the linker's name of the function that begins at `entry`, from the symbol table of the
// file that the function was loaded from. That table also has the functions that the dynamic linker
// does not know, such as static ones. Returns "" if the file was stripped, or cannot be read. Reads
// through the whole table. Throws std::bad_alloc.
std::string local_function_name(const void* entry);

// Returns the linker's name of the thread_local variable that has the byte `offset` of the file's
// thread-local storage, and sets `begin` to the variable's own offset. An empty path means the
// program. Returns "" if the file has no such symbol, or cannot be read. Throws std::bad_alloc.
std::string thread_local_name(const char* path, std::uint64_t offset, std::uint64_t& begin);

}  // namespace lazult::os
