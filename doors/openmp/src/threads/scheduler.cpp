// SPDX-License-Identifier: BSD-3-Clause
#include "threads/scheduler.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "environment/environment.hpp"

namespace lazult::omp {
namespace {

core::technique unit_technique() noexcept {
    const core::technique wanted = base::current_settings().technique;
    return wanted == core::technique::run_to_completion ? core::technique::adaptive : wanted;
}

}  // namespace

// Without OMP_STACKSIZE, returns what the system gives its threads, limited to save address space.
std::size_t unit_stack_bytes() noexcept {
    constexpr std::size_t most = std::size_t{8} << 20;
    constexpr std::size_t least = std::size_t{64} << 10;
    if (const std::size_t wanted = variables().stack_size; wanted != 0) {
        return std::clamp(wanted, least, std::size_t{1} << core::largest_stack_class);
    }
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return most;
    }
    return std::clamp(static_cast<std::size_t>(limit.rlim_cur), least, most);
}

const core::unit_attributes& unit_attributes() noexcept {
    static const core::unit_attributes composed =
        core::unit_attributes(unit_technique(), unit_stack_bytes()).user_bits(omp_unit);
    return composed;
}

void thread_scheduler::add_unit(thread& t) noexcept {
    if (t.units++ != 0) {
        return;
    }
    t.served_before = nullptr;
    t.served_next = served_;
    if (served_ != nullptr) {
        served_->served_before = &t;
    }
    served_ = &t;
}

void thread_scheduler::drop_unit(thread& t) noexcept {
    if (--t.units != 0) {
        return;
    }
    if (t.served_next != nullptr) {
        t.served_next->served_before = t.served_before;
    }
    (t.served_before != nullptr ? t.served_before->served_next : served_) = t.served_next;
}

void end_unit(thread& t) noexcept {
    probe::release(core::this_worker().current);  // pairs with: begin_data()
    t.scheduler->drop_resident();
    if (t.its_team->kind == team_kind::units) {
        t.scheduler->drop_unit(t);
    }
}

}  // namespace lazult::omp
