// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/local.hpp>

#include <utility>

#include "lazult/api/refusal.hpp"
#include "lazult/core/core.hpp"

namespace lazult::detail {
namespace {

// The values of an outside OS thread are kept in a descriptor that never runs, made on first use.
constinit thread_local core::work_unit* this_os_thread = nullptr;

struct farewell {
    bool armed = false;
    ~farewell() {
        if (core::work_unit* u = std::exchange(this_os_thread, nullptr); u != nullptr) {
            core::destroy_locals(*u);
            delete u;
        }
    }
};
thread_local farewell at_thread_end;

// Not inlined, because no caller may keep the address of a thread-local variable over a suspension.
LAZULT_NOINLINE core::work_unit* unit_of_os_thread(bool make) {
    if (this_os_thread == nullptr && make) {
        at_thread_end.armed = true;
        this_os_thread = new core::work_unit;
    }
    return this_os_thread;
}

// The unit of main() cannot leave its OS thread, so it uses that thread's values. So main() keeps
// them when the runtime starts and stops.
core::work_unit* unit_of_caller(bool make) {
    core::work_unit* u = core::current_unit();
    return u != nullptr && !u->has(core::flag_host) ? u : unit_of_os_thread(make);
}

}  // namespace

local_key create_local(void (*destroy)(void*)) {
    const core::local_key key = core::create_local_key(destroy);
    if (key == core::invalid_local_key) {
        api::refuse(base::status::out_of_memory, "local");
    }
    return key;
}

void destroy_local(local_key key) noexcept { core::destroy_local_key(key); }

void* get_local(local_key key) noexcept {
    const core::work_unit* u = unit_of_caller(false);
    return u == nullptr ? nullptr : core::get_local(*u, key);
}

void set_local(local_key key, void* value) {
    if (!core::set_local(*unit_of_caller(true), key, value)) {
        api::refuse(base::status::out_of_memory, "local");
    }
}

}  // namespace lazult::detail
