// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: loops on long.
#include "abi/loop_start.hpp"

using namespace lazult::omp;

#define LAZULT_OMP_NEXT(name) \
    OMP_API bool name(long* from, long* to) { return next_chunk(from, to); }

extern "C" {

OMP_API bool GOMP_loop_static_start(long start, long end, long step, long chunk, long* from,
                                    long* to) {
    return start_loop(loop_of(start, end, step, schedule_static, chunk), from, to);
}

OMP_API bool GOMP_loop_dynamic_start(long start, long end, long step, long chunk, long* from,
                                     long* to) {
    return start_loop(loop_of(start, end, step, in_order(schedule_dynamic), chunk), from, to);
}

OMP_API bool GOMP_loop_guided_start(long start, long end, long step, long chunk, long* from,
                                    long* to) {
    return start_loop(loop_of(start, end, step, in_order(schedule_guided), chunk), from, to);
}

OMP_API bool GOMP_loop_runtime_start(long start, long end, long step, long* from, long* to) {
    return start_loop(loop_of(start, end, step, in_order(schedule_runtime), 0), from, to);
}

OMP_API bool GOMP_loop_nonmonotonic_dynamic_start(long start, long end, long step, long chunk,
                                                  long* from, long* to) {
    return start_loop(loop_of(start, end, step, schedule_dynamic, chunk), from, to);
}

OMP_API bool GOMP_loop_nonmonotonic_guided_start(long start, long end, long step, long chunk,
                                                 long* from, long* to) {
    return start_loop(loop_of(start, end, step, schedule_guided, chunk), from, to);
}

OMP_API bool GOMP_loop_nonmonotonic_runtime_start(long start, long end, long step, long* from,
                                                  long* to) {
    return start_loop(loop_of(start, end, step, schedule_runtime, 0), from, to);
}

OMP_API bool GOMP_loop_maybe_nonmonotonic_runtime_start(long start, long end, long step, long* from,
                                                        long* to) {
    return start_loop(loop_of(start, end, step, schedule_runtime, 0), from, to);
}

OMP_API bool GOMP_loop_ordered_static_start(long start, long end, long step, long chunk, long* from,
                                            long* to) {
    return start_loop(loop_of(start, end, step, schedule_static, chunk, true), from, to);
}

OMP_API bool GOMP_loop_ordered_dynamic_start(long start, long end, long step, long chunk,
                                             long* from, long* to) {
    return start_loop(loop_of(start, end, step, schedule_dynamic, chunk, true), from, to);
}

OMP_API bool GOMP_loop_ordered_guided_start(long start, long end, long step, long chunk, long* from,
                                            long* to) {
    return start_loop(loop_of(start, end, step, schedule_guided, chunk, true), from, to);
}

OMP_API bool GOMP_loop_ordered_runtime_start(long start, long end, long step, long* from,
                                             long* to) {
    return start_loop(loop_of(start, end, step, schedule_runtime, 0, true), from, to);
}

LAZULT_OMP_NEXT(GOMP_loop_static_next)
LAZULT_OMP_NEXT(GOMP_loop_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_nonmonotonic_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_nonmonotonic_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_nonmonotonic_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_maybe_nonmonotonic_runtime_next)
LAZULT_OMP_NEXT(GOMP_loop_ordered_static_next)
LAZULT_OMP_NEXT(GOMP_loop_ordered_dynamic_next)
LAZULT_OMP_NEXT(GOMP_loop_ordered_guided_next)
LAZULT_OMP_NEXT(GOMP_loop_ordered_runtime_next)

OMP_API bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long* from,
                             long* to, std::uintptr_t* reductions, void** memory) {
    return start_loop(loop_of(start, end, step, static_cast<std::uint32_t>(schedule), chunk), from,
                      to, {reductions, memory});
}

OMP_API bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk,
                                     long* from, long* to, std::uintptr_t* reductions,
                                     void** memory) {
    return start_loop(loop_of(start, end, step, static_cast<std::uint32_t>(schedule), chunk, true),
                      from, to, {reductions, memory});
}

OMP_API bool GOMP_loop_doacross_static_start(unsigned dimensions, long* counts, long chunk,
                                             long* from, long* to) {
    return start_doacross(dimensions, counts, {schedule_static, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_doacross_dynamic_start(unsigned dimensions, long* counts, long chunk,
                                              long* from, long* to) {
    return start_doacross(dimensions, counts, {schedule_dynamic, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_doacross_guided_start(unsigned dimensions, long* counts, long chunk,
                                             long* from, long* to) {
    return start_doacross(dimensions, counts, {schedule_guided, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_doacross_runtime_start(unsigned dimensions, long* counts, long* from,
                                              long* to) {
    return start_doacross(dimensions, counts, {schedule_runtime, 0}, from, to);
}

OMP_API bool GOMP_loop_doacross_start(unsigned dimensions, long* counts, long schedule, long chunk,
                                      long* from, long* to, std::uintptr_t* reductions,
                                      void** memory) {
    return start_doacross(dimensions, counts,
                          {static_cast<std::uint32_t>(schedule), static_cast<std::uint64_t>(chunk)},
                          from, to, {reductions, memory});
}

OMP_API void GOMP_loop_end() { end_construct(); }
OMP_API void GOMP_loop_end_nowait() { leave_share(*me().here); }
OMP_API bool GOMP_loop_end_cancel() { return end_cancellable_construct(); }
}