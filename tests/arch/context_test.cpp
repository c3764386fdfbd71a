// SPDX-License-Identifier: BSD-3-Clause
// One suite for all implementations of <lazult/arch/context.hpp>.
#include "lazult/arch/context.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "switch_fixture.hpp"

namespace {

using namespace lazult;
using namespace lazult::arch_test;
using arch::context;
using arch::departure;
using arch::entry_record;

// --- registers

constexpr int rounds = 8;
bool other_kept = true;

departure clobbering(void*) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const register_values mine = pattern(1000 + round);
        other_kept &= with_registers(mine, to_test) == mine;
    }
    return {now.test, &now};
}
constexpr entry_record clobbering_entry{clobbering, note_left};

TEST_P(context_test, switches_keep_every_callee_saved_register_of_both_threads) {
    other_kept = true;
    const auto begin = [&] {
        arch::lazult_start(&now.test, stack.top(), &clobbering_entry, nullptr, nullptr, nullptr);
    };
    EXPECT_EQ(with_registers(pattern(1), begin), pattern(1));
    for (std::uint64_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(with_registers(pattern(2 + round), to_other), pattern(2 + round))
            << "round " << round;
    }
    EXPECT_TRUE(other_kept);
    EXPECT_EQ(now.left_calls, 1);
}

departure clobbering_under_host(void*) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const register_values mine = pattern(2000 + round);
        const auto leave = [] {
            arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr);
        };
        other_kept &= with_registers(mine, leave) == mine;
    }
    return {now.test, &now};
}
constexpr entry_record clobbering_under_host_entry{clobbering_under_host, note_left};

TEST_P(context_test, switches_of_a_host_keep_them_too) {
    other_kept = true;
    const auto begin = [&] {
        arch::lazult_start_from_host(&now.test, stack.top(), &clobbering_under_host_entry, nullptr);
    };
    EXPECT_EQ(with_registers(pattern(3), begin), pattern(3));
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto resume = [] { arch::lazult_switch_from_host(&now.test, now.other); };
        EXPECT_EQ(with_registers(pattern(4 + round), resume), pattern(4 + round))
            << "round " << round;
    }
    EXPECT_TRUE(other_kept);
}

void plain_call(void* count) {
    const register_values mine = pattern(77);
    with_registers(mine, [] {});
    ++*static_cast<int*>(count);
}

TEST_P(context_test, calls_keep_registers_and_return_plainly) {
    int calls = 0;
    context unused = nullptr;
    const auto on = [&] { arch::lazult_call_on(stack.top(), plain_call, &calls); };
    const auto saved = [&] { arch::lazult_call_saved(&unused, stack.top(), plain_call, &calls); };
    const auto from_host = [&] {
        arch::lazult_call_saved_from_host(&unused, stack.top(), plain_call, &calls);
    };
    for (std::uint64_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(with_registers(pattern(5 + round), on), pattern(5 + round));
        EXPECT_EQ(with_registers(pattern(6 + round), saved), pattern(6 + round));
        EXPECT_EQ(with_registers(pattern(7 + round), from_host), pattern(7 + round));
    }
    EXPECT_EQ(calls, 3 * rounds);
}

// --- the stack of each entry

struct entry_report {
    const void* at = nullptr;
    bool aligned = false;
    int calls = 0;
};

void report(void* where) {
    *static_cast<entry_report*>(where) = {here(), stack_is_aligned(),
                                          static_cast<entry_report*>(where)->calls + 1};
}
departure report_and_end(void* where) {
    report(where);
    return {now.test, where};
}
constexpr entry_record reporting_entry{report_and_end, note_left};

TEST_P(context_test, a_started_thread_runs_aligned_on_its_own_stack_and_ends_on_the_others) {
    entry_report entry, after;
    arch::lazult_start(&now.test, stack.top(), &reporting_entry, &entry, report, &after);
    EXPECT_TRUE(stack.holds(entry.at));
    EXPECT_TRUE(entry.aligned);
    EXPECT_TRUE(stack.holds(after.at)) << "after runs on the stack that was entered";
    EXPECT_TRUE(after.aligned);
    EXPECT_FALSE(stack.holds(now.left_at)) << "left runs when control has left the stack";
    EXPECT_TRUE(now.left_aligned);
    EXPECT_EQ(now.left_argument, &entry);
    EXPECT_EQ(entry.calls + after.calls + now.left_calls, 3);
}

constexpr entry_record silent_entry{[](void*) -> departure { return {now.test, nullptr}; },
                                    note_left};

