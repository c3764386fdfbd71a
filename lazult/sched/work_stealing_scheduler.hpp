// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of the runtime's own streams: it steals what it does not find in its own pools.
#pragma once

#include <vector>

#include "lazult/sched/scheduler.hpp"
#include "lazult/sched/theft_patience.hpp"

namespace lazult::sched {

// Takes units from its own pools first, then from others of its steal group, nearest first.
class work_stealing_scheduler : public scheduler {
public:
    explicit work_stealing_scheduler(stealing_pool& own);
    ~work_stealing_scheduler() override;
    const char* name() const noexcept override { return "work_stealing"; }

protected:
    work_unit* next(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    bool has_work(worker& w) noexcept override;
    bool would_find_work(worker& w) noexcept override;
    void before_wait(worker& w) noexcept override;
    std::int64_t longest_sleep(worker& w) noexcept override;
    void after_sleep(worker& w) noexcept override;
    void pass_on(worker& w) noexcept override;
    void watch_all(const worker& w) override;

private:
    void look_for_victims() noexcept;
    void refresh_victims() noexcept;
    bool may_steal_from(std::size_t victim, const worker& w) noexcept;
    work_unit* steal_from_orphans(worker& w) noexcept;

    stealing_pool* own_;
    std::vector<stealing_pool*> victims_;
    std::vector<theft_patience> patience_;  // with each victim
    std::uint64_t victims_version_ = 0;
    bool orphans_turn_ =
        false;  // this poll looks at pools without an owner first; every second poll does
};

}  // namespace lazult::sched
