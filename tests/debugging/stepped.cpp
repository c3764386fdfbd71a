// SPDX-License-Identifier: BSD-3-Clause
// For switch_stepped.py: every function of lazult/arch/context.hpp that changes stacks, in each of
// its ways, by callers with names of their own.
#include "lazult/arch/context.hpp"

#include "fill_registers.h"

using namespace lazult::arch;

extern "C" {
// What the debugger looks at.
constexpr unsigned long stack_bytes = 32 << 10;
alignas(16) std::byte first_stack[stack_bytes];
alignas(16) std::byte second_stack[stack_bytes];
volatile int visits = 0;
[[gnu::noinline]] void stepped_enough() { asm volatile("" ::: "memory"); }
}

namespace {

context of_main, of_first, of_second;

std::byte* top_of(std::byte* stack) { return stack + stack_bytes - 64; }

// No call below is in tail position: the caller's frame is to be seen.
void stay() { asm volatile("" ::: "memory"); }

[[gnu::noinline]] void count_visit(void*) { visits = visits + 1; }
[[gnu::noinline]] void note_left(void*) { visits = visits + 1; }

// --- a thread that gives way twice and ends, by each way of switching

[[gnu::noinline]] void unit_gives_way() {
    fill_registers();
    lazult_switch(&of_first, of_main, nullptr, nullptr);
    stay();
}
[[gnu::noinline]] void unit_gives_way_with_after() {
    fill_registers();
    lazult_switch(&of_first, of_main, count_visit, nullptr);
    stay();
}
departure unit_that_switches(void*) {
    unit_gives_way();
    unit_gives_way_with_after();
    return {of_main, of_first};
}
constexpr entry_record switching{unit_that_switches, note_left};

[[gnu::noinline]] void main_starts_unit() {
    fill_registers();
    lazult_start(&of_main, top_of(first_stack), &switching, nullptr, nullptr, nullptr);
    stay();
}
[[gnu::noinline]] void main_switches_to_fresh_unit() {
    fill_registers();
    lazult_switch(&of_main, top_of(first_stack), count_visit, nullptr, &switching, nullptr);
    stay();
}
[[gnu::noinline]] void main_resumes_unit() {
    fill_registers();
    lazult_switch(&of_main, of_first, nullptr, nullptr);
    stay();
}
[[gnu::noinline]] void main_resumes_unit_with_after() {
    fill_registers();
    lazult_switch(&of_main, of_first, count_visit, nullptr);
    stay();
}

// --- the same under a host

[[gnu::noinline]] void unit_leaves_for_host() {
    fill_registers();
    lazult_switch_to_host(&of_first, of_main, nullptr, nullptr);
    stay();
}
[[gnu::noinline]] void unit_leaves_for_host_with_after() {
    fill_registers();
    lazult_switch_to_host(&of_first, of_main, count_visit, nullptr);
    stay();
}
departure unit_under_host(void*) {
    unit_leaves_for_host();
    unit_leaves_for_host_with_after();
    return {of_main, nullptr};
}
constexpr entry_record hosted{unit_under_host, note_left};

[[gnu::noinline]] void host_starts_unit() {
    fill_registers();
    lazult_start_from_host(&of_main, top_of(first_stack), &hosted, nullptr);
    stay();
}
[[gnu::noinline]] void host_resumes_unit() {
    fill_registers();
    lazult_switch_from_host(&of_main, of_first);
    stay();
}
[[gnu::noinline]] void host_resumes_unit_with_after() {
    fill_registers();
    lazult_switch_from_host(&of_main, of_first, count_visit, nullptr);
    stay();
}

// --- one that is abandoned: for a fresh thread, and for a suspended one

departure last_thread(void*) {
    count_visit(nullptr);
    return {of_main, &of_main};
}
constexpr entry_record last{last_thread, note_left};
departure thread_that_starts_over(void* after) {
    fill_registers();
    lazult_start_over(top_of(second_stack), &last, nullptr,
                      after == nullptr ? nullptr : count_visit, nullptr);
}
constexpr entry_record starting_over{thread_that_starts_over, note_left};
[[gnu::noinline]] void main_starts_one_that_starts_over(void* after) {
    fill_registers();
    lazult_start(&of_main, top_of(first_stack), &starting_over, after,
                 after == nullptr ? nullptr : count_visit, nullptr);
    stay();
}

departure thread_that_jumps(void* after) {
    fill_registers();
    lazult_jump(of_main, after == nullptr ? nullptr : count_visit, nullptr);
}
constexpr entry_record jumping{thread_that_jumps, note_left};
[[gnu::noinline]] void main_starts_one_that_jumps(void* after) {
    fill_registers();
    lazult_start(&of_main, top_of(first_stack), &jumping, after, nullptr, nullptr);
    stay();
}

// --- calls that return, and calls with a redirected return

void called_unit(void*) { count_visit(nullptr); }
[[gnu::noinline]] void caller_on() {
    fill_registers();
    lazult_call_on(top_of(first_stack), called_unit, nullptr);
    stay();
}
[[gnu::noinline]] void caller_saved() {
    fill_registers();
    lazult_call_saved(&of_main, top_of(first_stack), called_unit, nullptr);
    stay();
}
[[gnu::noinline]] void host_caller_saved() {
    fill_registers();
    lazult_call_saved_from_host(&of_main, top_of(first_stack), called_unit, nullptr);
    stay();
}

departure redirected_end(void*) {
    count_visit(nullptr);
    return {of_main, &of_main};
}
constexpr entry_record redirected{redirected_end, note_left};
void promoted_unit(void*) {
    lazult_redirect_return(top_of(first_stack), &redirected);
    unit_leaves_for_host();
    count_visit(nullptr);
}
[[gnu::noinline]] void host_calls_unit_that_suspends() {
    fill_registers();
    lazult_call_saved_from_host(&of_main, top_of(first_stack), promoted_unit, nullptr);
    stay();
}
[[gnu::noinline]] void unit_calls_child_that_suspends() {
    fill_registers();
    lazult_call_saved(&of_main, top_of(first_stack), promoted_unit, nullptr);
    stay();
}
// Stack separation: the scheduler's frame is abandoned with its stack, and the thread that follows
// there goes on with main.
void separated_unit(void*) {
    lazult_redirect_return(top_of(first_stack), &redirected);
    fill_registers();
    lazult_start(&of_first, top_of(second_stack), &last, nullptr, nullptr, nullptr);
    count_visit(nullptr);
}
departure separating_scheduler(void*) {
    fill_registers();
    lazult_call_on(top_of(first_stack), separated_unit, nullptr);
    __builtin_trap();
}
constexpr entry_record separating{separating_scheduler, note_left};
[[gnu::noinline]] void main_starts_separating_scheduler() {
    fill_registers();
    lazult_start(&of_main, top_of(second_stack), &separating, nullptr, nullptr, nullptr);
    stay();
}

}  // namespace

int main() {
    main_starts_unit();
    main_resumes_unit();
    main_resumes_unit_with_after();
    main_switches_to_fresh_unit();
    main_resumes_unit();
    main_resumes_unit();
    host_starts_unit();
    host_resumes_unit();
    host_resumes_unit_with_after();
    main_starts_one_that_starts_over(nullptr);
    main_starts_one_that_starts_over(&of_main);
    main_starts_one_that_jumps(nullptr);
    main_starts_one_that_jumps(&of_main);
    caller_on();
    caller_saved();
    host_caller_saved();
    host_calls_unit_that_suspends();
    host_resumes_unit();
    unit_calls_child_that_suspends();
    host_resumes_unit();
    main_starts_separating_scheduler();
    main_resumes_unit();
    stepped_enough();
    return visits == 29 ? 0 : 1;
}
