// SPDX-License-Identifier: BSD-3-Clause
// Backtraces of threads and units, and the names of the functions in them.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// Places in the code, innermost first. All but the first are return addresses.
struct backtrace {
    static constexpr std::size_t most = 64;

    std::array<void*, most> places{};
    std::size_t count = 0;
};

// Captures the thread that a signal handler has interrupted. Called by that handler:
// async-signal-safe, because the unwinder takes no lock and no memory (libgcc 12 and glibc 2.35
// on).
void capture_interrupted(backtrace& into) noexcept;

// Captures a suspended unit, which no thread may resume meanwhile: the caller's OS thread stands on
// the unit's stack for a moment. The caller may be a unit itself, because nothing suspends
// meanwhile. Returns nullptr, or the reason why there is nothing to see.
const char* capture_suspended(const work_unit& u, backtrace& into) noexcept;

// Describes a place as "spin(int)+0x1c (./program+0x11f4)": the function, and the file with what
// `addr2line -e` wants. Without a symbol that the dynamic linker knows, it is the file alone. These
// functions may throw std::bad_alloc.
std::string describe_place(const void* place, bool is_return_address);
std::string describe_function(const void* entry);
// describe_function() that also looks into the function's file for its name. That may take
// milliseconds.
std::string describe_local_function(const void* entry);
// Appends a line for each frame.
void append_lines(std::string& text, const backtrace& frames, const char* indent);

// Describes a unit as "ULT 7 (lazy_stack, entry worker(void*) (./program+0x1180))".
std::string describe_unit(const work_unit& u);

// Sets the function, of a higher floor, that knows names of units, for the process's life. It
// writes the unit's name, and its end, into at most `size` characters; the name is empty if there
// is none. It may be called in a signal handler.
using unit_namer = void (*)(const work_unit& u, char* into, std::size_t size) noexcept;
void set_unit_namer(unit_namer namer) noexcept;

// A unit's name as reports quote it: " \"worker\"", or nothing. Async-signal-safe.
struct quoted_name {
    static constexpr std::size_t most = 40;
    char text[most];
    explicit quoted_name(const work_unit& u) noexcept;
};

}  // namespace lazult::core
