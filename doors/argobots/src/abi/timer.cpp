// SPDX-License-Identifier: BSD-3-Clause
// Stopwatches, and the current time.
#include "handles/handles.hpp"

namespace {

using namespace lazult::abt;

// Both times are in nanoseconds, on the clock of os::now_ns().
struct timer_object {
    static constexpr kind arena_kind = kind::timer;
    std::int64_t start = 0;
    std::int64_t stop = 0;

    double seconds() const noexcept { return static_cast<double>(stop - start) * 1e-9; }
};

int create(const timer_object& like, ABT_timer* newtimer) noexcept {
    auto* t = make<timer_object>(like);
    *newtimer = to_handle(t);
    return t == nullptr ? ABT_ERR_MEM : ABT_SUCCESS;
}

double measure_overhead() noexcept {
    constexpr int pairs = 5000;
    timer_object t;
    const std::int64_t before = os::now_ns();
    for (int i = 0; i < pairs; ++i) {
        lazult::base::anew(&t)->start = os::now_ns();
        lazult::base::anew(&t)->stop = os::now_ns();
    }
    return static_cast<double>(os::now_ns() - before) * 1e-9 / pairs;
}

}  // namespace

extern "C" {

double ABT_get_wtime(void) { return static_cast<double>(os::now_ns()) * 1e-9; }

int ABT_timer_create(ABT_timer* newtimer) { return create(timer_object(), newtimer); }

int ABT_timer_dup(ABT_timer timer, ABT_timer* newtimer) {
    const auto* t = checked<timer_object>(timer);
    *newtimer = as_null(ABT_TIMER_NULL);
    ABT_GIVE_UP_UNLESS(t != nullptr, ABT_ERR_INV_TIMER);
    return create(*t, newtimer);
}

int ABT_timer_free(ABT_timer* timer) { return free_object<timer_object>(timer, __func__); }

int ABT_timer_start(ABT_timer timer) {
    auto* t = checked<timer_object>(timer);
    ABT_GIVE_UP_UNLESS(t != nullptr, ABT_ERR_INV_TIMER);
    t->start = os::now_ns();
    return ABT_SUCCESS;
}

int ABT_timer_stop(ABT_timer timer) {
    const std::int64_t now = os::now_ns();
    auto* t = checked<timer_object>(timer);
    ABT_GIVE_UP_UNLESS(t != nullptr, ABT_ERR_INV_TIMER);
    t->stop = now;
    return ABT_SUCCESS;
}

int ABT_timer_read(ABT_timer timer, double* secs) {
    return ask_object<timer_object>(timer, __func__, secs,
                                    [](const auto& t) { return t.seconds(); });
}

int ABT_timer_stop_and_read(ABT_timer timer, double* secs) {
    const std::int64_t now = os::now_ns();
    auto* t = checked<timer_object>(timer);
    ABT_GIVE_UP_UNLESS(t != nullptr, ABT_ERR_INV_TIMER);
    t->stop = now;
    *secs = t->seconds();
    return ABT_SUCCESS;
}

int ABT_timer_stop_and_add(ABT_timer timer, double* secs) {
    const std::int64_t now = os::now_ns();
    auto* t = checked<timer_object>(timer);
    ABT_GIVE_UP_UNLESS(t != nullptr, ABT_ERR_INV_TIMER);
    t->stop = now;
    *secs += t->seconds();
    return ABT_SUCCESS;
}

int ABT_timer_get_overhead(double* overhead) {
    *overhead = measure_overhead();
    return ABT_SUCCESS;
}

}  // extern "C"