TEST_P(context_test, left_does_not_run_for_a_null_argument) {
    arch::lazult_start(&now.test, stack.top(), &silent_entry, nullptr, nullptr, nullptr);
    EXPECT_EQ(now.left_calls, 0);
}

TEST_P(context_test, a_switch_starts_a_thread_as_a_start_does) {
    entry_report entry, after;
    arch::lazult_switch(&now.test, stack.top(), report, &after, &reporting_entry, &entry);
    EXPECT_TRUE(stack.holds(entry.at));
    EXPECT_TRUE(entry.aligned);
    EXPECT_TRUE(stack.holds(after.at));
    EXPECT_FALSE(stack.holds(now.left_at));
    EXPECT_EQ(entry.calls + after.calls + now.left_calls, 3);
}

TEST_P(context_test, a_thread_started_by_a_host_begins_on_its_stack) {
    entry_report entry;
    arch::lazult_start_from_host(&now.test, stack.top(), &reporting_entry, &entry);
    EXPECT_TRUE(stack.holds(entry.at));
    EXPECT_TRUE(entry.aligned);
    EXPECT_EQ(now.left_calls, 1);
}

struct start_over_record {
    test_stack* next;
    entry_report entry, after;
};

departure hand_on(void* record) {
    auto& r = *static_cast<start_over_record*>(record);
    arch::lazult_start_over(r.next->top(), &reporting_entry, &r.entry, report, &r.after);
}
constexpr entry_record handing_on_entry{hand_on, note_left};

TEST_P(context_test, a_thread_may_be_abandoned_for_a_fresh_one) {
    start_over_record record{&second, {}, {}};
    arch::lazult_start(&now.test, stack.top(), &handing_on_entry, &record, nullptr, nullptr);
    EXPECT_TRUE(second.holds(record.entry.at));
    EXPECT_TRUE(record.entry.aligned);
    EXPECT_TRUE(second.holds(record.after.at));
    EXPECT_TRUE(record.after.aligned);
    EXPECT_EQ(now.left_calls, 1);
}

TEST_P(context_test, called_functions_run_aligned_on_the_other_stack) {
    entry_report on, saved, from_host;
    context unused = nullptr;
    arch::lazult_call_on(stack.top(), report, &on);
    arch::lazult_call_saved(&unused, stack.top(), report, &saved);
    arch::lazult_call_saved_from_host(&unused, stack.top(), report, &from_host);
    for (const entry_report& r : {on, saved, from_host}) {
        EXPECT_TRUE(stack.holds(r.at));
        EXPECT_TRUE(r.aligned);
    }
}

departure switch_back_once(void*) {
    to_test();
    return {now.test, &now};
}
constexpr entry_record suspending_entry{switch_back_once, note_left};

TEST_P(context_test, after_runs_on_the_stack_of_the_target_with_the_old_context_saved) {
    struct record {
        entry_report where;
        context saved = nullptr;
    } mine;
    arch::lazult_start(&now.test, stack.top(), &suspending_entry, nullptr, nullptr, nullptr);
    const auto after = [](void* r) {
        report(&static_cast<record*>(r)->where);
        static_cast<record*>(r)->saved = now.test;
    };
    now.test = nullptr;
    arch::lazult_switch(&now.test, now.other, after, &mine);
    EXPECT_TRUE(stack.holds(mine.where.at));
    EXPECT_TRUE(mine.where.aligned);
    EXPECT_NE(mine.saved, nullptr);
}

departure jump_to_second(void* argument) { arch::lazult_jump(now.other, report, argument); }
constexpr entry_record jumping_entry{jump_to_second, note_left};

TEST_P(context_test, a_jump_runs_after_on_the_stack_of_the_target) {
    entry_report where;
    arch::lazult_start(&now.test, stack.top(), &suspending_entry, nullptr, nullptr, nullptr);
    now.left_calls = 0;
    // The thread on the second stack jumps into the suspended one, which ends and comes back here.
    context suspended_test = nullptr;
    arch::lazult_start(
        &suspended_test, second.top(), &jumping_entry, &where,
        [](void* saved) { now.test = *static_cast<context*>(saved); }, &suspended_test);
    EXPECT_TRUE(stack.holds(where.at));
    EXPECT_TRUE(where.aligned);
    EXPECT_EQ(now.left_calls, 1);
}

// --- return on completion and stack separation, redirected

struct redirect_record {
    test_stack* stack = nullptr;
    entry_report end, resumed;
    register_values kept{};
};
redirect_record* redirected = nullptr;

