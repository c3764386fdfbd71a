// SPDX-License-Identifier: BSD-3-Clause
// The runtime's beginning and end.
#include "load/settings.hpp"
#include "pools/pool_life.hpp"
#include "pools/unit.hpp"
#include "printing/objects.hpp"
#include "printing/stack_dump.hpp"
#include "schedulers/sched_create.hpp"
#include "settings/environment.hpp"
#include "streams/affinity.hpp"
#include "streams/xstream_life.hpp"
#include "streams/xstream_main_sched.hpp"
#include "threads/unit_hooks.hpp"
#include "units/tool.hpp"
#include "units/unit_defaults.hpp"

#include <cstdio>
#include <mutex>

namespace lazult::abt {

namespace {

// All fields are accessed under the lock.
struct runtime {
    std::mutex lock;
    int users = 0;
    xstream_object* primary = nullptr;
    // Becomes the primary stream's main scheduler at the end. It is made at the start, so that
    // ABT_finalize needs no memory.
    sched_object* last = nullptr;
    work_unit* primary_ult = nullptr;
};
constinit runtime the_runtime;

// --- the primary stream

work_unit* prepare_primary_ult(sched::ready_pool& home) noexcept {
    work_unit* const u = core::prepare(
        core::this_worker(), home, [](void*) {}, nullptr,
        core::unit_attributes(core::technique::lazy_stack));
    if (u == nullptr) {
        return nullptr;
    }
    become_unit(*u, abt_primary | abt_named);
    part_of(*u).context = static_cast<std::uint8_t>(push_context::resume);
    if (!provide_for(home, *u)) {
        free_unit(core::this_worker_or_null(), u);
        return nullptr;
    }
    return u;
}

// Makes the calling OS thread the primary stream, and its running code the primary ULT.
int adopt_caller(xstream_object& x, work_unit& primary_ult) noexcept {
    sched::stream_options options;
    options.owner = &x;
    options.processors = x.cpus;
    options.stream_number = x.number;
    forget_requests(*x.main);
    x.main->scheduler->set_identity(*x.identity);
    x.life.store(xstream_life::running, std::memory_order_release);  // pairs with: is_running()
    return to_code(sched::stream::adopt(*x.main->scheduler, primary_ult, options, &x.stream),
                   ABT_ERR_OTHER);
}

// Frees what start_primary() has made, even if start_primary() failed half-way.
void drop_primary(runtime& r) noexcept {
    if (r.primary_ult != nullptr) {
        free_unit(core::this_worker_or_null(), std::exchange(r.primary_ult, nullptr));
    }
    if (r.primary != nullptr) {
        sched_object* const main = std::exchange(r.primary->main, nullptr);
        unmake_xstream(*std::exchange(r.primary, nullptr), false);
        give_sched_back(*main);
        free_sched(*main, true);
    }
    if (r.last != nullptr) {
        free_sched(*std::exchange(r.last, nullptr), true);
    }
}

// Makes the primary stream and its ULT. In case of an error the caller calls drop_primary().
int make_primary(runtime& r) noexcept {
    sched_object* main = nullptr;
    if (const int outcome = create_sched({}, &main); outcome != ABT_SUCCESS) {
        return outcome;
    }
    take_sched(*main, sched_use::main);
    if (const int outcome = make_xstream(*main, 0, &r.primary); outcome != ABT_SUCCESS) {
        give_sched_back(*main);
        free_sched(*main, true);
        return outcome;
    }
    r.primary->is_primary = true;
    r.primary_ult = prepare_primary_ult(*main_pool_of(*r.primary));
    return r.primary_ult == nullptr ? ABT_ERR_MEM : ABT_SUCCESS;
}

// Makes r.last, the primary stream and the primary ULT, and turns the caller into that ULT.
int start_primary(runtime& r) noexcept {
    int outcome = create_sched({}, &r.last);
    reset_pool_ids();  // the pool of r.last takes no id, because Argobots has no such scheduler
    if (outcome == ABT_SUCCESS) {
        outcome = make_primary(r);
    }
    if (outcome == ABT_SUCCESS) {
        outcome = adopt_caller(*r.primary, *r.primary_ult);
    }
    if (outcome != ABT_SUCCESS) {
        drop_primary(r);
    }
    return outcome;
}

int start(runtime& r) noexcept {
    if (core::try_this_worker() == nullptr || !remember_cpus() || !read_environment()) {
        return ABT_ERR_MEM;
    }
    obey_setting(static_cast<null_kind>(value_of(setting::null)));
    print_refusals(current_environment().print_errno);
    sched::enter_process();
    compose_thread_defaults();
    register_unit_hooks();
    reset_thread_ids();
    sched::on_attention(attend_to_stack_dumps);
    if (const int outcome = start_primary(r); outcome != ABT_SUCCESS) {
        sched::leave_process();
        return outcome;
    }
    runtime_is_up.store(true, std::memory_order_release);  // pairs with: is_initialized()
    if (current_environment().print_config) {
        print_config(stdout);
    }
    return ABT_SUCCESS;
}

// --- the end

// Returns SUCCESS if the caller may stop the runtime, or INV_XSTREAM or INV_THREAD.
int check_finalizer(const runtime& r) noexcept {
    const caller me = this_caller();
    if (me.is_outside() || xstream_of(*me.w) != r.primary) {
        return ABT_ERR_INV_XSTREAM;
    }
    return me.unit == r.primary_ult ? ABT_SUCCESS : ABT_ERR_INV_THREAD;
}

// Runs all units in the primary stream's pools to their end, and ends its main scheduler, even a
// user's. The scheduler r.last, which has no units, takes the stream over under the caller.
int drain(runtime& r) {
    const sched_object& main = *r.primary->main;
    if (!main.is_users && !has_units(main) && has_nothing_lent(main)) {
        return ABT_SUCCESS;
    }
    take_sched(*r.last, sched_use::main);
    const int outcome = replace_main_sched(this_caller(), *r.primary, *r.last,
                                           old_sched_fate::freed_with_all_pools);
    if (outcome == ABT_SUCCESS) {
        r.last = nullptr;  // the primary stream has it now
    } else {
        give_sched_back(*r.last);
    }
    return outcome;
}

// Joins and frees the streams that the user did not free. They first run the units in their pools.
void end_forgotten_streams() noexcept {
    for (;;) {
        xstream_object* forgotten = nullptr;
        for_each_xstream(
            [](xstream_object& x, void* found) {
                if (!x.is_primary) {
                    *static_cast<xstream_object**>(found) = &x;
                }
            },
            &forgotten);
        if (forgotten == nullptr) {
            return;
        }
        join_xstream(*forgotten);
        unmake_xstream(*forgotten, true);
    }
}

int stop(runtime& r) {
    if (const int outcome = drain(r); outcome != ABT_SUCCESS) {
        return outcome;
    }
    end_forgotten_streams();
    tool::listen(nullptr, nullptr, 0);
    runtime_is_up.store(false, std::memory_order_release);  // pairs with: is_initialized()
    core::this_worker().set_stream_number(0);
    sched::stream::release(std::exchange(r.primary->stream, nullptr));
    drop_primary(r);
    clear_units();
    sched::leave_process();
    return ABT_SUCCESS;
}

}  // namespace
}  // namespace lazult::abt

using namespace lazult::abt;

int ABT_init(int, char**) {
    runtime& r = the_runtime;
    const std::scoped_lock hold(r.lock);
    if (r.users == 0) {
        const int outcome = start(r);
        ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    }
    ++r.users;
    return ABT_SUCCESS;
}

// The lock is not held while units run, because units may call functions that take it.
int ABT_finalize(void) {
    runtime& r = the_runtime;
    std::unique_lock hold(r.lock);
    ABT_GIVE_UP_UNLESS(r.users != 0, ABT_ERR_UNINITIALIZED);
    if (r.users > 1) {
        --r.users;
        return ABT_SUCCESS;
    }
    int outcome = check_finalizer(r);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    hold.unlock();
    outcome = stop(r);
    ABT_GIVE_UP_UNLESS(outcome == ABT_SUCCESS, outcome);
    hold.lock();
    r.users = 0;
    return ABT_SUCCESS;
}

int ABT_initialized(void) { return is_initialized() ? ABT_SUCCESS : ABT_ERR_UNINITIALIZED; }
