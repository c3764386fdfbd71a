// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/sched_user.hpp"

namespace lazult::abt {
namespace {

// The scheduler of the core that calls a user's loop.
class user_scheduler final : public sched::scheduler {
public:
    user_scheduler(sched_object& mine, bool is_stateless) noexcept
        : sched::scheduler(is_stateless ? loop_kind::own_stateless : loop_kind::own_stateful),
          mine_(mine) {
        set_budget(1);  // each unit that gives way gives control back to the loop
        set_stack_size(stack_size_of(mine));
    }

    const char* name() const noexcept override { return "user"; }

    sched_object& mine() noexcept { return mine_; }

    // Looks at the scheduler's pools now and then, as the library's own schedulers do. Units that
    // other threads pushed must not wait until this stream's units in the pool are used up, because
    // those may be waiting for the pushed units. Requests from streams that want units of this
    // stream are answered, too.
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
        set_fast_pool(nullptr);  // add_pool() has set one, but the user's loop alone chooses pools
        mine_.def.run(mine_.handle());
    }
    void took_over(worker& w) noexcept override {
        sched::scheduler::took_over(w);
        mine_.took_over(w);
    }
    void released() noexcept override { stacked_sched_ended(mine_); }

private:
    static constexpr unsigned look_period = 64;

    sched_object& mine_;
    unsigned runs_ = 0;
    std::uint64_t ran_before_ = 0;
};

// Returns the scheduler that runs. The caller is in a scheduler's own code, and only a user's
// scheduler has own code that calls the interface.
user_scheduler& scheduler_in_charge(const worker& w) noexcept {
    return static_cast<user_scheduler&>(static_cast<sched::scheduler&>(*w.here));
}

}  // namespace

std::unique_ptr<sched::scheduler> make_users_scheduler(sched_object& s,
                                                       bool is_stateless) noexcept {
    std::unique_ptr<sched::scheduler> made;
    base::has_memory_for([&] { made = std::make_unique<user_scheduler>(s, is_stateless); });
    return made;
}

sched_object* running_users_sched(const caller& me) noexcept {
    return me.unit != nullptr && core::host::runs_own_code(*me.w)
               ? &scheduler_in_charge(*me.w).mine()
               : nullptr;
}

void run_child(const caller& me, work_unit& u) {
    if (core::host::runs_own_code(*me.w)) {
        scheduler_in_charge(*me.w).look_around(*me.w);
    }
    core::run_nested(*me.w, &u);
}

void rest_if_idle(sched_object& s, worker& w) noexcept {
    if (s.is_users) {
        static_cast<user_scheduler&>(*s.scheduler).rest_if_idle(w);
    }
}

}  // namespace lazult::abt
