// SPDX-License-Identifier: BSD-3-Clause
// Eventuals: values that are set later.
#include "sync/eventual.hpp"

#include <cstdlib>

#include "sync/deadline.hpp"
#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

int wait(ABT_eventual eventual, void** value, std::int64_t deadline, const char* function) {
    sync::event_cell* e = checked_eventual(eventual);
    if (e == nullptr) {
        return refuse(ABT_ERR_INV_EVENTUAL, function);
    }
    const caller me = this_caller();
    if (me.is_tasklet()) {
        return refuse(ABT_ERR_EVENTUAL, function);
    }
    if (!e->is_set()) {
        const waiting scope(me, ABT_SYNC_EVENT_TYPE_EVENTUAL, eventual);
        if (const base::status outcome = e->wait_until(deadline); outcome != base::status::ok) {
            return to_code(outcome, ABT_ERR_EVENTUAL);
        }
    }
    if (value != nullptr) {
        *value = e->value();
    }
    return ABT_SUCCESS;
}

}  // namespace

extern "C" {

int ABT_eventual_create(int nbytes, ABT_eventual* neweventual) {
    ABT_GIVE_UP_UNLESS(nbytes >= 0, ABT_ERR_INV_ARG);
    const auto bytes = static_cast<std::size_t>(nbytes);
    void* buffer = bytes == 0 ? nullptr : std::malloc(bytes);
    ABT_GIVE_UP_UNLESS(bytes == 0 || buffer != nullptr, ABT_ERR_MEM);
    auto* memory = make<eventual_object>();
    if (memory == nullptr) {
        std::free(buffer);
        return refuse(ABT_ERR_MEM, __func__);
    }
    new (&part_in<sync::event_cell>(memory)) sync::event_cell(bytes, buffer);
    *neweventual = to_handle(memory);
    return ABT_SUCCESS;
}

int ABT_eventual_free(ABT_eventual* eventual) {
    auto* memory = checked<eventual_object>(*eventual);
    ABT_GIVE_UP_UNLESS(memory != nullptr, ABT_ERR_INV_EVENTUAL);
    void* buffer = part_in<sync::event_cell>(memory).value();
    unmake(memory);
    std::free(buffer);
    *eventual = as_null(ABT_EVENTUAL_NULL);
    return ABT_SUCCESS;
}

int ABT_eventual_wait(ABT_eventual eventual, void** value) {
    return wait(eventual, value, sync::no_deadline, __func__);
}

int ABT_eventual_timedwait(ABT_eventual eventual, void** value, const struct timespec* abstime) {
    return wait(eventual, value, deadline_of(*abstime), __func__);
}

int ABT_eventual_test(ABT_eventual eventual, void** value, ABT_bool* is_ready) {
    const sync::event_cell* e = checked_eventual(eventual);
    ABT_GIVE_UP_UNLESS(e != nullptr, ABT_ERR_INV_EVENTUAL);
    const bool ready = e->is_set();
    if (ready && value != nullptr) {
        *value = e->value();
    }
    *is_ready = ready ? ABT_TRUE : ABT_FALSE;
    return ABT_SUCCESS;
}

int ABT_eventual_set(ABT_eventual eventual, void* value, int nbytes) {
    sync::event_cell* e = checked_eventual(eventual);
    ABT_GIVE_UP_UNLESS(e != nullptr, ABT_ERR_INV_EVENTUAL);
    ABT_GIVE_UP_UNLESS(nbytes >= 0, ABT_ERR_INV_ARG);
    const base::status outcome = e->set(value, static_cast<std::size_t>(nbytes));
    ABT_GIVE_UP_UNLESS(outcome != base::status::invalid_argument, ABT_ERR_INV_EVENTUAL);
    return outcome == base::status::ok ? ABT_SUCCESS : ABT_ERR_EVENTUAL;
}

int ABT_eventual_reset(ABT_eventual eventual) {
    sync::event_cell* e = checked_eventual(eventual);
    ABT_GIVE_UP_UNLESS(e != nullptr, ABT_ERR_INV_EVENTUAL);
    e->reset();
    return ABT_SUCCESS;
}

}  // extern "C"
