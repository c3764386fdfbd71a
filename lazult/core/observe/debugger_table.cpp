// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/debugger_table.hpp"

#include "lazult/core/worker/worker.hpp"

extern "C" {
[[gnu::used]] const lazult::core::debugger_table lazult_debugger_table = {
    .version = 1,
    .in_order = &lazult::core::descriptors_in_order,
    .elsewhere = &lazult::core::descriptors_elsewhere,
    .chunk_bytes = lazult::core::descriptor_chunk_bytes,
    .chunk_next = offsetof(lazult::core::descriptor_chunk, next),
    .unit_bytes = sizeof(lazult::core::work_unit),
    .unit_home = offsetof(lazult::core::work_unit, home),
    .unit_entry = offsetof(lazult::core::work_unit, entry),
    .unit_context = offsetof(lazult::core::work_unit, context),
    .unit_stack = offsetof(lazult::core::work_unit, stk),
    .unit_argument = offsetof(lazult::core::work_unit, argument),
    .unit_join = offsetof(lazult::core::work_unit, join),
    .unit_header = offsetof(lazult::core::work_unit, header),
    .unit_life = offsetof(lazult::core::work_unit, life),
    .unit_started = offsetof(lazult::core::work_unit, started),
    .worker_current = offsetof(lazult::core::worker, current),
    .stack_low = offsetof(lazult::core::stack, low),
    .stack_high = offsetof(lazult::core::stack, high),
    .registers = &lazult::arch::registers_kept,
};
}
