// SPDX-License-Identifier: BSD-3-Clause
// Units that wait for each kind of object: what is found on their stacks. One stream, so that
// nothing runs meanwhile.
#include "lazult/sync/wait_description.hpp"

#include <mutex>
#include <string>

#include "tests/sync/harness.hpp"

namespace lazult::testing {
namespace {

using sync::choice;

std::vector<watch::known_wait> waits_of(const core::work_unit* u) {
    std::vector<watch::known_wait> all;
    sync::describe_waits(*u, all);
    return all;
}

void expect_one(const core::work_unit* u, const std::string& kind, const void* object) {
    EXPECT_TRUE(wait_for([u] { return u->state() == core::life_state::blocked; }));
    const auto all = waits_of(u);
    ASSERT_EQ(all.size(), 1U) << kind;
    EXPECT_EQ(all.front().kind, kind);
    EXPECT_EQ(all.front().object, object) << kind;
}

core::pool& here() { return *sched::this_stream()->pinned(); }

TEST(wait_description, names_each_kind_of_object) {
    runtime_scope runtime(1);
    for (const technique how : suspending_techniques) {
        SCOPED_TRACE(base::name(how));
        sync::eventual eventual;
        sync::future future(1);
        sync::semaphore semaphore(0);
        sync::latch latch(1);
        sync::barrier barrier(2);
        sync::rwlock table;
        sync::channel<int> channel(1);
        table.lock();
        crowd callers;
        const auto start = [&](auto body) { return callers.ult(body, how, &here()); };
        expect_one(start([&] { eventual.wait(); }), "eventual", &eventual);
        expect_one(start([&] { future.wait(); }), "future", &future);
        expect_one(start([&] { semaphore.acquire(); }), "semaphore", &semaphore);
        expect_one(start([&] { latch.wait(); }), "latch", &latch);
        // AddressSanitizer keeps this record apart from the stack, to find uses after return.
        if (const core::work_unit* waits = start([&] { barrier.wait(); }); !probe::asan) {
            expect_one(waits, "barrier", &barrier);
        }
        expect_one(start([&] {
                       table.lock_shared();
                       table.unlock_shared();
                   }),
                   "rwlock", &table);
        expect_one(start([&] {
                       int into = 0;
                       channel.receive(into);
                   }),
                   "channel", &channel.untyped());
        eventual.set();
        future.set(nullptr);
        semaphore.release();
        latch.count_down();
        barrier.wait();
        table.unlock();
        int value = 1;
        channel.send(value);
    }
}

TEST(wait_description, names_a_mutex_and_its_holder) {
    runtime_scope runtime(1);
    sync::mutex m;
    sync::eventual go_on;
    crowd callers;
    const core::work_unit* holder = callers.ult(
        [&] {
            m.lock();
            go_on.wait();
            m.unlock();
        },
        technique::lazy_stack, &here());
    EXPECT_TRUE(wait_for([&] { return holder->state() == core::life_state::blocked; }));
    const core::work_unit* waiter = callers.ult(
        [&] {
            m.lock();
            m.unlock();
        },
        technique::lazy_stack, &here());
    expect_one(waiter, "mutex", &m);
    if (!sync::alone<ds::default_atomics>()) {
        EXPECT_EQ(waits_of(waiter).front().held_by, holder);
    }
    go_on.set();
}

// A mutex that was handed over is held by its new owner.
TEST(wait_description, a_mutex_that_was_handed_over_is_its_new_owners) {
    runtime_scope runtime(2);
    sync::mutex m;
    m.lock();
    crowd callers;
    std::atomic<int> wrong{0};
    callers.ults(8, [&](int) {
        for (int i = 0; i < 2000; ++i) {
            m.lock();
            if (holder_of(m) != core::current_unit()) {
                wrong.fetch_add(1, std::memory_order_relaxed);
            }
            if (i % 64 == 0) {
                core::yield();
            }
            m.unlock();
        }
    });
    m.unlock();
    callers.join();
    EXPECT_EQ(wrong.load(), 0);
}

TEST(wait_description, a_condition_s_waiter_that_was_sent_to_the_mutex_waits_for_that) {
    runtime_scope runtime(1);
    sync::mutex m;
    sync::condition c;
    bool is_set = false;
    crowd callers;
    const core::work_unit* waiter = callers.ult(
        [&] {
            m.lock();
            while (!is_set) {
                c.wait(m);
            }
            m.unlock();
        },
        technique::full, &here());
    expect_one(waiter, "condition", &c);
    m.lock();
    is_set = true;
    c.broadcast();
    const auto now = waits_of(waiter);
    EXPECT_TRUE(waiter->state() == core::life_state::ready ||
                (now.size() == 1 && now.front().object == &m));
    m.unlock();
}

TEST(wait_description, names_all_choices_of_a_wait_for_any) {
    runtime_scope runtime(1);
    sync::eventual e;
    sync::semaphore s(0);
    sync::eventual let_end;
    crowd callers;
    core::work_unit* u = callers.ult([&] { let_end.wait(); }, technique::lazy_stack, &here());
    EXPECT_TRUE(wait_for([&] { return u->state() == core::life_state::blocked; }));
    const core::work_unit* waiter = callers.ult(
        [&] {
            const choice all[] = {choice::set(e), choice::acquired(s), choice::finished(u)};
            sync::wait_any(all);
        },
        technique::lazy_stack, &here());
    EXPECT_TRUE(wait_for([&] { return waiter->state() == core::life_state::blocked; }));
    const auto waits = waits_of(waiter);
    ASSERT_EQ(waits.size(), 3U);
    bool names_unit = false;
    for (const auto& each : waits) {
        names_unit = names_unit || each.for_end_of == u;
        EXPECT_TRUE(each.object == &e || each.object == &s || each.for_end_of == u);
    }
    EXPECT_TRUE(names_unit);
    e.set();
    let_end.set();
}

TEST(wait_description, a_wait_that_is_over_is_not_named) {
    runtime_scope runtime(1);
    sync::eventual e;
    crowd callers;
    const core::work_unit* u = callers.ult([&] { e.wait(); }, technique::lazy_stack, &here());
    expect_one(u, "eventual", &e);
    e.set();
    EXPECT_TRUE(waits_of(u).empty());
}

}  // namespace
}  // namespace lazult::testing
