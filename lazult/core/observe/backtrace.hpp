// SPDX-License-Identifier: BSD-3-Clause
// The functions in which a thread stands, and their names.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "lazult/core/unit/work_unit.hpp"

namespace lazult::core {

// Innermost first. All but the first are where their callees return to.
struct backtrace {
    static constexpr std::size_t most = 64;

    std::array<void*, most> places{};
    std::size_t count = 0;
};

// Of the thread that a signal handler has interrupted, by the handler: async-signal-safe, as the
// unwinder takes no lock and no memory (libgcc 12 and glibc 2.35 on).
void capture_interrupted(backtrace& into) noexcept;

// Of a suspended unit, which nobody resumes meanwhile: the caller's OS thread stands on its stack
// for a moment. The caller may be a unit itself, for nothing suspends meanwhile. Returns nullptr,
// or why there is nothing to see.
const char* capture_suspended(const work_unit& u, backtrace& into) noexcept;

// "spin(int)+0x1c (./program+0x11f4)": the function, and the file with what `addr2line -e` wants.
// Without a symbol that the dynamic linker knows, the file alone. Throw std::bad_alloc.
std::string describe_place(const void* place, bool is_return_address);
std::string describe_function(const void* entry);
// A line to a frame.
void append_lines(std::string& text, const backtrace& frames, const char* indent);

// "ULT 7 (lazy_stack, entry worker(void*) (./program+0x1180))".
std::string describe_unit(const work_unit& u);

// A higher floor knows names of units: it may tell them here, for the process's life. It writes the
// name, which is empty where there is none, with its end and at most `size` characters; in a signal
// handler, too.
using unit_namer = void (*)(const work_unit& u, char* into, std::size_t size) noexcept;
void set_unit_namer(unit_namer namer) noexcept;

// As it is quoted in reports: " \"worker\"", or nothing. Async-signal-safe.
struct quoted_name {
    static constexpr std::size_t most = 40;
    char text[most];
    explicit quoted_name(const work_unit& u) noexcept;
};

}  // namespace lazult::core
