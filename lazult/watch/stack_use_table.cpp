// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/stack_use_table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <new>
#include <string>
#include <vector>

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

using core::stack_use;

std::string name_of(const stack_use& use) {
    return core::describe_local_function(reinterpret_cast<const void*>(use.entry));
}

void print_table(std::FILE* file, const std::vector<stack_use>& uses) {
    std::fprintf(file,
                 "lazult: stacks of process %d, in bytes, of the ULTs that ended\n"
                 "%10s %10s %10s %10s %10s  %s\n",
                 static_cast<int>(::getpid()), "ULTs", "deepest", "median", "had", "would do",
                 "entry function");
    std::size_t deepest = 0;
    for (const stack_use& use : uses) {
        std::fprintf(file, "%10" PRIu64 " %10zu %10zu %10zu %10zu  %s\n", use.units, use.deepest,
                     use.median, use.stack_bytes, core::enough_stack(use.deepest),
                     name_of(use).c_str());
        deepest = std::max(deepest, use.deepest);
    }
    if (uses.empty()) {
        std::fputs("no ULT has ended\n", file);
        return;
    }
    std::fprintf(file,
                 "A stack of %zu bytes would do for all. That is the deepest use, a quarter more "
                 "(at least 4096 bytes), and the part of a stack that is the library's.\n",
                 core::enough_stack(deepest));
}

// Quotes a text. Names of functions have no control characters, but a file's name may have.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return result + '"';
}

void print_json(std::FILE* file, const std::vector<stack_use>& uses) {
    std::fprintf(file, "{\"process\": %d,\n \"uncounted\": %" PRIu64 ",\n \"functions\": [",
                 static_cast<int>(::getpid()), core::uncounted_stack_uses());
    for (const stack_use& use : uses) {
        std::fprintf(file,
                     "%s\n  {\"entry\": %s, \"ults\": %" PRIu64
                     ", \"deepest\": %zu, \"median\": %zu, \"stack_size\": %zu, \"enough\": %zu}",
                     &use == uses.data() ? "" : ",", quoted(name_of(use)).c_str(), use.units,
                     use.deepest, use.median, use.stack_bytes, core::enough_stack(use.deepest));
    }
    std::fputs("]}\n", file);
}

}  // namespace

void write_stack_use(std::FILE* file, bool as_json) noexcept {
    try {
        const std::vector<stack_use> uses = core::stack_uses();
        as_json ? print_json(file, uses) : print_table(file, uses);
        if (const std::uint64_t lost = core::uncounted_stack_uses(); lost != 0) {
            base::warn("LAZULT_STACK_USE: there was no memory to count " + std::to_string(lost) +
                       " ULTs");
        }
    } catch (const std::bad_alloc&) {
        base::warn("LAZULT_STACK_USE: there is no memory to write the figures");
    }
}

}  // namespace lazult::watch
