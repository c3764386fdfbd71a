// SPDX-License-Identifier: BSD-3-Clause
#include "teams/thread_pool.hpp"

#include <pthread.h>

#include <mutex>
#include <new>

#include "environment/environment.hpp"
#include "tasks/implicit_task.hpp"
#include "teams/barrier.hpp"
#include "teams/team_setup.hpp"
#include "threads/affinity.hpp"
#include "threads/spreading.hpp"
#include "waiting/crowd.hpp"
#include "waiting/patience.hpp"

namespace lazult::omp {
namespace {

struct pool_state {
    std::mutex lock;
    spare_stack<pool_thread, &pool_thread::next> idle;
    // helpers without an OS thread, kept because records of tasks may point into them
    spare_stack<pool_thread, &pool_thread::next> ended;
    std::size_t started = 0;
};

pool_state& pool() { return base::the_only<pool_state>(); }

// Waits for an order other than `last`. `rivals` is rivals_for_processor() in the last region.
void await_order(pool_thread& me, std::uint32_t last, int rivals) noexcept {
    const auto is_there = [&] {
        // pairs with: order(), exchange of order
        return me.order.load(std::memory_order_seq_cst) != last;
    };
    patience left(rivals);
    const std::uint32_t looks = left.is_crowded() ? 1 : rounds_per_yield;
    do {
        for (std::uint32_t i = 0; i < looks; ++i) {
            if (is_there()) {
                return;
            }
            ds::default_atomics::pause();
        }
        if (!left.is_crowded()) {
            left.yield();
        }
    } while (left.lasts());
    me.asleep.store(1, std::memory_order_seq_cst);  // pairs with: order(), load of asleep
    while (!is_there()) {
        ds::default_atomics::futex_wait(me.order, last, -1);
    }
    me.asleep.store(0, std::memory_order_relaxed);
}

// Ends a helper's part. In a crowd helpers leave at once, but for as many as there are processors:
// more could not help with tasks.
void end_member(thread& t) {
    const bool may_leave = is_crowded() && !t.scheduler->has_residents();
    const auto stay = static_cast<std::uint32_t>(variables().processors);
    finish_at_barrier(t, t.its_team->end,
                      may_leave && t.its_team->size > stay ? t.its_team->size - stay : 0);
}

// Runs a helper's parts of regions, on the OS thread's own stack, as its scheduler's primary unit.
void serve(pool_thread& me) {
    if (me.scheduler != nullptr) {
        me.scheduler->attach(core::this_worker());
    }
    stream_scheduler& scheduler = provide(me.scheduler);
    scheduler.enter(core::this_worker());
    bind_to_scheduler(me.self, scheduler);
    int rivals = rivals_for_processor();
    for (std::uint32_t last = 0;;) {
        await_order(me, last, rivals);
        last = me.order.load(std::memory_order_acquire);  // pairs with: order(), exchange of order
        if (me.region == nullptr) {
            scheduler.leave(core::this_worker());
            scheduler.detach(core::this_worker());
            return;
        }
        team& region = *me.region;
        thread& t = me.self;
        begin_implicit(t, region, me.number);
        leave_parents_processor(t);
        scheduler.primary_data() = unit_data{&t.implicit, &t, me.number, region.size};
        scheduler.serve(&t);
        apply_affinity(t);
        run_part(region);
        rivals = rivals_for_processor();
        end_member(t);
        scheduler.serve(nullptr);
        me.done.store(last, std::memory_order_release);  // pairs with: await_helpers()
    }
}

void* body(void* helper) {
    os::enter_fault_stack();
    os::set_thread_name("omp");
    auto& me = *static_cast<pool_thread*>(helper);
    os::move_this_thread(me.started_from, me.steps);
    serve(me);
    me.done.store(pool_thread::gone, std::memory_order_release);  // pairs with: end_helpers()
    os::leave_fault_stack();
    return nullptr;
}

bool start_thread(pool_thread* helper) noexcept {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (variables().stack_size != 0) {
        ::pthread_attr_setstacksize(&attributes, variables().stack_size);
    }
    pthread_t id;
    const bool started = ::pthread_create(&id, &attributes, body, helper) == 0;
    ::pthread_attr_destroy(&attributes);
    return started;
}

// Starts an OS thread for a helper that has none. No other thread knows the helper.
bool start_anew(pool_thread& one, std::size_t rank) noexcept {
    one.started_from = os::current_processor();
    one.steps = static_cast<int>(rank);
    // both are published by the start of the thread
    one.order.store(0, std::memory_order_relaxed);
    one.done.store(0, std::memory_order_relaxed);
    return start_thread(&one);
}

// Returns an idle helper, or starts one. Helpers do not need the lock while they run.
pool_thread* take_one() {
    pool_state& all = pool();
    const std::lock_guard hold(all.lock);
    if (pool_thread* found = all.idle.pop(); found != nullptr) {
        return found;
    }
    pool_thread* one = all.ended.pop();
    if (one == nullptr) {
        one = new pool_thread;
    }
    if (!start_anew(*one, all.started + 1)) {
        all.ended.push(one);
        return nullptr;
    }
    ++all.started;
    return one;
}

}  // namespace

void take_helpers(std::vector<pool_thread*>& helpers, std::size_t wanted) {
    enter_process_once();
    while (helpers.size() < wanted) {
        pool_thread* one = take_one();
        if (one == nullptr) {
            base::warn(
                "OpenMP: the system refuses more threads; the team is smaller than asked for");
            return;
        }
        helpers.push_back(one);
    }
}

void give_back_helpers(std::vector<pool_thread*>& helpers) noexcept {
    pool_state& all = pool();
    const std::lock_guard hold(all.lock);
    for (pool_thread* each : helpers) {
        all.idle.push(each);
    }
    helpers.clear();
}

void await_helpers(const std::vector<pool_thread*>& helpers) noexcept {
    sync::brief_spin<ds::default_atomics> spin;
    for (const pool_thread* each : helpers) {
        // pairs with: serve(), store of done
        while (each->done.load(std::memory_order_acquire) !=
               each->order.load(std::memory_order_relaxed)) {
            spin.pause();
        }
    }
}

namespace {

void order(pool_thread& helper, team* region, std::uint32_t number) noexcept {
    helper.region = region;
    helper.number = number;
    const std::uint32_t next = order_after(helper.order.load(std::memory_order_relaxed));
    helper.order.exchange(next, std::memory_order_seq_cst);  // pairs with: await_order()
    // pairs with: await_order(), store of asleep
    if (helper.asleep.load(std::memory_order_seq_cst) != 0) {
        ds::default_atomics::futex_wake(helper.order, 1);
    }
}

}  // namespace

void start_helper(pool_thread& helper, team& region, std::uint32_t number) noexcept {
    order(helper, &region, number);
}

void end_helpers(std::vector<pool_thread*>& helpers) noexcept {
    await_helpers(helpers);
    for (pool_thread* each : helpers) {
        order(*each, nullptr, 0);
    }
    sync::brief_spin<ds::default_atomics> spin;
    for (pool_thread* each : helpers) {
        // pairs with: body(), store of done
        while (each->done.load(std::memory_order_acquire) != pool_thread::gone) {
            spin.pause();
        }
    }
    pool_state& all = pool();
    const std::lock_guard hold(all.lock);
    all.started -= helpers.size();
    for (pool_thread* each : helpers) {
        all.ended.push(each);
    }
    helpers.clear();
}

std::size_t pool_size() noexcept {
    pool_state& all = pool();
    const std::lock_guard hold(all.lock);
    return all.started;
}

void forget_pool() noexcept {
    new (&pool()) pool_state;  // another thread may have held its lock
}

}  // namespace lazult::omp