departure redirected_end(void* argument) {
    redirected->end.calls += argument == nullptr ? 1 : 1000;
    redirected->end.at = here();
    redirected->end.aligned = stack_is_aligned();
    return {now.test, redirected};
}
constexpr entry_record redirected_entry{redirected_end, note_left};

void suspend_after_redirecting(void* self) {
    auto& record = *static_cast<redirect_record*>(self);
    arch::lazult_redirect_return(record.stack->top(), &redirected_entry);
    record.kept = with_registers(
        pattern(42), [] { arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr); });
    report(&record.resumed);
}

void check_redirected(redirect_record& record) {
    EXPECT_EQ(record.kept, pattern(42));
    EXPECT_TRUE(record.stack->holds(record.resumed.at));
    EXPECT_EQ(record.end.calls, 1);
    EXPECT_TRUE(record.stack->holds(record.end.at));
    EXPECT_TRUE(record.end.aligned);
    EXPECT_EQ(now.left_calls, 1);
    EXPECT_EQ(now.left_argument, &record);
    EXPECT_FALSE(record.stack->holds(now.left_at));
}

TEST_P(context_test, a_saved_call_returns_at_the_first_suspension_and_its_end_is_redirected) {
    redirect_record record;
    record.stack = &stack;
    redirected = &record;
    int returns = 0;
    const auto call = [&] {
        arch::lazult_call_saved_from_host(&now.test, stack.top(), suspend_after_redirecting,
                                          &record);
        ++returns;
    };
    EXPECT_EQ(with_registers(pattern(9), call), pattern(9));
    EXPECT_EQ(returns, 1);
    EXPECT_EQ(record.end.calls, 0);
    const auto resume = [] { arch::lazult_switch_from_host(&now.test, now.other); };
    EXPECT_EQ(with_registers(pattern(10), resume), pattern(10));
    EXPECT_EQ(returns, 1);
    check_redirected(record);
}

// A host that separates stacks: its own frame is abandoned when the called unit suspends.
struct separation {
    redirect_record unit;
    test_stack* host_stack = nullptr;
    context outer = nullptr;
    bool restarted = false;
} separated;

departure host_restarted(void*) {
    separated.restarted = true;
    arch::lazult_switch_from_host(&now.test, now.other);
    now.left_calls -= 1;  // the unit's; this thread's own follows
    return {separated.outer, &separated.unit};
}
constexpr entry_record restarted_entry{host_restarted, note_left};

void suspend_and_restart_host(void* self) {
    auto& record = *static_cast<redirect_record*>(self);
    arch::lazult_redirect_return(record.stack->top(), &redirected_entry);
    record.kept = with_registers(pattern(42), [] {
        arch::lazult_start(&now.other, separated.host_stack->top(), &restarted_entry, nullptr,
                           nullptr, nullptr);
    });
    report(&record.resumed);
}

departure first_host(void*) {
    arch::lazult_call_on(separated.unit.stack->top(), suspend_and_restart_host, &separated.unit);
    ADD_FAILURE() << "an abandoned frame ran on";
    return {separated.outer, nullptr};
}
constexpr entry_record first_host_entry{first_host, note_left};

TEST_P(context_test, a_separated_call_never_returns_to_the_abandoned_caller) {
    separated = {};
    separated.unit.stack = &stack;
    separated.host_stack = &second;
    redirected = &separated.unit;
    arch::lazult_start(&separated.outer, second.top(), &first_host_entry, nullptr, nullptr,
                       nullptr);
    EXPECT_TRUE(separated.restarted);
    check_redirected(separated.unit);
}

// --- exceptions

[[gnu::noinline]] int throws_and_catches(int depth) {
    if (depth != 0) {
        return throws_and_catches(depth - 1) + 1;
    }
    throw std::runtime_error("deep");
}

bool exception_works() {
    try {
        throws_and_catches(20);
    } catch (const std::runtime_error& e) {
        return std::string(e.what()) == "deep";
    }
    return false;
}

departure throw_in_thread(void* ok) {
    *static_cast<int*>(ok) += exception_works() ? 1 : 0;
    to_test();
    *static_cast<int*>(ok) += exception_works() ? 1 : 0;
    return {now.test, &now};
}
constexpr entry_record throwing_entry{throw_in_thread, note_left};

TEST_P(context_test, exceptions_are_thrown_and_caught_inside_a_started_stack) {
    int caught = 0;
    arch::lazult_start(&now.test, stack.top(), &throwing_entry, &caught, nullptr, nullptr);
    to_other();
    EXPECT_EQ(caught, 2);
}

void throw_in_call(void* ok) { *static_cast<int*>(ok) += exception_works() ? 1 : 0; }

