// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/steal_group.hpp"

#include <algorithm>

#include "lazult/topo/topo.hpp"

namespace lazult::sched {

steal_group& thieves() {
    static base::never_destroyed<steal_group> instance;
    return *instance;
}

stealing_pool& steal_group::enter(int processor) {
    const std::lock_guard hold(lock_);
    const std::uint64_t version = version_.load(std::memory_order_relaxed) + 1;
    stealing_pool* p = nullptr;
    if (!retired_.empty()) {
        p = retired_.back();
        retired_.pop_back();
        p->unretire();
        auto old = std::find_if(members_.begin(), members_.end(),
                                [p](const member& m) { return m.pool == p; });
        old->processor = processor;
    } else {
        retired_.reserve(members_.size() + 1);  // for retire(), which may not fail
        members_.reserve(members_.size() + 1);
        p = new stealing_pool;
        p->join_group(version);
        members_.push_back({p, processor});
    }
    // release pairs with: version(), load
    version_.store(version, std::memory_order_release);
    return *p;
}

// The pool stays a member, because units may still be at home there, and thieves must find them.
void steal_group::retire(stealing_pool& p) {
    const std::lock_guard hold(lock_);
    retired_.push_back(&p);
}

void steal_group::add_sleeper(unsigned slot, stealing_pool& own) {
    if (slot == lot::no_slot) {
        return;
    }
    const std::lock_guard hold(lock_);
    if (own.is_in_group()) {
        for (unsigned each = 0; each != sleepers_.size(); ++each) {
            if (sleepers_[each]) {
                own.idle_gate().expect(each);
            }
        }
    }
    sleepers_[slot] = true;
}

// The gates forget the slot, because its next owner may serve other pools.
void steal_group::remove_sleeper(unsigned slot) noexcept {
    if (slot == lot::no_slot) {
        return;
    }
    const std::lock_guard hold(lock_);
    sleepers_[slot] = false;
    for (const member& m : members_) {
        m.pool->idle_gate().forget(slot);
    }
}

bool steal_group::wake_one() noexcept {
    const std::lock_guard hold(lock_);
    for (unsigned each = 0; each != sleepers_.size(); ++each) {
        if (sleepers_[each] && sleepers().wake(each)) {
            return true;
        }
    }
    return false;
}

void steal_group::wake_all() noexcept {
    const std::lock_guard hold(lock_);
    for (unsigned each = 0; each != sleepers_.size(); ++each) {
        if (sleepers_[each]) {
            sleepers().wake(each);
        }
    }
}

void steal_group::empty_all(worker& w, void (*dropped)(worker&, work_unit*)) {
    const std::lock_guard hold(lock_);
    for (const member& m : members_) {
        while (work_unit* u = m.pool->pop(w)) {
            dropped(w, u);
        }
    }
}

std::uint64_t steal_group::others(const stealing_pool& mine,
                                  std::vector<stealing_pool*>& result) const {
    const std::lock_guard hold(lock_);
    const auto me = std::find_if(members_.begin(), members_.end(),
                                 [&](const member& m) { return m.pool == &mine; });
    const int here = me == members_.end() ? 0 : me->processor;
    struct neighbour {
        stealing_pool* pool;
        int distance;
    };
    std::vector<neighbour> sorted;
    sorted.reserve(members_.size());
    const auto& machine = topo::machine();
    for (const member& m : members_) {
        if (m.pool != &mine) {
            sorted.push_back({m.pool, machine.distance(here, m.processor)});
        }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const neighbour& a, const neighbour& b) {
        return a.distance < b.distance;
    });
    result.clear();
    for (const neighbour& n : sorted) {
        result.push_back(n.pool);
    }
    return version_.load(std::memory_order_relaxed);
}

}  // namespace lazult::sched
