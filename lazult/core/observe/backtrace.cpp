// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/backtrace.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "lazult/core/memory/stack.hpp"
#include "lazult/core/observe/census.hpp"

namespace lazult::core {
namespace {

// How many bytes unwinding needs below the unit's last frame.
constexpr std::size_t headroom_for_unwinding = std::size_t{12} << 10;

void note(backtrace& into, _Unwind_Context* frame) noexcept {
    auto* const place = reinterpret_cast<void*>(_Unwind_GetIP(frame));
    if (place != nullptr && into.count != backtrace::most) {  // null: the outermost frame's caller
        into.places[into.count++] = place;
    }
}

_Unwind_Reason_Code note_frame(_Unwind_Context* frame, void* into) noexcept {
    note(*static_cast<backtrace*>(into), frame);
    return _URC_NO_REASON;
}

// Only the interrupted frame has an address that is not a return address. The frames that were
// noted before it are the signal handler's, and are dropped.
_Unwind_Reason_Code note_interrupted_frame(_Unwind_Context* frame, void* into) noexcept {
    auto& all = *static_cast<backtrace*>(into);
    int is_before_instruction = 0;
    _Unwind_GetIPInfo(frame, &is_before_instruction);
    if (is_before_instruction != 0) {
        all.count = 0;
    }
    note(all, frame);
    return _URC_NO_REASON;
}

struct visit {
    backtrace* frames;
    arch::context unit;
    arch::context back;
};

// Runs on top of the unit's stack. The unit's saved frame stays as it is.
void unwind_and_go_back(void* argument) noexcept {
    const auto* v = static_cast<const visit*>(argument);
    _Unwind_Backtrace(note_frame, v->frames);
    arch::lazult_jump(v->back, nullptr, nullptr);
}

// Runs unwind_and_go_back() on the unit's stack. The unit is not resumed, and notices nothing.
LAZULT_NOINLINE void go_and_see(visit& v) noexcept {
    arch::lazult_switch(&v.back, v.unit, unwind_and_go_back, &v);
}

const char* why_nothing_to_see(const work_unit& u) noexcept {
    if (!u.has_saved_context() || u.stk == nullptr) {
        return u.has_left() ? "it has not started" : "it is about to give way";
    }
    if (probe::tsan || probe::asan) {
        return "the sanitizer keeps its own account of stacks";
    }
    if (!arch::switches_in_tail_position) {
        return "the portable switch leaves no frame to start from";
    }
    return u.stk->headroom_below(static_cast<const std::byte*>(u.context)) < headroom_for_unwinding
               ? "too little of the stack is left for looking"
               : nullptr;
}

// Drops the frames of this file's function and of the switch.
void drop_first_two(backtrace& frames) noexcept {
    constexpr std::size_t dropped = 2;
    const std::size_t kept = frames.count < dropped ? 0 : frames.count - dropped;
    for (std::size_t i = 0; i != kept; ++i) {
        frames.places[i] = frames.places[i + dropped];
    }
    frames.count = kept;
}

std::string hexadecimal(std::uintptr_t number) {
    std::array<char, 24> text;
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
    return text.data();
}

std::string readable(const char* symbol) {
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(symbol, nullptr, nullptr, &failed), std::free);
    return failed == 0 ? name.get() : symbol;
}

std::uintptr_t distance(const void* from, const void* to) noexcept {
    return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
}

// field     written by       read by          order
// namer     set_unit_namer   quoted_name      release / acquire
constinit std::atomic<unit_namer> namer{nullptr};

}  // namespace

quoted_name::quoted_name(const work_unit& u) noexcept : text{} {
    constexpr std::size_t before = 2;                                // space and quote
    const unit_namer known = namer.load(std::memory_order_acquire);  // pairs with: set_unit_namer()
    if (known == nullptr) {
        return;
    }
    known(u, text + before, most - before - 1);
    if (const std::size_t length = ::strnlen(text + before, most - before - 1); length != 0) {
        std::memcpy(text, " \"", before);
        text[before + length] = '"';
        text[before + length + 1] = '\0';
    }
}

void capture_interrupted(backtrace& into) noexcept {
    into.count = 0;
    _Unwind_Backtrace(note_interrupted_frame, &into);
}

const char* capture_suspended(const work_unit& u, backtrace& into) noexcept {
    into.count = 0;
    if (const char* reason = why_nothing_to_see(u); reason != nullptr) {
        return reason;
    }
    visit v{&into, u.context, nullptr};
    go_and_see(v);
    drop_first_two(into);
    return nullptr;
}

std::string describe_place(const void* place, bool is_return_address) {
    // Looks up the call, and not the address behind it, which may be in another function.
    const void* at = static_cast<const char*>(place) - (is_return_address ? 1 : 0);
    Dl_info found{};
    if (::dladdr(at, &found) == 0 || found.dli_fname == nullptr) {
        return hexadecimal(reinterpret_cast<std::uintptr_t>(place));
    }
    std::string file = found.dli_fname + ("+" + hexadecimal(distance(found.dli_fbase, at)));
    if (found.dli_sname == nullptr) {
        return file;
    }
    return readable(found.dli_sname) + "+" + hexadecimal(distance(found.dli_saddr, at)) + " (" +
           file + ")";
}

std::string describe_function(const void* entry) {
    Dl_info found{};
    if (::dladdr(entry, &found) == 0 || found.dli_fname == nullptr) {
        return hexadecimal(reinterpret_cast<std::uintptr_t>(entry));
    }
    const std::string file =
        found.dli_fname + ("+" + hexadecimal(distance(found.dli_fbase, entry)));
    const bool is_named = found.dli_sname != nullptr && found.dli_saddr == entry;
    return is_named ? readable(found.dli_sname) + " (" + file + ")" : file;
}

std::string describe_local_function(const void* entry) {
    std::string usual = describe_function(entry);
    if (usual.ends_with(')')) {
        return usual;  // it has the name
    }
    const std::string name = os::local_function_name(entry);
    return name.empty() ? usual : readable(name.c_str()) + " (" + usual + ")";
}

void append_lines(std::string& text, const backtrace& frames, const char* indent) {
    for (std::size_t i = 0; i != frames.count; ++i) {
        text += indent;
        text += "#" + std::to_string(i) + " " + describe_place(frames.places[i], i != 0) + "\n";
    }
}

std::string describe_unit(const work_unit& u) {
    const bool is_tasklet = u.has(flag_tasklet) && u.header.plan == technique::run_to_completion;
    return (is_tasklet ? "tasklet " : "ULT ") + std::to_string(number_of(u)) + quoted_name(u).text +
           " (" + std::string(base::name(static_cast<base::technique_kind>(u.header.plan))) +
           ", entry " + describe_function(reinterpret_cast<const void*>(u.entry)) + ")";
}

void set_unit_namer(unit_namer known) noexcept {
    // written once only, because streams share its line
    if (namer.load(std::memory_order_relaxed) != known) {
        namer.store(known, std::memory_order_release);  // pairs with: quoted_name, load of namer
    }
}

}  // namespace lazult::core
