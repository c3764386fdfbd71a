// SPDX-License-Identifier: BSD-3-Clause
// Futures: several pointers that are set later.
#include <optional>

#include "sync/waiting.hpp"

namespace {

using namespace lazult::abt;

struct future_object {
    static constexpr kind arena_kind = kind::future;
    std::optional<sync::future> compartments;
};

}  // namespace

extern "C" {

int ABT_future_create(uint32_t num_compartments, void (*cb_func)(void** arg),
                      ABT_future* newfuture) {
    auto* f = make<future_object>();
    ABT_GIVE_UP_UNLESS(f != nullptr, ABT_ERR_MEM);
    if (!base::has_memory_for([&] { f->compartments.emplace(num_compartments, cb_func); })) {
        unmake(f);
        return refuse(ABT_ERR_MEM, __func__);
    }
    *newfuture = to_handle(f);
    return ABT_SUCCESS;
}

int ABT_future_free(ABT_future* future) { return free_object<future_object>(future, __func__); }

int ABT_future_wait(ABT_future future) {
    auto* f = checked<future_object>(future);
    ABT_GIVE_UP_UNLESS(f != nullptr, ABT_ERR_INV_FUTURE);
    const caller me = this_caller();
    ABT_GIVE_UP_UNLESS(!me.is_tasklet(), ABT_ERR_FUTURE);
    if (f->compartments->is_ready()) {
        return ABT_SUCCESS;
    }
    const waiting scope(me, ABT_SYNC_EVENT_TYPE_FUTURE, future);
    return to_code(f->compartments->wait_until(sync::no_deadline), ABT_ERR_FUTURE);
}

int ABT_future_test(ABT_future future, ABT_bool* is_ready) {
    return ask_object<future_object>(future, __func__, is_ready, [](const auto& f) {
        return f.compartments->is_ready() ? ABT_TRUE : ABT_FALSE;
    });
}

int ABT_future_set(ABT_future future, void* value) {
    auto* f = checked<future_object>(future);
    ABT_GIVE_UP_UNLESS(f != nullptr, ABT_ERR_INV_FUTURE);
    return f->compartments->set(value) == base::status::ok ? ABT_SUCCESS : ABT_ERR_FUTURE;
}

int ABT_future_reset(ABT_future future) {
    auto* f = checked<future_object>(future);
    ABT_GIVE_UP_UNLESS(f != nullptr, ABT_ERR_INV_FUTURE);
    f->compartments->reset();
    return ABT_SUCCESS;
}

}  // extern "C"
