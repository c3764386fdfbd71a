// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/spare_scheduler.hpp"

#include <algorithm>

#include "lazult/sched/lending.hpp"

namespace lazult::sched {
namespace {

// Pushes to a lent pool do not wake spare streams. So they look that often while there are any.
constexpr std::int64_t look_ns = 1'000'000;

}  // namespace

work_unit* spare_scheduler::borrow(worker& w) noexcept {
    if (is_stopping()) {
        return nullptr;
    }
    work_unit* const u = lending().take(w);
    only_others_are_there_ = u == nullptr && lending().maybe_has_work(w);
    return u;
}

work_unit* spare_scheduler::steal(worker& w) noexcept {
    work_unit* const u = work_stealing_scheduler::next(w);
    if (u != nullptr) {
        w.set_stream_number(0);  // it is nobody's stand-in for this unit
    }
    return u;
}

work_unit* spare_scheduler::next(worker& w) noexcept {
    borrows_first_ = !borrows_first_;
    work_unit* const u = borrows_first_ ? borrow(w) : steal(w);
    if (u != nullptr) {
        return u;
    }
    return borrows_first_ ? steal(w) : borrow(w);
}

bool spare_scheduler::would_find_work(worker& w) noexcept {
    return work_stealing_scheduler::would_find_work(w) ||
           (!is_stopping() && !only_others_are_there_ && lending().maybe_has_work(w));
}

void spare_scheduler::after_sleep(worker& w) noexcept {
    work_stealing_scheduler::after_sleep(w);
    only_others_are_there_ = false;
}

std::int64_t spare_scheduler::longest_sleep(worker& w) noexcept {
    const std::int64_t longest_ns = work_stealing_scheduler::longest_sleep(w);
    if (is_stopping() || !lending().has_lenders()) {
        return longest_ns;
    }
    return longest_ns < 0 ? look_ns : std::min(longest_ns, look_ns);
}

}  // namespace lazult::sched
