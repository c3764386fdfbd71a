// SPDX-License-Identifier: BSD-3-Clause
#include "waiting/waits.hpp"

#include <algorithm>
#include <utility>

namespace lazult::mpi {
namespace {

constexpr std::uint32_t misses_in_vain = 8;
constexpr std::uint32_t skips_before_test = 16;

}  // namespace

constinit first_test of_receives;
constinit first_test of_others;

opening first_test::choose() noexcept {
    if (misses_.load(std::memory_order_relaxed) < misses_in_vain) {
        return opening::once;
    }
    const std::uint32_t skips = skips_.load(std::memory_order_relaxed);
    skips_.store(skips + 1, std::memory_order_relaxed);
    if (skips % skips_before_test == 0) {
        return opening::once;
    }
    if (!stay::is_alone()) {
        return opening::none;
    }
    return the_poller().has_waiting() ? opening::once : opening::some;
}

bool first_test::settle(opening how, bool is_over) noexcept {
    if (how != opening::once) {
        return is_over;
    }
    const std::uint32_t before = misses_.load(std::memory_order_relaxed);
    const std::uint32_t now = is_over ? 0 : std::min(before + 1, misses_in_vain);
    if (now != before) {
        misses_.store(now, std::memory_order_relaxed);
    }
    return is_over;
}

// A pool of a user's may do anything when it is asked whether it is empty, so the caller may be
// elsewhere after it.
bool stay::is_alone() noexcept {
    core::worker& w = core::running_worker();
    core::work_unit* const self = w.current;
    return !core::has_demands(*self) && w.here->would_only_poll(w) && &core::running_worker() == &w;
}

// If others wait too, any of them may be next, and a poll looks for all, so this ULT need not test.
// A wait that ends at once needs no clock, so the clock is read from the second time on.
bool stay::may_test() noexcept {
    if (the_poller().has_waiting() || !is_alone()) {
        return false;
    }
    if (!std::exchange(has_tested_, true)) {
        return true;
    }
    const std::int64_t now = os::now_ns();
    if (end_ns_ == 0) {
        end_ns_ = now + base::current_settings().idle_spin;
    }
    return now < end_ns_;
}

int complete_request(MPI_Request& request, MPI_Status* status) {
    return complete([&](int* flag) { return PMPI_Test(&request, flag, status); },
                    waiting::for_all(&request, 1));
}

int complete_call(MPI_Comm comm, MPI_Request& request, MPI_Status* status, first_test& first) {
    const call_test test(comm, request, status);
    return complete(test, test.record(), first);
}

// A test is no point of cancellation: the request stays, for one that is. core::yield() would throw
// at once, and let nobody run.
void give_way() {
    if (!base::current_settings().mpi_yield || !may_suspend()) {
        return;
    }
    sync::yield_uncanceled(core::current_unit());
}

}  // namespace lazult::mpi