TEST_P(context_test, exceptions_are_thrown_and_caught_inside_a_called_stack) {
    int caught = 0;
    context unused = nullptr;
    arch::lazult_call_on(stack.top(), throw_in_call, &caught);
    arch::lazult_call_saved(&unused, stack.top(), throw_in_call, &caught);
    arch::lazult_call_saved_from_host(&unused, stack.top(), throw_in_call, &caught);
    EXPECT_EQ(caught, 3);
}

departure suspend_inside_catch(void* out) {
    try {
        throws_and_catches(3);
    } catch (const std::runtime_error& e) {
        to_test();
        *static_cast<std::string*>(out) = e.what();
    }
    return {now.test, &now};
}
constexpr entry_record catching_entry{suspend_inside_catch, note_left};

TEST_P(context_test, a_thread_may_be_left_inside_a_catch_block) {
    std::string what;
    arch::lazult_start(&now.test, stack.top(), &catching_entry, &what, nullptr, nullptr);
    to_other();
    EXPECT_EQ(what, "deep");
}

// --- unwinding

backtrace_result trace;

void take_trace(void*) { trace = unwind_from_here(); }
void* address_of(void (*function)(void*)) { return reinterpret_cast<void*>(function); }

departure trace_and_end(void*) {
    take_trace(nullptr);
    return {now.test, &now};
}
constexpr entry_record tracing_entry{trace_and_end, note_left};

TEST_P(context_test, a_backtrace_ends_cleanly_at_the_start_of_a_thread) {
    for (int which = 0; which < 2; ++which) {
        trace = {};
        if (which == 0) {
            arch::lazult_start(&now.test, stack.top(), &tracing_entry, nullptr, nullptr, nullptr);
        } else {
            arch::lazult_start_from_host(&now.test, stack.top(), &tracing_entry, nullptr);
        }
        EXPECT_TRUE(trace.ended_cleanly);
        EXPECT_TRUE(trace.passes(reinterpret_cast<void*>(trace_and_end)));
        EXPECT_LT(trace.functions.size(), 10U);
    }
}

TEST_P(context_test, a_backtrace_in_after_of_a_start_ends_cleanly) {
    arch::lazult_start(
        &now.test, stack.top(), &tracing_entry, nullptr, [](void*) { take_trace(nullptr); },
        nullptr);
    // The thread overwrote it: look at after alone.
    const backtrace_result whole = trace;
    EXPECT_TRUE(whole.ended_cleanly);
    static backtrace_result from_after;
    from_after = {};
    arch::lazult_start(
        &now.test, stack.top(), &reporting_entry, new entry_report,
        [](void*) { from_after = unwind_from_here(); }, nullptr);
    delete static_cast<entry_report*>(now.left_argument);
    EXPECT_TRUE(from_after.ended_cleanly);
    EXPECT_FALSE(from_after.functions.empty());
    EXPECT_LT(from_after.functions.size(), 10U);
}

// The barriers keep the frames: a call in tail position would be a jump.
context unused_context = nullptr;
[[gnu::noinline]] void through_call_on(void* top) {
    arch::lazult_call_on(static_cast<std::byte*>(top), take_trace, nullptr);
    asm volatile("" ::: "memory");
}
[[gnu::noinline]] void through_call_saved(void* top) {
    arch::lazult_call_saved(&unused_context, static_cast<std::byte*>(top), take_trace, nullptr);
    asm volatile("" ::: "memory");
}
[[gnu::noinline]] void through_call_of_host(void* top) {
    arch::lazult_call_saved_from_host(&unused_context, static_cast<std::byte*>(top), take_trace,
                                      nullptr);
    asm volatile("" ::: "memory");
}

TEST_P(context_test, a_backtrace_in_a_call_reaches_the_caller) {
    for (void (*const caller)(void*) :
         {through_call_on, through_call_saved, through_call_of_host}) {
        trace = {};
        caller(stack.top());
        EXPECT_TRUE(trace.ended_cleanly);
        EXPECT_TRUE(trace.passes(address_of(take_trace)));
        // ucontext has no unwind information across stacks: there the chain ends.
        EXPECT_EQ(trace.passes(address_of(caller)), !is_generic());
    }
}

departure trace_at_redirected_end(void*) {
    take_trace(nullptr);
    return {now.test, &now};
}
constexpr entry_record tracing_end_entry{trace_at_redirected_end, note_left};
backtrace_result after_redirection;

void redirect_and_trace(void* top) {
    arch::lazult_redirect_return(static_cast<std::byte*>(top), &tracing_end_entry);
    arch::lazult_switch_to_host(&now.other, now.test, nullptr, nullptr);
    after_redirection = unwind_from_here();
}

