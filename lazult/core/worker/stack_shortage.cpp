// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker/stack_shortage.hpp"

#include <array>
#include <cstdio>

namespace lazult::core {
namespace {

// field    written by   read by         order
// wakers   add_waker    anybody_wakes   relaxed: functions that are there always
constexpr std::size_t most_wakers = 4;
constinit std::array<ds::default_atomics::atomic<waker>, most_wakers> wakers{};
constinit ds::default_atomics::atomic<bool> has_more_wakers{false};

bool anybody_wakes() noexcept {
    for (const auto& each : wakers) {
        const waker is_expected = each.load(std::memory_order_relaxed);
        if (is_expected != nullptr && is_expected()) {
            return true;
        }
    }
    return has_more_wakers.load(std::memory_order_relaxed);
}

// Reads a plain field of another thread by one load, of which any value will do.
template <class T>
T glance(T& field) noexcept {
    return __atomic_load_n(&field, __ATOMIC_RELAXED);
}

// What all streams have done so far, and whether a thread that does not wait for memory does
// something now. An OS thread that is no stream may do anything, so it counts as one that does.
struct survey {
    std::uint64_t steps = 0;
    bool somebody_runs = false;

    void look_at(worker& w) noexcept {
        steps += w.count.started.get() + w.count.suspensions.get();
        const work_unit* const unit = glance(w.current);
        const bool has_thread = glance(w.system_thread) != 0;
        const bool is_outside = glance(w.here) == nullptr;
        const bool runs = unit != nullptr && !(unit->has(flag_host) && unit->has(flag_tasklet));
        somebody_runs =
            somebody_runs || (has_thread && (is_outside || runs) && !w.stacks.is_short());
    }
};

survey look_at_all() noexcept {
    survey all;
    for_each_worker([](worker& each, void* sum) { static_cast<survey*>(sum)->look_at(each); },
                    &all);
    return all;
}

[[noreturn]] void give_up(std::uint8_t size_class) noexcept {
    const os::memory_shortage why =
        os::find_memory_shortage((std::size_t{1} << size_class) + os::page_size());
    char cause[256];
    std::snprintf(cause, sizeof cause, "no memory for its stack: %s", why.text);
    char cure[256];
    std::snprintf(cure, sizeof cure,
                  "%s, or lower LAZULT_STACK_SIZE or the number of blocked units", why.cure);
    base::fatal_misuse("work unit", cause, cure);
}

}  // namespace

void add_waker(waker is_expected) noexcept {
    for (auto& each : wakers) {
        waker present = nullptr;
        if (each.compare_exchange_strong(present, is_expected, std::memory_order_relaxed,
                                         std::memory_order_relaxed) ||
            present == is_expected) {
            return;
        }
    }
    has_more_wakers.store(true, std::memory_order_relaxed);
}

LAZULT_COLD void await_stack(worker& w, std::uint8_t size_class) noexcept {
    constexpr std::int64_t nap_ns = 100'000;
    constexpr std::int64_t ns_per_ms = 1'000'000;
    w.stacks.set_short(true);
    ds::default_atomics::atomic<std::uint32_t> nobody_wakes{0};
    ds::default_atomics::futex_wait(nobody_wakes, 0, os::now_ns() + nap_ns);
    const auto now_ms = static_cast<std::uint32_t>(os::now_ns() / ns_per_ms);
    stack_wait& waiting = w.stacks.waiting();
    if (!waiting.lasts(now_ms, w.count.started.get())) {
        give_up(size_class);
    }
    if (waiting.is_look_due(now_ms)) {
        const survey all = look_at_all();
        if (waiting.stands_still(now_ms, all.steps, all.somebody_runs || anybody_wakes())) {
            give_up(size_class);
        }
    }
    w.stacks.set_short(false);
}

LAZULT_COLD void await_stack_of(worker& w, const work_unit& u) noexcept {
    if (w.stacks.waiting().has_tried_all(&u, w.count.started.get() + w.count.suspensions.get())) {
        await_stack(w, u.header.stack_class);
    }
}

}  // namespace lazult::core
