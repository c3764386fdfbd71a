// SPDX-License-Identifier: BSD-3-Clause
#include "threads/unit_hooks.hpp"

#include "pools/unit.hpp"
#include "units/tool.hpp"

namespace lazult::abt {
namespace {

const core::unit_kinds registered(abt_unit, "the Argobots door");

void destroy_record(thread_record* record) noexcept {
    record->keys.destroy_values();
    if (record->users_stack != nullptr) {
        core::disown_user_stack(record->users_stack);
    }
    delete record;
}

// Frees what a unit owns. The core calls it for units that own_unit_data() has marked.
void dispose_unit_data(worker*, work_unit* u) noexcept {
    if (tools_are_on() && !is_named(*u)) LAZULT_UNLIKELY {
        tell(ABT_TOOL_EVENT_THREAD_FREE, *u);
    }
    // relaxed: the unit has ended and was joined, and the join ordered all accesses
    thread_record* record = part_of(*u).record.load(std::memory_order_relaxed);
    if (record != nullptr) {
        destroy_record(record);
        part_of(*u).record.store(nullptr, std::memory_order_relaxed);
    }
    leave_last_pool(*u);
}

// Gives the unit another home. The core calls it to carry out a migration. Returns false if that is
// not possible.
bool rehome(work_unit& u, core::pool& target) noexcept {
    if (associate(u, static_cast<sched::ready_pool&>(target)) != ABT_SUCCESS) {
        return false;
    }
    if (part_of(target).is_users) {
        set_context(u, push_context::migrate);
    }
    return true;
}

}  // namespace

void register_unit_hooks() noexcept {
    core::register_unit_data(abt_unit, dispose_unit_data);
    core::register_rehoming(abt_unit, rehome);
}

}  // namespace lazult::abt