TEST_P(context_test, a_backtrace_ends_cleanly_after_redirection) {
    after_redirection = trace = {};
    arch::lazult_call_saved_from_host(&now.test, stack.top(), redirect_and_trace, stack.top());
    arch::lazult_switch_from_host(&now.test, now.other);
    EXPECT_TRUE(after_redirection.ended_cleanly);
    EXPECT_TRUE(after_redirection.passes(address_of(redirect_and_trace)));
    EXPECT_LT(after_redirection.functions.size(), 10U);
    EXPECT_TRUE(trace.ended_cleanly);
    EXPECT_TRUE(trace.passes(reinterpret_cast<void*>(trace_at_redirected_end)));
    EXPECT_LT(trace.functions.size(), 10U);
}

[[gnu::noinline]] void suspended_here(void*) {
    to_test();
    asm volatile("" ::: "memory");  // no tail call: the frame must be there
}
departure suspends_in_named_function(void*) {
    suspended_here(nullptr);
    return {now.test, &now};
}
constexpr entry_record named_entry{suspends_in_named_function, note_left};

TEST_P(context_test, a_backtrace_in_after_shows_the_thread_that_continues) {
    trace = {};
    arch::lazult_start(&now.test, stack.top(), &named_entry, nullptr, nullptr, nullptr);
    arch::lazult_switch(&now.test, now.other, take_trace, nullptr);
    EXPECT_TRUE(trace.ended_cleanly);
    EXPECT_TRUE(trace.passes(address_of(suspended_here)));
    EXPECT_TRUE(trace.passes(reinterpret_cast<void*>(suspends_in_named_function)));
}

TEST_P(context_test, a_backtrace_in_after_of_a_jump_shows_the_thread_that_continues) {
    trace = {};
    arch::lazult_start(&now.test, stack.top(), &named_entry, nullptr, nullptr, nullptr);
    static constexpr entry_record jumps{
        [](void*) -> departure { arch::lazult_jump(now.other, take_trace, nullptr); }, note_left};
    context me = nullptr;
    arch::lazult_start(
        &me, second.top(), &jumps, nullptr, [](void* c) { now.test = *static_cast<context*>(c); },
        &me);
    EXPECT_TRUE(trace.ended_cleanly);
    EXPECT_TRUE(trace.passes(address_of(suspended_here)));
}

backtrace_result trace_of_left;
constexpr entry_record traced_left_entry{[](void*) -> departure { return {now.test, &now}; },
                                         [](void*) { trace_of_left = unwind_from_here(); }};

[[gnu::noinline]] void starts_a_thread(void* top) {
    arch::lazult_start(&now.test, static_cast<std::byte*>(top), &traced_left_entry, nullptr,
                       nullptr, nullptr);
    asm volatile("" ::: "memory");
}

TEST_P(context_test, a_backtrace_in_left_shows_the_thread_that_continues) {
    trace_of_left = {};
    starts_a_thread(stack.top());
    EXPECT_TRUE(trace_of_left.ended_cleanly);
    EXPECT_TRUE(trace_of_left.passes(address_of(starts_a_thread)));
}

// --- many threads at once

struct counting_state {
    context mine = nullptr;
    int steps = 0;
};
departure count_steps(void* self) {
    auto& me = *static_cast<counting_state*>(self);
    for (; me.steps < 100; ++me.steps) {
        arch::lazult_switch(&me.mine, now.test, nullptr, nullptr);
    }
    return {now.test, &now};
}
constexpr entry_record counting_entry{count_steps, note_left};

TEST_P(context_test, many_threads_take_turns) {
    std::vector<test_stack> stacks(16);
    std::vector<counting_state> threads(stacks.size());
    for (std::size_t i = 0; i < threads.size(); ++i) {
        arch::lazult_start(&now.test, stacks[i].top(), &counting_entry, &threads[i], nullptr,
                           nullptr);
    }
    for (int step = 0; step < 100; ++step) {
        for (counting_state& f : threads) {
            arch::lazult_switch(&now.test, f.mine, nullptr, nullptr);
        }
    }
    for (std::size_t i = 0; i < threads.size(); ++i) {
        EXPECT_EQ(threads[i].steps, 100);
        EXPECT_TRUE(stacks[i].untouched_above());
    }
    EXPECT_EQ(now.left_calls, 16);
}

INSTANTIATE_TEST_SUITE_P(words, context_test, testing::ValuesIn(ways_to_load_words),
                         [](const auto& info) {
                             return info.param ? "compared" : "always_loaded";
                         });

}  // namespace
