// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace lazult::os {

// Returns the linker's name of the function that begins at `entry`, from the symbol table of the
// file that the function was loaded from. That table also has the functions that the dynamic linker
// does not know, such as static ones. Returns "" if the file was stripped, or cannot be read. Reads
// through the whole table. Throws std::bad_alloc.
std::string local_function_name(const void* entry);

}  // namespace lazult::os
