// SPDX-License-Identifier: BSD-3-Clause
// All execution streams that are not freed, their ranks and their places.
#include "streams/xstream.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace lazult::abt {

constinit ds::default_atomics::atomic<xstream_object*> at_place[place_count];

namespace {

// field        written by         read by    order
// first        under lock         under lock
// last_place   under lock         under lock
struct xstream_list {
    std::mutex lock;
    xstream_object* first = nullptr;
    std::size_t last_place = 0;
};
constinit xstream_list all;

// The functions of this part are called under the lock.

xstream_object* at_rank(int rank) noexcept {
    xstream_object* x = all.first;
    while (x != nullptr && x->rank.load(std::memory_order_relaxed) != rank) {
        x = x->next;
    }
    return x;
}

int lowest_free_rank() noexcept {
    int rank = 0;
    while (at_rank(rank) != nullptr) {
        ++rank;
    }
    return rank;
}

// In turn, so that a place that became free means what it meant for as long as possible. 0: there
// is none.
std::size_t free_place() noexcept {
    for (std::size_t i = 1; i < place_count; ++i) {
        const std::size_t place = (all.last_place + i) % place_count;
        if (place != 0 && at_place[place].load(std::memory_order_relaxed) == nullptr) {
            return place;
        }
    }
    return 0;
}

// By rank, so that lists and prints are in order.
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
    const std::size_t place = free_place();
    if (place == 0) {
        return ABT_ERR_MEM;
    }
    all.last_place = place;
    x.place = static_cast<std::uint16_t>(place);
    // pairs with: last_xstream_of(), load of at_place
    at_place[place].store(&x, std::memory_order_release);
    link(x, rank >= 0 ? rank : lowest_free_rank());
    return ABT_SUCCESS;
}

void remove_xstream(xstream_object& x) noexcept {
    const std::scoped_lock hold(all.lock);
    at_place[x.place].store(nullptr, std::memory_order_relaxed);  // nothing is behind it
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
    // acquire pairs with: ask(), fetch_or of requests: by the scheduler's users, without the lock
    const std::uint32_t asked =
        old.requests.load(std::memory_order_acquire) & (sched_finish | sched_exit);
    if (asked != 0) {
        ask(next, static_cast<sched_request>(asked));
    }
    return old;
}

xstream_object* checked_xstream(ABT_xstream handle) noexcept {
    return checked<xstream_object>(handle);
}

ABT_xstream to_handle(xstream_object* x) noexcept { return to_handle<xstream_object>(x); }

xstream_object* xstream_of(const worker& w) noexcept { return running_xstream(w); }

xstream_object* last_xstream_of(const work_unit& u) noexcept {
    // acquire pairs with: enter_xstream(), store of at_place
    return at_place[u.ran_on.load(std::memory_order_relaxed)].load(std::memory_order_acquire);
}

int rank_of(const xstream_object& x) noexcept { return x.rank.load(std::memory_order_relaxed); }

std::size_t main_stack_size_of(const xstream_object& x) noexcept {
    return x.main_stack.load(std::memory_order_relaxed);
}

int root_pool_id_of(const xstream_object& x) noexcept { return x.root_pool_id; }

bool is_primary(const xstream_object& x) noexcept { return x.is_primary; }

sched_object* main_sched_of(const xstream_object& x) noexcept { return x.main; }

sched::ready_pool* main_pool_of(const xstream_object& x) noexcept {
    return x.main == nullptr || x.main->pools().empty() ? nullptr : x.main->pools().front();
}

}  // namespace lazult::abt
