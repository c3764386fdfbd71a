// SPDX-License-Identifier: BSD-3-Clause
#include "threads/thread_state.hpp"

#include <atomic>

namespace lazult::abt {

ABT_thread_state state_of(const work_unit& u) noexcept {
    switch (u.state()) {
        case core::life_state::running: return ABT_THREAD_STATE_RUNNING;
        case core::life_state::blocked: return ABT_THREAD_STATE_BLOCKED;
        case core::life_state::finished: return ABT_THREAD_STATE_TERMINATED;
        default: return ABT_THREAD_STATE_READY;
    }
}

const core::pool* home_of(const work_unit& u) noexcept {
    // relaxed, atomic: the thread that runs the unit may be migrating it
    return std::atomic_ref(const_cast<work_unit&>(u).home).load(std::memory_order_relaxed);
}

int last_pool_id_of(const work_unit& u) noexcept {
    const xstream_object* x = has_bit(u, abt_main_scheduler) ? last_xstream_of(u) : nullptr;
    return x != nullptr ? x->root_pool_id : part_of(*home_of(u)).id;
}

bool is_told_unnamed(const work_unit& u) noexcept {
    return !is_named(u) || has_bit(u, abt_primary);
}

void set_migratable(work_unit& u, bool migratable) noexcept {
    if (has_bit(u, abt_primary | abt_main_scheduler)) {
        return;
    }
    if (migratable) {
        set_bit(u, abt_migratable);
    } else {
        clear_bit(u, abt_migratable);
    }
}

std::size_t stack_size_of(const work_unit& u) noexcept {
    if (is_tasklet(u) || has_bit(u, abt_primary)) {
        return 0;
    }
    const xstream_object* x = has_bit(u, abt_main_scheduler) ? last_xstream_of(u) : nullptr;
    return x != nullptr ? main_stack_size_of(*x) : asked_stack_size_of(u);
}

void* stack_base_of(const work_unit& u) noexcept {
    if (is_tasklet(u) || has_bit(u, abt_primary)) {
        return nullptr;
    }
    const thread_record* record = present_record(u);
    if (record != nullptr && record->stack_base != nullptr) {
        return record->stack_base;
    }
    return u.stk == nullptr ? nullptr : u.stk->base;
}

}  // namespace lazult::abt
