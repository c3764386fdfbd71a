// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/spare_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "lazult/sched/lending.hpp"

namespace lazult::sched {
namespace {

// Pushes to a lent pool do not wake spare streams. So they look that often while there are any.
constexpr std::int64_t look_ns = 1'000'000;

}  // namespace

// Each unit comes back to the loop, because it must have left before its pool hears of that.
spare_scheduler::spare_scheduler(stealing_pool& own) : work_stealing_scheduler(own) {
    set_budget(1);
}

work_unit* spare_scheduler::borrow(worker& w) noexcept {
    if (is_stopping()) {
        return nullptr;
    }
    own_number_ = w.stream_number();
    const lending_list::loan taken = lending().take(w);
    only_others_are_there_ = taken.unit == nullptr && lending().maybe_has_work(w);
    lender_ = taken.count;
    return taken.unit;
}

// From now on this stream stands in for no other.
void spare_scheduler::put_back(worker& w) noexcept {
    if (lender_ != nullptr) {
        w.set_stream_number(own_number_);
        std::exchange(lender_, nullptr)->change(-1);
    }
}

work_unit* spare_scheduler::choose(worker& w) noexcept {
    borrows_first_ = !borrows_first_;
    work_unit* const u = borrows_first_ ? borrow(w) : work_stealing_scheduler::next(w);
    if (u != nullptr) {
        return u;
    }
    return borrows_first_ ? work_stealing_scheduler::next(w) : borrow(w);
}

work_unit* spare_scheduler::next(worker& w) noexcept {
    put_back(w);
    work_unit* const u = choose(w);
    const bool looks_further = u == nullptr && !is_stopping();
    return looks_further && lending().look_into_ports() != 0 ? choose(w) : u;
}

// The loop calls it before each unit but those that are handed over, which is too often for a look
// at events.
work_unit* spare_scheduler::poll(worker& w) noexcept {
    put_back(w);
    if (++steps_ < base::current_settings().event_period) {
        return nullptr;
    }
    steps_ = 0;
    lending().look_into_ports();
    return work_stealing_scheduler::poll(w);
}

bool spare_scheduler::may_borrow(const worker& w) noexcept {
    return !is_stopping() && !only_others_are_there_ && lending().maybe_has_work(w);
}

bool spare_scheduler::has_work(worker& w) noexcept {
    return work_stealing_scheduler::has_work(w) || may_borrow(w);
}

bool spare_scheduler::would_find_work(worker& w) noexcept {
    return work_stealing_scheduler::would_find_work(w) || may_borrow(w);
}

void spare_scheduler::after_sleep(worker& w) noexcept {
    work_stealing_scheduler::after_sleep(w);
    only_others_are_there_ = false;
}

std::int64_t spare_scheduler::longest_sleep(worker& w) noexcept {
    const std::int64_t longest_ns = work_stealing_scheduler::longest_sleep(w);
    if (is_stopping() || !(lending().has_lenders() || lending().has_awaited_ports())) {
        return longest_ns;
    }
    return longest_ns < 0 ? look_ns : std::min(longest_ns, look_ns);
}

}  // namespace lazult::sched
