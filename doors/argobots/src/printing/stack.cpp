// SPDX-License-Identifier: BSD-3-Clause
#include "printing/stack.hpp"

#include <dlfcn.h>

#include "pools/pool_user.hpp"
#include "printing/objects.hpp"
#include "settings/environment.hpp"

namespace lazult::abt {
namespace {

void print_frame(std::FILE* to, std::size_t number, void* address) noexcept {
    Dl_info found{};
    if (dladdr(address, &found) == 0) {
        std::fprintf(to, "  #%zu %p\n", number, address);
        return;
    }
    const char* name = found.dli_sname == nullptr ? "?" : found.dli_sname;
    const char* object = found.dli_fname == nullptr ? "?" : found.dli_fname;
    const auto offset = static_cast<std::size_t>(
        static_cast<char*>(address) -
        static_cast<char*>(found.dli_sname == nullptr ? found.dli_fbase : found.dli_saddr));
    std::fprintf(to, "  #%zu %p %s+%zu (%s)\n", number, address, name, offset, object);
}

void print_functions(std::FILE* to, const work_unit& u) noexcept {
    core::backtrace frames;
    if (const char* reason = core::capture_suspended(u, frames); reason != nullptr) {
        std::fprintf(to, "  no functions to show: %s\n", reason);
        return;
    }
    for (std::size_t i = 0; i != frames.count; ++i) {
        print_frame(to, i, frames.places[i]);
    }
}

void print_raw(std::FILE* to, const work_unit& u) noexcept {
    constexpr std::size_t words_per_line = 4;
    const auto* at = static_cast<const std::uint64_t*>(u.context);
    const auto* end = reinterpret_cast<const std::uint64_t*>(u.stk->high);
    for (; at + words_per_line <= end; at += words_per_line) {
        std::fprintf(to, "  %p: %016llx %016llx %016llx %016llx\n", static_cast<const void*>(at),
                     static_cast<unsigned long long>(at[0]), static_cast<unsigned long long>(at[1]),
                     static_cast<unsigned long long>(at[2]),
                     static_cast<unsigned long long>(at[3]));
    }
}

const char* why_not(const work_unit& u) noexcept {
    if (u.state() == core::life_state::running) {
        return "it runs";
    }
    if (u.state() == core::life_state::finished) {
        return "it has ended";
    }
    return !u.has_saved_context() || u.stk == nullptr ? "it has not started" : nullptr;
}

}  // namespace

void print_stack(std::FILE* to, work_unit& u) noexcept {
    print_unit(to, u, 0);
    if (const char* reason = why_not(u); reason != nullptr) {
        std::fprintf(to, "  no stack to show: %s\n", reason);
        return;
    }
    std::fprintf(to, "  stack from %p to %p, its end now at %p\n", static_cast<void*>(u.stk->low),
                 static_cast<void*>(u.stk->high), u.context);
    print_functions(to, u);
    if (current_environment().print_raw_stack) {
        print_raw(to, u);
    }
}

bool print_stacks_in(std::FILE* to, sched::ready_pool& p) noexcept {
    std::fprintf(to, "units in pool %p\n", static_cast<void*>(&p));
    if (part_of(p).is_users && as_user_pool(p).functions().print_all == nullptr) {
        return false;
    }
    p.for_each(
        [](work_unit* u, void* file) {
            if (has_bit(*u, abt_unit)) {
                print_stack(static_cast<std::FILE*>(file), *u);
            }
        },
        to);
    return true;
}

}  // namespace lazult::abt
