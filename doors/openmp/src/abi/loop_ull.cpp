// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: loops on unsigned long long.
#include "abi/loop_start.hpp"

using namespace lazult::omp;
using ull = unsigned long long;

#define LAZULT_OMP_NEXT(name) \
    OMP_API bool name(ull* from, ull* to) { return next_chunk(from, to); }

extern "C" {

OMP_API bool GOMP_loop_ull_static_start(bool up, ull start, ull end, ull step, ull chunk, ull* from,
                                        ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_static, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_dynamic_start(bool up, ull start, ull end, ull step, ull chunk,
                                         ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_dynamic), chunk}, from,
                      to);
}

OMP_API bool GOMP_loop_ull_guided_start(bool up, ull start, ull end, ull step, ull chunk, ull* from,
                                        ull* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_guided), chunk}, from,
                      to);
}

OMP_API bool GOMP_loop_ull_runtime_start(bool up, ull start, ull end, ull step, ull* from,
                                         ull* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_runtime), 0}, from, to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_dynamic_start(bool up, ull start, ull end, ull step,
                                                      ull chunk, ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_dynamic, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_guided_start(bool up, ull start, ull end, ull step,
                                                     ull chunk, ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_guided, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, ull start, ull end, ull step,
                                                      ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0}, from, to);
}

OMP_API bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, ull start, ull end, ull step,
                                                            ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0}, from, to);
}

OMP_API bool GOMP_loop_ull_ordered_static_start(bool up, ull start, ull end, ull step, ull chunk,
                                                ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_static, chunk, true}, from, to);
}

OMP_API bool GOMP_loop_ull_ordered_dynamic_start(bool up, ull start, ull end, ull step, ull chunk,
                                                 ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_dynamic, chunk, true}, from, to);
}

OMP_API bool GOMP_loop_ull_ordered_guided_start(bool up, ull start, ull end, ull step, ull chunk,
                                                ull* from, ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_guided, chunk, true}, from, to);
}

OMP_API bool GOMP_loop_ull_ordered_runtime_start(bool up, ull start, ull end, ull step, ull* from,
                                                 ull* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0, true}, from, to);
}

LAZULT_OMP_NEXT(GOMP_loop_ull_static_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_nonmonotonic_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_nonmonotonic_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_nonmonotonic_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_maybe_nonmonotonic_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_ordered_static_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_ordered_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_ordered_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_ull_ordered_runtime_next)

OMP_API bool GOMP_loop_ull_start(bool up, ull start, ull end, ull step, long schedule, ull chunk,
                                 ull* from, ull* to, std::uintptr_t* reductions, void** memory) {
    return start_loop(
        {bounds_of(up, start, end, step), static_cast<std::uint32_t>(schedule), chunk}, from, to,
        {reductions, memory});
}

OMP_API bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull step, long schedule,
                                         ull chunk, ull* from, ull* to, std::uintptr_t* reductions,
                                         void** memory) {
    return start_loop(
        {bounds_of(up, start, end, step), static_cast<std::uint32_t>(schedule), chunk, true}, from,
        to, {reductions, memory});
}

OMP_API bool GOMP_loop_ull_doacross_static_start(unsigned dimensions, ull* counts, ull chunk,
                                                 ull* from, ull* to) {
    return start_doacross(dimensions, counts, {schedule_static, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_doacross_dynamic_start(unsigned dimensions, ull* counts, ull chunk,
                                                  ull* from, ull* to) {
    return start_doacross(dimensions, counts, {schedule_dynamic, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_doacross_guided_start(unsigned dimensions, ull* counts, ull chunk,
                                                 ull* from, ull* to) {
    return start_doacross(dimensions, counts, {schedule_guided, chunk}, from, to);
}

OMP_API bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions, ull* counts, ull* from,
                                                  ull* to) {
    return start_doacross(dimensions, counts, {schedule_runtime, 0}, from, to);
}

OMP_API bool GOMP_loop_ull_doacross_start(unsigned dimensions, ull* counts, long schedule,
                                          ull chunk, ull* from, ull* to, std::uintptr_t* reductions,
                                          void** memory) {
    return start_doacross(dimensions, counts, {static_cast<std::uint32_t>(schedule), chunk}, from,
                          to, {reductions, memory});
}
}