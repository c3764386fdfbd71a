// SPDX-License-Identifier: BSD-3-Clause
// The interface: loops on unsigned long long.
#include "abi/loop_start.hpp"

using namespace lazult::omp;

extern "C" {

OMP_API bool GOMP_loop_ull_static_start(bool up, unsigned long long start, unsigned long long end,
                                        unsigned long long step, unsigned long long chunk,
                                        unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_static,
                       static_cast<std::uint64_t>(chunk), false},
                      from, to);
}

OMP_API bool GOMP_loop_ull_dynamic_start(bool up, unsigned long long start, unsigned long long end,
                                         unsigned long long step, unsigned long long chunk,
                                         unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_dynamic),
                       static_cast<std::uint64_t>(chunk), false},
                      from, to);
}

OMP_API bool GOMP_loop_ull_guided_start(bool up, unsigned long long start, unsigned long long end,
                                        unsigned long long step, unsigned long long chunk,
                                        unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_guided),
                       static_cast<std::uint64_t>(chunk), false},
                      from, to);
}

OMP_API bool GOMP_loop_ull_runtime_start(bool up, unsigned long long start, unsigned long long end,
                                         unsigned long long step, unsigned long long* from,
                                         unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), in_order(schedule_runtime), 0, false}, from,
                      to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_dynamic_start(
    bool up, unsigned long long start, unsigned long long end, unsigned long long step,
    unsigned long long chunk, unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_dynamic,
                       static_cast<std::uint64_t>(chunk), false},
                      from, to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_guided_start(
    bool up, unsigned long long start, unsigned long long end, unsigned long long step,
    unsigned long long chunk, unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_guided,
                       static_cast<std::uint64_t>(chunk), false},
                      from, to);
}

OMP_API bool GOMP_loop_ull_nonmonotonic_runtime_start(bool up, unsigned long long start,
                                                      unsigned long long end,
                                                      unsigned long long step,
                                                      unsigned long long* from,
                                                      unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0, false}, from, to);
}

OMP_API bool GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool up, unsigned long long start,
                                                            unsigned long long end,
                                                            unsigned long long step,
                                                            unsigned long long* from,
                                                            unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0, false}, from, to);
}

OMP_API bool GOMP_loop_ull_ordered_static_start(bool up, unsigned long long start,
                                                unsigned long long end, unsigned long long step,
                                                unsigned long long chunk, unsigned long long* from,
                                                unsigned long long* to) {
    return start_loop(
        {bounds_of(up, start, end, step), schedule_static, static_cast<std::uint64_t>(chunk), true},
        from, to);
}

OMP_API bool GOMP_loop_ull_ordered_dynamic_start(bool up, unsigned long long start,
                                                 unsigned long long end, unsigned long long step,
                                                 unsigned long long chunk, unsigned long long* from,
                                                 unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_dynamic,
                       static_cast<std::uint64_t>(chunk), true},
                      from, to);
}

OMP_API bool GOMP_loop_ull_ordered_guided_start(bool up, unsigned long long start,
                                                unsigned long long end, unsigned long long step,
                                                unsigned long long chunk, unsigned long long* from,
                                                unsigned long long* to) {
    return start_loop(
        {bounds_of(up, start, end, step), schedule_guided, static_cast<std::uint64_t>(chunk), true},
        from, to);
}

OMP_API bool GOMP_loop_ull_ordered_runtime_start(bool up, unsigned long long start,
                                                 unsigned long long end, unsigned long long step,
                                                 unsigned long long* from, unsigned long long* to) {
    return start_loop({bounds_of(up, start, end, step), schedule_runtime, 0, true}, from, to);
}

OMP_API bool GOMP_loop_ull_static_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_dynamic_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_guided_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_runtime_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_nonmonotonic_dynamic_next(unsigned long long* from,
                                                     unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_nonmonotonic_guided_next(unsigned long long* from,
                                                    unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_nonmonotonic_runtime_next(unsigned long long* from,
                                                     unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_maybe_nonmonotonic_runtime_next(unsigned long long* from,
                                                           unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_ordered_static_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_ordered_dynamic_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_ordered_guided_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}
OMP_API bool GOMP_loop_ull_ordered_runtime_next(unsigned long long* from, unsigned long long* to) {
    return next_chunk(from, to);
}

OMP_API bool GOMP_loop_ull_start(bool up, unsigned long long start, unsigned long long end,
                                 unsigned long long step, long schedule, unsigned long long chunk,
                                 unsigned long long* from, unsigned long long* to,
                                 std::uintptr_t* reductions, void** memory) {
    return start_loop({bounds_of(up, start, end, step), static_cast<std::uint32_t>(schedule),
                       static_cast<std::uint64_t>(chunk), false},
                      from, to, {reductions, memory});
}

OMP_API bool GOMP_loop_ull_ordered_start(bool up, unsigned long long start, unsigned long long end,
                                         unsigned long long step, long schedule,
                                         unsigned long long chunk, unsigned long long* from,
                                         unsigned long long* to, std::uintptr_t* reductions,
                                         void** memory) {
    return start_loop({bounds_of(up, start, end, step), static_cast<std::uint32_t>(schedule),
                       static_cast<std::uint64_t>(chunk), true},
                      from, to, {reductions, memory});
}

OMP_API bool GOMP_loop_ull_doacross_static_start(unsigned dimensions, unsigned long long* counts,
                                                 unsigned long long chunk, unsigned long long* from,
                                                 unsigned long long* to) {
    return start_doacross(dimensions, counts, {schedule_static, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_ull_doacross_dynamic_start(unsigned dimensions, unsigned long long* counts,
                                                  unsigned long long chunk,
                                                  unsigned long long* from,
                                                  unsigned long long* to) {
    return start_doacross(dimensions, counts, {schedule_dynamic, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_ull_doacross_guided_start(unsigned dimensions, unsigned long long* counts,
                                                 unsigned long long chunk, unsigned long long* from,
                                                 unsigned long long* to) {
    return start_doacross(dimensions, counts, {schedule_guided, static_cast<std::uint64_t>(chunk)},
                          from, to);
}

OMP_API bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions, unsigned long long* counts,
                                                  unsigned long long* from,
                                                  unsigned long long* to) {
    return start_doacross(dimensions, counts, {schedule_runtime, 0}, from, to);
}

OMP_API bool GOMP_loop_ull_doacross_start(unsigned dimensions, unsigned long long* counts,
                                          long schedule, unsigned long long chunk,
                                          unsigned long long* from, unsigned long long* to,
                                          std::uintptr_t* reductions, void** memory) {
    return start_doacross(dimensions, counts,
                          {static_cast<std::uint32_t>(schedule), static_cast<std::uint64_t>(chunk)},
                          from, to, {reductions, memory});
}
}