// SPDX-License-Identifier: BSD-3-Clause
#include "printing/stack_dump.hpp"

#include <array>

#include "printing/stack.hpp"
#include "streams/xstream.hpp"

namespace lazult::abt {
namespace {

using atomics = ds::default_atomics;

struct request {
    std::FILE* to = nullptr;
    double timeout = -1.0;
    void (*call)(ABT_bool, void*) = nullptr;
    void* argument = nullptr;
};

// Requests. A signal handler may interrupt another handler on the same OS thread. Each therefore
// takes a slot of its own and never waits.
//
// field   written by                  read by                      order
// slots   the thread that took one    the one that takes it from   handed over by posted
//                                     `posted`
// used    anybody                     anybody                      acquire to take, release to give
//                                                                  back
// posted  request_stack_dump(),       anybody                      release / acquire
//         the leader
constexpr unsigned slot_count = 16;
constexpr unsigned nothing = slot_count;
std::array<request, slot_count> slots;
constinit atomics::atomic<std::uint32_t> used{0};
constinit atomics::atomic<unsigned> posted{nothing};

unsigned take_slot() noexcept {
    std::uint32_t seen = used.load(std::memory_order_relaxed);
    for (;;) {
        const auto free = static_cast<unsigned>(__builtin_ctz(~seen | 1U << slot_count));
        if (free == slot_count) {
            return nothing;
        }
        // acquire pairs with: give_slot()
        if (used.compare_exchange_weak(seen, seen | 1U << free, std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
            return free;
        }
    }
}

void give_slot(unsigned slot) noexcept {
    used.fetch_and(~(1U << slot), std::memory_order_release);  // pairs with: take_slot()
}

// Posts a slot, or nothing. If another request was posted, copies that to *replaced, frees its slot
// and returns true.
bool exchange_posted(unsigned slot, request* replaced) noexcept {
    // release and acquire pair with: each other, for the contents of the slot
    const unsigned before = posted.exchange(slot, std::memory_order_acq_rel);
    if (before == nothing) {
        return false;
    }
    *replaced = slots[before];
    give_slot(before);
    return true;
}

// The number of streams that have come to the meeting, and of rounds that are over, in one word.
//   idle -> led, 1       the first stream comes, and leads
//   led, n -> led, n + 1 another stream comes
//   led, n -> idle       the leader is done: round + 1
//
// field    written by     read by    order
// meeting  each stream    anybody    acquire / release: what the leader has printed comes before
//                                    what the others do next
constexpr std::uint32_t led = 1;
constexpr std::uint32_t one_stream = 2;
constexpr std::uint32_t one_round = 1U << 16;
constinit atomics::atomic<std::uint32_t> meeting{0};

std::uint32_t streams_here() noexcept {
    return (meeting.load(std::memory_order_relaxed) & (one_round - 1)) / one_stream;
}

// Enters the meeting. Returns true if the caller leads it.
bool lead_or_follow() noexcept {
    std::uint32_t seen = meeting.load(std::memory_order_relaxed);
    for (;;) {
        const bool leads = (seen & led) == 0;
        const std::uint32_t next = seen + one_stream + (leads ? led : 0);
        // acquire and release pair with: dismiss()
        if (meeting.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                          std::memory_order_relaxed)) {
            return leads;
        }
    }
}

// Called by the leader: ends the round, so that the other streams go on.
void dismiss() noexcept {
    std::uint32_t seen = meeting.load(std::memory_order_relaxed);
    // release pairs with: follow(), lead_or_follow()
    while (!meeting.compare_exchange_weak(seen, (seen & ~(one_round - 1)) + one_round,
                                          std::memory_order_release, std::memory_order_relaxed)) {
    }
    atomics::futex_wake(meeting, INT32_MAX);
}

// Called by the other streams: waits until the leader has ended the round.
void follow() noexcept {
    // acquire pairs with: dismiss()
    std::uint32_t seen = meeting.load(std::memory_order_acquire);
    const std::uint32_t round = seen / one_round;
    while (seen / one_round == round && (seen & led) != 0) {
        atomics::futex_wait(meeting, seen, sync::no_deadline);
        seen = meeting.load(std::memory_order_acquire);  // pairs with: dismiss()
    }
}

void count_running(xstream_object& x, void* count) noexcept {
    *static_cast<std::uint32_t*>(count) += x.is_running() ? 1U : 0U;
}

std::uint32_t running_streams() noexcept {
    std::uint32_t count = 0;
    for_each_xstream(count_running, &count);
    return count;
}

std::int64_t deadline_after(double seconds) noexcept {
    constexpr double longest = 1e9;
    const double wanted = seconds < longest ? seconds : longest;
    return seconds < 0 ? sync::no_deadline : os::now_ns() + static_cast<std::int64_t>(wanted * 1e9);
}

void nap() noexcept {
    const timespec ms{0, 1'000'000};
    nanosleep(&ms, nullptr);
}

// Waits until all running streams have come. Returns false if the request's time is over before. If
// a newer request is posted meanwhile, it replaces `wanted`.
bool await_others(request& wanted) noexcept {
    std::int64_t deadline = deadline_after(wanted.timeout);
    while (streams_here() < running_streams()) {
        if (exchange_posted(nothing, &wanted)) {
            deadline = deadline_after(wanted.timeout);
        }
        if (deadline >= 0 && os::now_ns() >= deadline) {
            return false;
        }
        nap();
    }
    return true;
}

void print_main_pools(xstream_object& x, void* to) noexcept {
    if (x.main == nullptr) {
        return;
    }
    auto* file = static_cast<std::FILE*>(to);
    std::fprintf(file, "execution stream %d\n", rank_of(x));
    for (sched::ready_pool* p : x.main->pools()) {
        if (arena::is_live<kind::pool>(p)) {
            print_stacks_in(file, *p);
            std::fflush(file);
        }
    }
}

// Called by the leader: takes the posted request, waits for the other streams and prints.
void serve() noexcept {
    request wanted;
    if (!exchange_posted(nothing, &wanted)) {
        return;
    }
    const bool in_time = await_others(wanted);
    if (wanted.to != nullptr) {
        for_each_xstream(print_main_pools, wanted.to);
        std::fflush(wanted.to);
    }
    if (wanted.call != nullptr) {
        wanted.call(in_time ? ABT_FALSE : ABT_TRUE, wanted.argument);
    }
}

}  // namespace

void attend_to_stack_dumps() noexcept {
    // pairs with: exchange_posted()
    const bool asked = posted.load(std::memory_order_acquire) != nothing;
    const bool is_led = (meeting.load(std::memory_order_relaxed) & led) != 0;
    if (!asked && !is_led) {
        return;
    }
    if (lead_or_follow()) {
        serve();
        dismiss();
    } else {
        follow();
    }
}

void request_stack_dump(std::FILE* to, double timeout, void (*call)(ABT_bool, void*),
                        void* argument) noexcept {
    const unsigned slot = take_slot();
    if (slot == nothing) {
        return;  // all slots are in use; their requests would replace this one anyway
    }
    slots[slot] = {to, timeout, call, argument};
    request replaced;
    exchange_posted(slot, &replaced);
    sched::call_attention();
}

}  // namespace lazult::abt
