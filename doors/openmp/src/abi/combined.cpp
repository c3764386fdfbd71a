// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: parallel regions that begin with a loop or with sections.
#include "abi/loop_start.hpp"
#include "teams/parallel.hpp"

using namespace lazult::omp;

namespace {

// Sets up the construct before the fork, so that threads need not enter it.
void put_loop(team& fresh, void* wanted) {
    describe_first_loop(
        fresh, resolved(*static_cast<const loop_request*>(wanted), me().running->variables));
}

void run_loop(region_request region, loop_request wanted) {
    region.preparation = {put_loop, &wanted};
    run_region(region);
}

void begin_loop(region_request region, loop_request wanted) {
    region.preparation = {put_loop, &wanted};
    begin_region(region);
}

loop_request sections(unsigned count) noexcept {
    return {section_bounds(count), in_order(schedule_dynamic), 1};
}

}  // namespace

extern "C" {

OMP_API void GOMP_parallel_loop_static_start(region_function fn, void* data, unsigned threads,
                                             long start, long end, long step, long chunk) {
    begin_loop({fn, data, threads, 0}, loop_of(start, end, step, schedule_static, chunk));
}

OMP_API void GOMP_parallel_loop_dynamic_start(region_function fn, void* data, unsigned threads,
                                              long start, long end, long step, long chunk) {
    begin_loop({fn, data, threads, 0},
               loop_of(start, end, step, in_order(schedule_dynamic), chunk));
}

OMP_API void GOMP_parallel_loop_guided_start(region_function fn, void* data, unsigned threads,
                                             long start, long end, long step, long chunk) {
    begin_loop({fn, data, threads, 0}, loop_of(start, end, step, in_order(schedule_guided), chunk));
}

OMP_API void GOMP_parallel_loop_runtime_start(region_function fn, void* data, unsigned threads,
                                              long start, long end, long step) {
    begin_loop({fn, data, threads, 0}, loop_of(start, end, step, in_order(schedule_runtime), 0));
}

OMP_API void GOMP_parallel_loop_static(region_function fn, void* data, unsigned threads, long start,
                                       long end, long step, long chunk, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, schedule_static, chunk));
}

OMP_API void GOMP_parallel_loop_dynamic(region_function fn, void* data, unsigned threads,
                                        long start, long end, long step, long chunk,
                                        unsigned flags) {
    run_loop({fn, data, threads, flags},
             loop_of(start, end, step, in_order(schedule_dynamic), chunk));
}

OMP_API void GOMP_parallel_loop_guided(region_function fn, void* data, unsigned threads, long start,
                                       long end, long step, long chunk, unsigned flags) {
    run_loop({fn, data, threads, flags},
             loop_of(start, end, step, in_order(schedule_guided), chunk));
}

OMP_API void GOMP_parallel_loop_runtime(region_function fn, void* data, unsigned threads,
                                        long start, long end, long step, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, in_order(schedule_runtime), 0));
}

OMP_API void GOMP_parallel_loop_nonmonotonic_dynamic(region_function fn, void* data,
                                                     unsigned threads, long start, long end,
                                                     long step, long chunk, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, schedule_dynamic, chunk));
}

OMP_API void GOMP_parallel_loop_nonmonotonic_guided(region_function fn, void* data,
                                                    unsigned threads, long start, long end,
                                                    long step, long chunk, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, schedule_guided, chunk));
}

OMP_API void GOMP_parallel_loop_nonmonotonic_runtime(region_function fn, void* data,
                                                     unsigned threads, long start, long end,
                                                     long step, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, schedule_runtime, 0));
}

OMP_API void GOMP_parallel_loop_maybe_nonmonotonic_runtime(region_function fn, void* data,
                                                           unsigned threads, long start, long end,
                                                           long step, unsigned flags) {
    run_loop({fn, data, threads, flags}, loop_of(start, end, step, schedule_runtime, 0));
}

OMP_API void GOMP_parallel_sections_start(region_function fn, void* data, unsigned threads,
                                          unsigned count) {
    begin_loop({fn, data, threads, 0}, sections(count));
}

OMP_API void GOMP_parallel_sections(region_function fn, void* data, unsigned threads,
                                    unsigned count, unsigned flags) {
    run_loop({fn, data, threads, flags}, sections(count));
}
}