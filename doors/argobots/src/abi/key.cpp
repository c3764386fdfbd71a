// SPDX-License-Identifier: BSD-3-Clause
// Values that each unit has for itself, under keys.
#include "units/caller.hpp"
#include "units/thread_record.hpp"

using namespace lazult::abt;

namespace {

constinit ds::default_atomics::atomic<std::uint64_t> last_number{0};

void destroy_values(void* record) noexcept {
    static_cast<thread_record*>(record)->keys.destroy_values();
}

// Returns false when memory is exhausted.
bool set_value(work_unit& u, const key_object& key, void* value) noexcept {
    thread_record* record = record_of(u);
    return record != nullptr && record->keys.set(key, value);
}

void* value_of(const work_unit& u, const key_object& key) noexcept {
    const thread_record* record = present_record(u);
    return record == nullptr ? nullptr : record->keys.get(key);
}

// Makes the unit destroy its values at its end. Returns false when memory is exhausted.
bool destroys_own_values(work_unit& u) noexcept {
    static const core::local_key at_end = core::create_local_key(destroy_values);
    thread_record* record = record_of(u);
    return record != nullptr && at_end != core::invalid_local_key &&
           core::set_local(u, at_end, record);
}

// Sets a value of the running unit `u`. No caller frees an unnamed unit, so the unit itself calls
// the destructors of its values at its end, where they may suspend it. Returns false when memory is
// exhausted.
bool set_own_value(work_unit& u, const key_object& key, void* value) noexcept {
    if (!is_named(u) && key.destructor != nullptr && !destroys_own_values(u)) {
        return false;
    }
    return set_value(u, key, value);
}

int set_own(ABT_key key, void* value, const char* function) noexcept {
    const key_object* k = checked<key_object>(key);
    if (k == nullptr) {
        return refuse(ABT_ERR_INV_KEY, function);
    }
    if (!is_initialized()) {
        return refuse(ABT_ERR_UNINITIALIZED, function);
    }
    const caller me = this_caller();
    if (me.is_outside()) {
        return refuse(ABT_ERR_INV_XSTREAM, function);
    }
    return set_own_value(*me.unit, *k, value) ? ABT_SUCCESS : refuse(ABT_ERR_MEM, function);
}

int get_own(ABT_key key, void** value, bool is_up, const char* function) noexcept {
    const key_object* k = checked<key_object>(key);
    if (k == nullptr) {
        return refuse(ABT_ERR_INV_KEY, function);
    }
    if (!is_up) {
        return refuse(ABT_ERR_UNINITIALIZED, function);
    }
    const caller me = this_caller();
    if (me.is_outside()) {
        return refuse(ABT_ERR_INV_XSTREAM, function);
    }
    *value = value_of(*me.unit, *k);
    return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_key_create(void (*destructor)(void*), ABT_key* newkey) {
    // relaxed: it matters only that no two numbers are equal
    const std::uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed);
    return make_object<key_object>(newkey, __func__, destructor, number);
}

int ABT_key_free(ABT_key* key) { return free_object<key_object>(key, __func__); }

int ABT_key_set(ABT_key key, void* value) { return set_own(key, value, __func__); }

int ABT_self_set_specific(ABT_key key, void* value) { return set_own(key, value, __func__); }

int ABT_key_get(ABT_key key, void** value) {
    return get_own(key, value, is_initialized(), __func__);
}

int ABT_self_get_specific(ABT_key key, void** value) { return get_own(key, value, true, __func__); }

int ABT_thread_set_specific(ABT_thread thread, ABT_key key, void* value) {
    ABT_GIVE_UP_UNLESS(is_initialized(), ABT_ERR_UNINITIALIZED);
    work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    const key_object* k = checked<key_object>(key);
    ABT_GIVE_UP_UNLESS(k != nullptr, ABT_ERR_INV_KEY);
    const bool is_own = u == this_caller().unit;
    ABT_GIVE_UP_UNLESS(is_own ? set_own_value(*u, *k, value) : set_value(*u, *k, value),
                       ABT_ERR_MEM);
    return ABT_SUCCESS;
}

int ABT_thread_get_specific(ABT_thread thread, ABT_key key, void** value) {
    const work_unit* u = checked_thread(thread);
    ABT_GIVE_UP_UNLESS(u != nullptr, ABT_ERR_INV_THREAD);
    const key_object* k = checked<key_object>(key);
    ABT_GIVE_UP_UNLESS(k != nullptr, ABT_ERR_INV_KEY);
    *value = value_of(*u, *k);
    return ABT_SUCCESS;
}
}
