// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/sched_predefined.hpp"

#include "pools/pool_pop.hpp"

#include <algorithm>

namespace lazult::abt {
namespace {

// Makes a scheduler of Argobots from a scheduler of the core. It differs in when it ends:
// has_to_stop() decides, and a request to exit ends it although its pools may hold units.
template <class Base>
class predefined : public Base {
public:
    predefined(sched_object& mine, int event_frequency) : mine_(mine) {
        if (event_frequency > 0) {
            Base::set_budget(event_frequency);
        }
    }

protected:
    bool may_end(worker&, int) noexcept override { return has_to_stop(mine_); }

    work_unit* poll(worker& w) noexcept override {
        if (is_asked_to_exit(mine_)) {
            Base::set_fast_pool(nullptr);
        }
        return Base::poll(w);
    }
    work_unit* next(worker& w) noexcept override {
        return is_asked_to_exit(mine_) ? nullptr : Base::next(w);
    }
    work_unit* fair_turn(worker& w) noexcept override {
        return is_asked_to_exit(mine_) ? nullptr : Base::fair_turn(w);
    }

    // Restores the first pool as the fast pool, which poll() removed, because the scheduler may run
    // again.
    void ended(worker& w) noexcept override {
        Base::ended(w);
        if (const auto pools = Base::pools(); !pools.empty()) {
            Base::set_fast_pool(pools.front());
        }
    }
    void took_over(worker& w) noexcept override {
        Base::took_over(w);
        mine_.took_over(w);
    }
    void released() noexcept override { stacked_sched_ended(mine_); }

private:
    sched_object& mine_;
};

// Takes units of a pool only while all earlier pools are empty. A unit that yields continues at
// once if only later pools have ready units.
class priority_order : public sched::basic_scheduler {
public:
    const char* name() const noexcept override { return "PRIO"; }

protected:
    work_unit* next(worker& w) noexcept override {
        for (sched::ready_pool* p : pools().first(eligible(w))) {
            if (work_unit* u = p->pop(w); u != nullptr) {
                return u;
            }
        }
        return nullptr;
    }
    work_unit* fair_turn(worker&) noexcept override { return nullptr; }

private:
    // Returns how many of the pools may provide the next unit. If a unit runs at this moment, it is
    // yielding and is not in its pool yet. Then pools after its home do not count.
    std::size_t eligible(const worker& w) const noexcept {
        const auto all = pools();
        const bool yields = w.current != nullptr &&
                            w.current->state() == core::life_state::running &&
                            w.current != self_unit();
        const auto its = yields ? std::find(all.begin(), all.end(), w.current->home) : all.end();
        return its == all.end() ? all.size() : static_cast<std::size_t>(its - all.begin()) + 1;
    }
};

class waiting_order : public sched::basic_scheduler {
public:
    const char* name() const noexcept override { return "BASIC_WAIT"; }

protected:
    bool spins() const noexcept override { return false; }
};

// Takes units from its first pool. If that is empty, tries each of the other pools once, beginning
// at a random one.
class random_stealing_order : public sched::basic_scheduler {
public:
    const char* name() const noexcept override { return "RANDWS"; }

protected:
    work_unit* next(worker& w) noexcept override {
        const auto all = pools();
        if (all.empty()) {
            return nullptr;
        }
        if (work_unit* u = all.front()->pop(w); u != nullptr) LAZULT_LIKELY {
            return u;
        }
        return all.size() == 1 ? nullptr : steal(w, all.subspan(1));
    }
    work_unit* fair_turn(worker&) noexcept override { return nullptr; }
    bool steals_from(std::size_t number) const noexcept override { return number != 0; }

private:
    work_unit* steal(worker& w, std::span<sched::ready_pool* const> victims) noexcept {
        const std::size_t first = chance_.below(static_cast<std::uint32_t>(victims.size()));
        for (std::size_t i = 0; i < victims.size(); ++i) {
            sched::ready_pool& victim = *victims[(first + i) % victims.size()];
            if (!victim.maybe_has_work(w)) {
                continue;
            }
            if (work_unit* u = pop_from(victim, w, ABT_POOL_CONTEXT_OWNER_SECONDARY);
                u != nullptr) {
                w.count.steals.add(1);
                return u;
            }
        }
        return nullptr;
    }

    base::xorshift64 chance_{reinterpret_cast<std::uintptr_t>(this)};
};

template <class Order>
std::unique_ptr<sched::scheduler> make_scheduler(sched_object& s, int event_frequency) noexcept {
    std::unique_ptr<sched::scheduler> made;
    base::has_memory_for([&] { made = std::make_unique<predefined<Order>>(s, event_frequency); });
    return made;
}

}  // namespace

std::unique_ptr<sched::scheduler> make_predefined_scheduler(sched_object& s,
                                                            int event_frequency) noexcept {
    switch (s.predef) {
        case ABT_SCHED_PRIO: return make_scheduler<priority_order>(s, event_frequency);
        case ABT_SCHED_RANDWS: return make_scheduler<random_stealing_order>(s, event_frequency);
        case ABT_SCHED_BASIC_WAIT: return make_scheduler<waiting_order>(s, event_frequency);
        default: return make_scheduler<sched::basic_scheduler>(s, event_frequency);
    }
}

}  // namespace lazult::abt
