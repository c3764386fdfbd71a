// SPDX-License-Identifier: BSD-3-Clause
#include "streams/xstream_life.hpp"

#include "pools/pool_life.hpp"
#include "settings/environment.hpp"
#include "streams/affinity.hpp"
#include "sync/waiting.hpp"

#include <cstdio>

namespace lazult::abt {
namespace {

// Called last by the stream's OS thread. A thread that waits for has_ended may then free the
// object.
void note_end(void* xstream) noexcept {
    auto& x = *static_cast<xstream_object*>(xstream);
    x.life.store(xstream_life::terminated, std::memory_order_release);  // pairs with: is_running()
    x.has_ended.set();
}

work_unit* prepare_identity(sched::ready_pool* home) noexcept {
    // Every unit must have a home. This is the home of the scheduler's unit if the scheduler has no
    // pools. The pool stays empty, because a main scheduler's unit is never in a pool.
    static base::never_destroyed<sched::private_fifo> nowhere;
    worker* const w = core::try_this_worker();
    if (w == nullptr) {
        return nullptr;
    }
    auto& its_home = home == nullptr ? static_cast<core::pool&>(*nowhere) : *home;
    work_unit* const u = core::prepare(
        *w, its_home, [](void*) {}, nullptr, core::unit_attributes(core::technique::lazy_stack));
    if (u != nullptr) {
        become_unit(*u, abt_main_scheduler | abt_named | core::unit_header::blocks_thread);
    }
    return u;
}

// If the stream is revived, it uses the OS thread of its former life again.
int start_stream(xstream_object& x) noexcept {
    char name[16];
    std::snprintf(name, sizeof name, "abt %d", rank_of(x));
    sched::stream_options options;
    options.owner = &x;
    options.on_end = note_end;
    options.processors = x.cpus;
    options.stream_number = x.number;
    options.thread_name = name;
    const base::status outcome = x.stream == nullptr
                                     ? sched::stream::start(*x.main->scheduler, options, &x.stream)
                                     : x.stream->restart(*x.main->scheduler, options);
    return to_code(outcome, ABT_ERR_INV_SCHED);
}

void forget_stream(xstream_object& x) noexcept {
    if (x.stream != nullptr) {
        sched::stream::discard(std::exchange(x.stream, nullptr));
    }
}

}  // namespace

int make_xstream(sched_object& main, int rank, xstream_object** made) noexcept {
    auto* const x = make<xstream_object>();
    if (x == nullptr) {
        return ABT_ERR_MEM;
    }
    x->main = &main;
    x->main_stack.store(stack_size_of(main), std::memory_order_relaxed);
    int outcome = enter_xstream(*x, rank);
    if (outcome != ABT_SUCCESS) {
        unmake(x);
        return outcome;
    }
    x->root_pool_id = take_pool_id();
    x->identity = prepare_identity(main_pool_of(*x));
    if (x->identity == nullptr ||
        (current_environment().affinity && !choose_default_cpus(rank_of(*x), &x->cpus))) {
        x->main = nullptr;
        unmake_xstream(*x, false);
        return ABT_ERR_MEM;
    }
    x->identity->ran_on.store(x->number, std::memory_order_relaxed);
    *made = x;
    return ABT_SUCCESS;
}

void unmake_xstream(xstream_object& x, bool frees_sched) noexcept {
    remove_xstream(x);
    forget_stream(x);
    if (x.identity != nullptr) {
        x.identity->stk = nullptr;  // the stack belongs to the scheduler
        free_unit(core::this_worker_or_null(), x.identity);
    }
    if (x.main != nullptr) {
        give_sched_back(*x.main);
        if (frees_sched && x.main->is_automatic) {
            free_sched(*x.main);
        }
    }
    unmake(&x);
}

int start_xstream(xstream_object& x) noexcept {
    if (x.stream != nullptr) {
        x.stream->await_rest();
    }
    forget_requests(*x.main);
    x.main->scheduler->set_identity(*x.identity);
    x.has_ended.reset();
    x.life.store(xstream_life::running, std::memory_order_release);  // pairs with: is_running()
    const int outcome = start_stream(x);
    if (outcome != ABT_SUCCESS) {
        // pairs with: is_running()
        x.life.store(xstream_life::terminated, std::memory_order_release);
        x.has_ended.set();
    }
    return outcome;
}

void join_xstream(xstream_object& x) noexcept {
    if (x.stream == nullptr || x.has_ended.is_set()) {
        return;
    }
    ask_main_sched(x, sched_finish);
    const waiting scope(this_caller(), ABT_SYNC_EVENT_TYPE_XSTREAM_JOIN, &x);
    x.has_ended.wait();
}

}  // namespace lazult::abt
