// SPDX-License-Identifier: BSD-3-Clause
// The scheduler of a spare stream (spares.hpp). It steals as other streams do, and takes units that
// caught streams lend.
#pragma once

#include "lazult/sched/work_stealing_scheduler.hpp"

namespace lazult::sched {

class spare_scheduler final : public work_stealing_scheduler {
public:
    explicit spare_scheduler(stealing_pool& own);
    const char* name() const noexcept override { return "spare"; }

protected:
    work_unit* next(worker& w) noexcept override;
    work_unit* poll(worker& w) noexcept override;
    bool has_work(worker& w) noexcept override;
    bool would_find_work(worker& w) noexcept override;
    std::int64_t longest_sleep(worker& w) noexcept override;
    void after_sleep(worker& w) noexcept override;

private:
    work_unit* choose(worker& w) noexcept;
    work_unit* borrow(worker& w) noexcept;
    void put_back(worker& w) noexcept;
    bool may_borrow(const worker& w) noexcept;

    // Lent pools have only units that must stay, as it seemed before this stream has slept.
    bool only_others_are_there_ = false;
    loan_count* lender_ = nullptr;  // counts the running unit
    std::uint16_t own_number_ = 0;  // worker::number but for lent units
    std::uint32_t steps_ = 0;       // since the last poll
    bool borrows_first_ = false;    // changes at each look, so that neither kind of pool starves
};

}  // namespace lazult::sched
