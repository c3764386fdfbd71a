// SPDX-License-Identifier: BSD-3-Clause
// Model runs of how a pool with an owner becomes a shared one (sched/biased_fifo.cpp). While its
// owner works in a lane of its own, other threads push to its inbox. Then another thread wants
// units, and the inbox and the lane move to the shared queue. Nothing is lost or taken twice, the
// units that one thread pushes stay in order, and the pool never seems to be empty to a thread that
// knows that it is not. The inbox is the shipped one. The shared queue is a lock-free stand-in of
// the model's, because ds::mpmc_queue has runs of its own.
#include "lazult/ds/ds.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

enum class mistake {
    none,
    does_not_announce_the_way,
    does_not_await_the_spill,
};

struct alignas(64) unit {
    unit* next = nullptr;
    model::model_var<int> payload{0};
    int takers = 0;
};

// Its orders are those of ds::mpmc_queue: the popper acquires what the pusher released. Each slot
// is used once.
class shared_queue {
public:
    void push(unit* u) {
        const unsigned slot = end_.fetch_add(1, std::memory_order_relaxed);
        slots_[slot].store(u, std::memory_order_release);  // pairs with: pop()
    }
    unit* pop() {
        unsigned begin = begin_.load(std::memory_order_relaxed);
        for (;;) {
            unit* const u =
                begin < slots_.size() ? slots_[begin].load(std::memory_order_acquire) : nullptr;
            if (u == nullptr) {
                return nullptr;
            }
            if (begin_.compare_exchange_strong(begin, begin + 1, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
                return u;
            }
        }
    }
    bool has_some() {
        return begin_.load(std::memory_order_acquire) != end_.load(std::memory_order_acquire);
    }

private:
    atomics::atomic<unsigned> begin_;
    atomics::atomic<unsigned> end_;
    std::array<atomics::atomic<unit*>, 4> slots_;
};

// The names are those of sched/biased_fifo.cpp.
template <mistake Planted>
struct biased_pool {
    ds::inbox<unit, &unit::next, atomics> inbox;
    atomics::atomic<bool> is_wanted;
    atomics::atomic<std::size_t> on_the_way;
    atomics::atomic<bool> is_owned{true};
    shared_queue shared;
    std::vector<unit*> lane;  // the owner's, without atomics

    biased_pool() { inbox.open(); }

    void push_other(unit* u) {
        if (inbox.push(u)) {
            return;
        }
        if constexpr (Planted != mistake::does_not_await_the_spill) {
            while (on_the_way.load(std::memory_order_acquire) != 0) {
                atomics::pause();
            }
        }
        shared.push(u);
    }
    void spill() {
        if (inbox.is_closed()) {
            return;
        }
        if constexpr (Planted != mistake::does_not_announce_the_way) {
            on_the_way.fetch_add(1, std::memory_order_acq_rel);
        }
        for (unit* u = inbox.close(); u != nullptr;) {
            unit* const following = u->next;
            shared.push(u);
            u = following;
        }
        if constexpr (Planted != mistake::does_not_announce_the_way) {
            on_the_way.fetch_sub(1, std::memory_order_release);
        }
    }
    void give_up() {
        for (unit* each : lane) {
            shared.push(each);
        }
        lane.clear();
        spill();
        is_owned.store(false, std::memory_order_release);
    }
    // pop_other(), called by the owner. Its lane may be empty or not.
    unit* pop_here() {
        if (!lane.empty()) {
            unit* const u = lane.front();
            lane.erase(lane.begin());
            return u;
        }
        if (!is_owned.load(std::memory_order_relaxed)) {
            return shared.pop();
        }
        unit* u = shared.pop();
        if (is_wanted.load(std::memory_order_relaxed)) {
            give_up();
        } else if (u == nullptr && !inbox.empty_estimate()) {
            if (u = inbox.take_only(); u == nullptr) {
                for (unit* each = inbox.take_all(); each != nullptr;) {
                    unit* const following = each->next;
                    lane.push_back(each);
                    each = following;
                }
            }
        }
        return u;
    }
    // collect(), by the owner
    void collect() {
        if (is_wanted.load(std::memory_order_relaxed)) {
            give_up();
        } else if (is_owned.load(std::memory_order_relaxed)) {
            inbox.open();
        }
    }
    unit* pop_for_others() {
        unit* const u = shared.pop();
        if (u != nullptr || !is_owned.load(std::memory_order_acquire)) {
            return u;
        }
        is_wanted.store(true, std::memory_order_relaxed);
        if (inbox.empty_estimate()) {
            return nullptr;
        }
        spill();
        return shared.pop();
    }
    // For threads other than the owner.
    bool maybe_has_work() {
        return !inbox.empty_estimate() || on_the_way.load(std::memory_order_acquire) != 0 ||
               shared.has_some();
    }
};

template <mistake Planted>
struct work {
    biased_pool<Planted> pool;
    std::array<unit, 3> units;
    std::array<atomics::atomic<bool>, 3> pushed;

