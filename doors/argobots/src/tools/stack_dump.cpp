// SPDX-License-Identifier: BSD-3-Clause
#include "tools/stack_dump.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <array>

#include "runtime/environment.hpp"
#include "tools/info_print.hpp"

namespace lazult::abt {
namespace {

// What a look at a stack needs below its last frame.
constexpr std::size_t room_for_unwinding = std::size_t{12} << 10;

// Of the functions of a suspended unit, innermost first.
struct call_chain {
    static constexpr std::size_t most = 64;

    std::array<void*, most> places{};
    std::size_t count = 0;
    std::size_t skipped = 0;

    arch::context unit = nullptr;
    arch::context back = nullptr;
};

_Unwind_Reason_Code note_frame(_Unwind_Context* frame, void* chain) noexcept {
    auto* c = static_cast<call_chain*>(chain);
    if (c->count == call_chain::most) {
        return _URC_END_OF_STACK;
    }
    c->places[c->count++] = reinterpret_cast<void*>(_Unwind_GetIP(frame));
    return _URC_NO_REASON;
}

// Runs on top of the unit's stack, whose saved frame it leaves as it is.
void unwind_and_go_back(void* chain) noexcept {
    auto* c = static_cast<call_chain*>(chain);
    _Unwind_Backtrace(note_frame, c);
    arch::lazult_jump(c->back, nullptr, nullptr);
}

// The flow leaves this stack for the unit's for a moment. No unit notices: the unit is not resumed.
LAZULT_NOINLINE void unwind(call_chain& c) noexcept {
    arch::lazult_switch(&c.back, c.unit, unwind_and_go_back, &c);
}

// nullptr when they can be shown.
const char* why_no_functions(const work_unit& u) noexcept {
    if (probe::tsan || probe::asan) {
        return "the sanitizer keeps its own account of stacks";
    }
    if (!arch::switches_in_tail_position) {
        return "the portable switch leaves no frame to start from";
    }
    return u.stk->room_below(static_cast<const std::byte*>(u.context)) < room_for_unwinding
               ? "too little of the stack is left for looking"
               : nullptr;
}

void print_frame(std::FILE* to, std::size_t number, void* place) noexcept {
    Dl_info found{};
    if (dladdr(place, &found) == 0) {
        std::fprintf(to, "  #%zu %p\n", number, place);
        return;
    }
    const char* name = found.dli_sname == nullptr ? "?" : found.dli_sname;
    const char* object = found.dli_fname == nullptr ? "?" : found.dli_fname;
    const auto offset = static_cast<std::size_t>(
        static_cast<char*>(place) -
        static_cast<char*>(found.dli_sname == nullptr ? found.dli_fbase : found.dli_saddr));
    std::fprintf(to, "  #%zu %p %s+%zu (%s)\n", number, place, name, offset, object);
}

// The first two are this file's and the switch's.
void print_frames(std::FILE* to, work_unit& u) noexcept {
    call_chain c;
    c.unit = u.context;
    unwind(c);
    for (std::size_t i = 2; i < c.count; ++i) {
        print_frame(to, i - 2, c.places[i]);
    }
}

void print_raw(std::FILE* to, const work_unit& u) noexcept {
    constexpr std::size_t words_per_line = 4;
    const auto* at = static_cast<const std::uint64_t*>(u.context);
    const auto* end = reinterpret_cast<const std::uint64_t*>(u.stk->high);
    for (; at + words_per_line <= end; at += words_per_line) {
        std::fprintf(to, "  %p: %016llx %016llx %016llx %016llx\n", static_cast<const void*>(at),
                     static_cast<unsigned long long>(at[0]), static_cast<unsigned long long>(at[1]),
                     static_cast<unsigned long long>(at[2]), static_cast<unsigned long long>(at[3]));
    }
}

const char* why_not(const work_unit& u) noexcept {
    if (u.state() == core::life_state::running) {
        return "it runs";
    }
    if (u.state() == core::life_state::finished) {
        return "it has ended";
    }
    return u.context == nullptr || u.stk == nullptr ? "it has not started" : nullptr;
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
    if (const char* reason = why_no_functions(u); reason != nullptr) {
        std::fprintf(to, "  no functions to show: %s\n", reason);
    } else {
        print_frames(to, u);
    }
    if (current_environment().print_raw_stack) {
        print_raw(to, u);
    }
}

}  // namespace lazult::abt

namespace {

using namespace lazult::abt;

void print_each(void* to, ABT_thread thread) {
    if (work_unit* u = checked_thread(thread); u != nullptr) {
        print_stack(static_cast<std::FILE*>(to), *u);
    }
}

}  // namespace

extern "C" {

int ABT_info_print_thread_stack(FILE* fp, ABT_thread thread) {
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    print_stack(fp, *u);
    std::fflush(fp);
    return ABT_SUCCESS;
}

int ABT_info_print_thread_stacks_in_pool(FILE* fp, ABT_pool pool) {
    ABT_GIVE_UP_UNLESS(checked_pool(pool) != nullptr, ABT_ERR_INV_POOL);
    std::fprintf(fp, "units in pool %p\n", static_cast<void*>(pool));
    const int outcome = ABT_pool_print_all_threads(pool, fp, print_each);
    std::fflush(fp);
    return outcome;
}

}  // extern "C"
