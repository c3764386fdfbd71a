// SPDX-License-Identifier: BSD-3-Clause
// The portable implementation of context.hpp, over <ucontext.h>. It is slow, because swapcontext
// saves the signal mask by a system call. It behaves like the assembly, so one test suite runs on
// both, and a port to a new architecture can start with it.
#include <ucontext.h>

#include <cfenv>

#include "lazult/arch/cpu.hpp"
#include "lazult/arch/saved_registers.hpp"

namespace lazult::arch {
namespace {

// What the thread of control that gains control must do first. The one that gives control up sets
// it; both run on the same OS thread.
struct hand_over {
    entry_function after = nullptr;
    void* argument = nullptr;
    std::byte* top = nullptr;
    const entry_record* what = nullptr;
    entry_function entry = nullptr;
    void* self = nullptr;
    bool resets = true;  // whether to reset the control words
};

int default_rounding = FE_TONEAREST;
std::uint32_t default_words = control_words();

// Not inlined and opaque, because the caller may be on another OS thread after each switch.
[[gnu::noinline]] hand_over& pending() noexcept {
    thread_local hand_over value;
    asm volatile("" ::: "memory");
    return value;
}

void run_after() noexcept {
    const hand_over now = pending();
    pending().after = nullptr;
    if (now.after != nullptr) {
        now.after(now.argument);
    }
}

// Stands at the top of a called stack. `end`: what runs instead of a return to the caller, or null.
struct call_area {
    ucontext_t* caller;
    const entry_record* end;
};
static_assert(sizeof(call_area) <= entry_area);

call_area& area_of(std::byte* top) noexcept {
    return *reinterpret_cast<call_area*>(top - sizeof(call_area));
}

[[noreturn]] void depart(const departure& end, entry_function left) noexcept {
    lazult_jump(end.to, end.argument == nullptr ? nullptr : left, end.argument);
}

void started() noexcept {
    const hand_over now = pending();
    if (now.resets) {
        lazult_reset_control_words();
    }
    run_after();
    depart(now.what->entry(now.self), now.what->left);
}

void called() noexcept {
    const hand_over now = pending();
    now.entry(now.self);
    const call_area area = area_of(now.top);
    if (area.end != nullptr) {
        depart(area.end->entry(nullptr), area.end->left);
    }
    setcontext(area.caller);
    __builtin_trap();
}

// Makes a context that runs `function` on the stack `top`. glibc computes the first stack pointer
// from ss_sp + ss_size alone, so it is enough to describe the uppermost bytes of the stack.
void prepare(ucontext_t& fresh, std::byte* top, void (*function)()) noexcept {
    constexpr std::size_t window = 2048;
    getcontext(&fresh);
    fresh.uc_link = nullptr;
    fresh.uc_stack.ss_sp = top - window;
    fresh.uc_stack.ss_size = window - entry_area;
    makecontext(&fresh, function, 0);
}

void swap(ucontext_t& self, context* save, ucontext_t* to) noexcept {
    *save = &self;
    swapcontext(&self, to);
    run_after();
}

void call(context* save, std::byte* top, entry_function entry, void* self) noexcept {
    ucontext_t caller;
    ucontext_t fresh;
    prepare(fresh, top, called);
    area_of(top) = {&caller, nullptr};
    pending() = {nullptr, nullptr, top, nullptr, entry, self};
    swap(caller, save, &fresh);
}

}  // namespace

constexpr saved_registers registers_kept{nullptr, 0, 0, ""};

const char* context_implementation() noexcept { return "generic (ucontext)"; }

extern "C" {

void lazult_switch(context* save, context to, entry_function after, void* argument,
                   const entry_record* fresh, void* unit) noexcept {
    if (fresh != nullptr) {
        lazult_start(save, static_cast<std::byte*>(to), fresh, unit, after, argument);
        return;
    }
    ucontext_t self;
    pending() = {after, argument, nullptr, nullptr, nullptr, nullptr};
    swap(self, save, static_cast<ucontext_t*>(to));
}

void lazult_switch_to_host(context* save, context to, entry_function after,
                           void* argument) noexcept {
    lazult_switch(save, to, after, argument, nullptr, nullptr);
}

void lazult_switch_from_host(context* save, context to, entry_function after,
                             void* argument) noexcept {
    lazult_switch(save, to, after, argument, nullptr, nullptr);
}

void lazult_jump(context to, entry_function after, void* argument) noexcept {
    pending() = {after, argument, nullptr, nullptr, nullptr, nullptr};
    setcontext(static_cast<ucontext_t*>(to));
    __builtin_trap();
}

void lazult_start(context* save, std::byte* top, const entry_record* what, void* self,
                  entry_function after, void* argument) noexcept {
    ucontext_t caller;
    ucontext_t fresh;
    prepare(fresh, top, started);
    pending() = {after, argument, top, what, nullptr, self};
    swap(caller, save, &fresh);
}

void lazult_start_from_host(context* save, std::byte* top, const entry_record* what,
                            void* self) noexcept {
    lazult_start(save, top, what, self, nullptr, nullptr);
}

void lazult_start_over(std::byte* top, const entry_record* what, void* self, entry_function after,
                       void* argument) noexcept {
    ucontext_t fresh;
    prepare(fresh, top, started);
    pending() = {after, argument, top, what, nullptr, self, false};
    setcontext(&fresh);
    __builtin_trap();
}

void lazult_call_saved(context* save, std::byte* top, entry_function entry, void* self) noexcept {
    call(save, top, entry, self);
}

void lazult_call_saved_from_host(context* save, std::byte* top, entry_function entry,
                                 void* self) noexcept {
    call(save, top, entry, self);
}

void lazult_call_on(std::byte* top, entry_function entry, void* self) noexcept {
    context discarded;
    call(&discarded, top, entry, self);
}

void lazult_redirect_return(std::byte* top, const entry_record* end) noexcept {
    area_of(top).end = end;
}

void lazult_adopt_control_words() noexcept {
    default_rounding = std::fegetround();
    default_words = control_words();
}

bool lazult_control_words_changed() noexcept { return control_words() != default_words; }

void lazult_reset_control_words() noexcept {
    std::fesetround(default_rounding);
    set_control_words(default_words);
}
}

}  // namespace lazult::arch