    explicit work(model::run& run) {
        run.label(pool, "pool");
        run.label(units, "units");
    }
    void push(unsigned index) {
        units[index].payload = 1;
        pool.push_other(&units[index]);
    }
    int take(unit* u) {
        if (u == nullptr) {
            return -1;
        }
        model::check(u->payload == 1, "the payload came along");
        ++u->takers;
        return static_cast<int>(u - units.data());
    }
    void expect_taken_once(unsigned count) {
        while (take(pool.pop_here()) >= 0 || take(pool.pop_for_others()) >= 0 ||
               !pool.lane.empty()) {
        }
        for (unsigned i = 0; i < count; ++i) {
            model::check(units[i].takers == 1, "each unit is taken once");
        }
    }
};

template <mistake Planted>
void owner_thief_and_pusher(model::run& run) {
    work<Planted> shared(run);
    run.thread("pusher", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("owner", [&] {
        shared.take(shared.pool.pop_here());
        shared.pool.collect();
        shared.take(shared.pool.pop_here());
    });
    run.thread("other", [&] { shared.take(shared.pool.pop_for_others()); });
    run.join();
    shared.expect_taken_once(2);
}

// One thread's units come out in the order in which it pushed them, even if the pool becomes shared
// in between. One thread takes them all.
template <mistake Planted>
void stays_in_order(model::run& run) {
    work<Planted> shared(run);
    int last = -1;
    run.thread("pusher", [&] {
        shared.push(0);
        shared.push(1);
    });
    run.thread("other", [&] {
        for (int i = 0; i < 2; ++i) {
            if (const int index = shared.take(shared.pool.pop_for_others()); index >= 0) {
                model::check(index > last, "first in, first out");
                last = index;
            }
        }
    });
    run.thread("another", [&] { shared.pool.spill(); });
    run.join();
    shared.expect_taken_once(2);
}

// A stream that wants to sleep looks whether there is work that it knows of: nobody takes it
// meanwhile, it only moves.
template <mistake Planted>
void never_seems_empty(model::run& run) {
    work<Planted> shared(run);
    shared.push(0);
    run.thread("mover", [&] { shared.pool.spill(); });
    run.thread("onlooker", [&] { model::check(shared.pool.maybe_has_work(), "the unit is seen"); });
    run.join();
    shared.expect_taken_once(1);
}

constexpr mistake none = mistake::none;
const std::vector<model::scenario> scenarios = {
    {"owner_thief_and_pusher", owner_thief_and_pusher<none>, 2},
    {"stays_in_order", stays_in_order<none>, 2},
    {"never_seems_empty", never_seems_empty<none>},
};

TEST(biased_fifo_model, loses_and_doubles_nothing) { model::expect_sound(scenarios); }

model::result try_wrong(void (*body)(model::run&)) {
    return model::explore(model::limits_of({"", body, 2}), body);
}

TEST(biased_fifo_model, what_is_on_the_way_must_be_announced) {
    EXPECT_TRUE(try_wrong(never_seems_empty<mistake::does_not_announce_the_way>).failed);
}

TEST(biased_fifo_model, a_refused_pusher_awaits_the_spill) {
    EXPECT_TRUE(try_wrong(stays_in_order<mistake::does_not_await_the_spill>).failed);
}

}  // namespace
}  // namespace lazult
