// SPDX-License-Identifier: BSD-3-Clause
// Schedulers with a loop of the user's. Every decision is that loop's: a unit under it that gives
// way comes back to it.
#include "schedulers/sched_hosts.hpp"

#include <algorithm>
#include <new>

namespace lazult::abt {
namespace {

class user_host final : public sched::scheduler {
public:
    user_host(sched_object& mine, bool is_stateless) noexcept
        : sched::scheduler(is_stateless ? loop_kind::own_stateless : loop_kind::own_stateful),
          mine_(mine) {
        set_budget(1);
        set_stack_size(stack_size_of(mine));
    }

    const char* name() const noexcept override { return "user"; }

    sched_object& mine() noexcept { return mine_; }
    // add_pool prefers the first one, and the user has not said so.
    void choose_nothing() noexcept { set_fast_pool(nullptr); }

    // The library's own schedulers do this, too, now and then. What others pushed to a pool must
    // not wait until the pool has no units of this stream left: those may be waiting for just that.
    // Other streams that want this stream's units must not wait for it either.
    void look_around(worker& w) noexcept {
        if (++runs_ % look_period == 0) LAZULT_UNLIKELY {
            for (sched::ready_pool* p : pools()) {
                p->collect(w);
            }
        }
    }

    void rest_if_idle(worker& w) noexcept {
        const std::uint64_t ran = w.count.started.get() + w.count.suspensions.get();
        if (ran == ran_before_) {
            os::yield_thread();
        }
        ran_before_ = ran;
    }

protected:
    work_unit* next(worker&) noexcept override { return nullptr; }
    bool may_end(worker&, int) noexcept override { return has_to_stop(mine_); }
    void own_loop() override {
        choose_nothing();
        mine_.def.run(mine_.handle());
    }
    void took_over(worker& w) noexcept override {
        sched::scheduler::took_over(w);
        main_sched_took_over(w);
    }
    void released() noexcept override { stacked_sched_ended(mine_); }

private:
    static constexpr unsigned look_period = 64;

    sched_object& mine_;
    unsigned runs_ = 0;
    std::uint64_t ran_before_ = 0;
};

// The library's own schedulers have no code of a user's. So a caller in a scheduler's own code is
// in one of these.
user_host& host_in_charge(const worker& w) noexcept {
    return static_cast<user_host&>(static_cast<sched::scheduler&>(*w.here));
}

}  // namespace

// A user's has Argobots' default at least: its loop may count on it. It is address space until it
// is used.
std::size_t stack_size_of(const sched_object& s) noexcept {
    constexpr std::size_t least_of_users = std::size_t{4} << 20;
    const std::size_t asked = base::current_settings().scheduler_stack_bytes();
    return s.is_users ? std::max(least_of_users, asked) : asked;
}

std::unique_ptr<sched::scheduler> make_users_host(sched_object& s, bool is_stateless) noexcept {
    try {
        return std::make_unique<user_host>(s, is_stateless);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

sched_object* running_users_sched(const caller& who) noexcept {
    return who.unit != nullptr && core::host::runs_own_code(*who.w) ? &host_in_charge(*who.w).mine()
                                                                    : nullptr;
}

void look_around_in_users_sched(worker& w) noexcept { host_in_charge(w).look_around(w); }

void rest_if_idle(sched_object& s, worker& w) noexcept {
    if (s.is_users) {
        static_cast<user_host&>(*s.host).rest_if_idle(w);
    }
}

}  // namespace lazult::abt
