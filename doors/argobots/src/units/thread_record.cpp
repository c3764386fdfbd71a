// SPDX-License-Identifier: BSD-3-Clause
#include "units/thread_record.hpp"

#include <new>

namespace lazult::abt {
namespace {

constinit unit_ids ids;

// thread_part::stack_units counts stack sizes in this unit. Most sizes are multiples of it.
constexpr std::size_t stack_unit = 64;

void tell_user_of_migration(work_unit* u, void*) noexcept {
    const thread_record* record = present_record(*u);
    if (record != nullptr && record->migrated != nullptr) {
        record->migrated(to_handle(u), record->migrated_argument);
    }
}

}  // namespace

thread_record* record_of(work_unit& u) noexcept {
    thread_record* present = present_record(u);
    if (present != nullptr) LAZULT_LIKELY {
        return present;
    }
    auto* fresh = new (std::nothrow) thread_record;
    if (fresh == nullptr) {
        return nullptr;
    }
    // release pairs with: present_record(); acquire (failure): the record that another thread made
    if (!part_of(u).record.compare_exchange_strong(present, fresh, std::memory_order_acq_rel,
                                                   std::memory_order_acquire)) {
        delete fresh;
        return present;
    }
    own_unit_data(u);
    return fresh;
}

bool set_migration_callback(work_unit& u, void (*callback)(ABT_thread, void*),
                            void* argument) noexcept {
    thread_record* record = record_of(u);
    if (record == nullptr ||
        core::on_migration(u, tell_user_of_migration, nullptr) != base::status::ok) {
        return false;
    }
    record->migrated_argument = argument;
    record->migrated = callback;
    return true;
}

core::entry_function entry_of(const work_unit& u) noexcept {
    return has_bit(u, abt_traced) ? present_record(u)->entry : u.entry;
}

void* argument_of(const work_unit& u) noexcept {
    return has_bit(u, abt_traced) ? present_record(u)->argument : u.argument;
}

void set_argument(work_unit& u, void* argument) noexcept {
    if (has_bit(u, abt_traced)) {
        present_record(u)->argument = argument;
    } else {
        u.argument = argument;
    }
}

std::size_t asked_stack_size_of(const work_unit& u) noexcept {
    if (part_of(u).stack_units != 0) {
        return part_of(u).stack_units * stack_unit;
    }
    const thread_record* record = present_record(u);
    return record != nullptr && record->stack_size != 0 ? record->stack_size
                                                        : base::current_settings().stack_size;
}

bool note_stack_size(work_unit& u, std::size_t bytes) noexcept {
    const std::size_t units = bytes / stack_unit;
    if (bytes % stack_unit == 0 && units <= UINT16_MAX) {
        part_of(u).stack_units = static_cast<std::uint16_t>(units);
        return true;
    }
    thread_record* record = record_of(u);
    if (record == nullptr) {
        return false;
    }
    record->stack_size = bytes;
    return true;
}

void reset_thread_ids() noexcept { ids.begin_at(0); }

bool get_id(work_unit& u, ABT_unit_id* id) noexcept {
    const auto wide_id_of = [&u]() noexcept {
        thread_record* record = record_of(u);
        return record == nullptr ? nullptr : &record->wide_id;
    };
    std::uint64_t number = 0;
    if (!ids.get(part_of(u).id, wide_id_of, &number)) {
        return false;
    }
    *id = number;
    return true;
}

}  // namespace lazult::abt
