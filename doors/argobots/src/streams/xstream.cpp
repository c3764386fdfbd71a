// SPDX-License-Identifier: BSD-3-Clause
#include "streams/xstream.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace lazult::abt {

namespace {

// All streams that are not freed.
// field  written by  read by    order
// all    anybody     anybody    under lock
struct xstream_list {
    std::mutex lock;
    xstream_object* first = nullptr;
    std::size_t last_number = 0;
};
constinit xstream_list all;

// The functions up to the end of this namespace are called under the lock.

xstream_object* at_rank(int rank) noexcept {
    xstream_object* x = all.first;
    while (x != nullptr && x->rank.load(std::memory_order_relaxed) != rank) {
        x = x->next;
    }
    return x;
}

int lowest_free_rank() noexcept {
    int lowest = 0;
    while (at_rank(lowest) != nullptr) {
        ++lowest;
    }
    return lowest;
}

// Returns an unused stream number, or 0 if there is none. Numbers are used in turn, so that a
// unit's note of the stream where it ran last stays right for as long as possible after that stream
// is freed.
std::size_t free_number() noexcept {
    for (std::size_t i = 1; i < sched::door_numbers; ++i) {
        const std::size_t number = (all.last_number + i) % sched::door_numbers;
        if (number != 0 && xstream_at[number].load(std::memory_order_relaxed) == nullptr) {
            return number;
        }
    }
    return 0;
}

// Inserts the stream by its rank, so that queries and prints show streams in order.
void link(xstream_object& x, int rank) noexcept {
    xstream_object** at = &all.first;
    while (*at != nullptr && (*at)->rank.load(std::memory_order_relaxed) < rank) {
        at = &(*at)->next;
    }
    x.rank.store(rank, std::memory_order_relaxed);
    x.next = *at;
    *at = &x;
}

void unlink(xstream_object& x) noexcept {
    xstream_object** at = &all.first;
    while (*at != &x) {
        at = &(*at)->next;
    }
    *at = x.next;
}

}  // namespace

void for_each_xstream(void (*visit)(xstream_object&, void*), void* argument) noexcept {
    const std::scoped_lock hold(all.lock);
    for (xstream_object* x = all.first; x != nullptr; x = x->next) {
        visit(*x, argument);
    }
}

int count_xstreams() noexcept {
    int count = 0;
    for_each_xstream([](xstream_object&, void* sum) { ++*static_cast<int*>(sum); }, &count);
    return count;
}

int enter_xstream(xstream_object& x, int rank) noexcept {
    const std::scoped_lock hold(all.lock);
    if (rank >= 0 && at_rank(rank) != nullptr) {
        return ABT_ERR_INV_XSTREAM_RANK;
    }
    const std::size_t number = free_number();
    if (number == 0) {
        return ABT_ERR_MEM;
    }
    all.last_number = number;
    x.number = static_cast<std::uint16_t>(number);
    // pairs with: xstream_numbered(), load of xstream_at
    xstream_at[number].store(x.handle(), std::memory_order_release);
    link(x, rank >= 0 ? rank : lowest_free_rank());
    return ABT_SUCCESS;
}

void remove_xstream(xstream_object& x) noexcept {
    const std::scoped_lock hold(all.lock);
    // relaxed: a null publishes nothing
    xstream_at[x.number].store(nullptr, std::memory_order_relaxed);
    unlink(x);
}

bool change_rank(xstream_object& x, int rank) noexcept {
    const std::scoped_lock hold(all.lock);
    const xstream_object* const other = at_rank(rank);
    if (other != nullptr && other != &x) {
        return false;
    }
    unlink(x);
    link(x, rank);
    return true;
}

xstream_object* find_running_xstream(const xstream_object* but,
                                     bool (*fits)(xstream_object&, void*),
                                     void* argument) noexcept {
    const std::scoped_lock hold(all.lock);
    xstream_object* x = all.first;
    while (x != nullptr && (x == but || !x->is_running() || !fits(*x, argument))) {
        x = x->next;
    }
    return x;
}

void ask_main_sched(xstream_object& x, sched_request what) noexcept {
    const std::scoped_lock hold(all.lock);
    ask(*x.main, what);
}

sched_object& exchange_main_sched(xstream_object& x, sched_object& next) noexcept {
    const std::scoped_lock hold(all.lock);
    sched_object& old = *std::exchange(x.main, &next);
    x.main_stack.store(stack_size_of(next), std::memory_order_relaxed);
    // acquire pairs with: ask(), fetch_or of requests: users of the scheduler call ask() without
    // the lock
    const std::uint32_t asked =
        old.requests.load(std::memory_order_acquire) & (sched_finish | sched_exit);
    if (asked != 0) {
        ask(next, static_cast<sched_request>(asked));
    }
    return old;
}

}  // namespace lazult::abt
