// SPDX-License-Identifier: BSD-3-Clause
// The pool that keeps units where they began, and that has a lane as long as one stream alone wants
// units from it.
#include "lazult/sched/biased_fifo.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace lazult;
using namespace lazult::support;
using sched::biased_staying;
using sched::stream;

class servant {
public:
    explicit servant(biased_staying& pool) {
        auto scheduler = sched::make_scheduler(base::scheduler_kind::basic);
        EXPECT_EQ(scheduler->add_pool(pool), status::ok);
        EXPECT_EQ(stream::start(std::move(scheduler), &stream_), status::ok);
    }
    servant(const servant&) = delete;
    servant& operator=(const servant&) = delete;
    ~servant() {
        std::thread([this] { EXPECT_EQ(stream::join(stream_), status::ok); }).join();
    }

private:
    stream* stream_ = nullptr;
};

void await_that(const std::function<bool()>& condition) {
    while (!condition()) {
        std::this_thread::yield();
    }
}

[[gnu::noinline]] const worker* here() {
    asm volatile("");
    return &core::this_worker();
}

TEST(biased_staying, belongs_to_the_first_stream_alone) {
    const runtime running(1);
    biased_staying pool;
    const worker* owner = nullptr;
    {
        const servant one(pool);
        spawn(pool, technique::adaptive, [&] { owner = here(); }).join();
        EXPECT_TRUE(pool.is_private_to(owner));
        EXPECT_TRUE(pool.keeps());
    }
    EXPECT_FALSE(pool.is_private_to(owner));
    const servant two(pool);
    spawn(pool, technique::adaptive, [&] { owner = here(); }).join();
    EXPECT_TRUE(pool.is_private_to(owner)) << "no other stream ever wanted it";
}

// A second stream comes while the first one has units in every state, and then the first one goes.
TEST(biased_staying, keeps_units_when_a_second_stream_comes) {
    for (int round = 0; round < 30; ++round) {
        const runtime running(1);
        biased_staying pool;
        constexpr int count = 64;
        constexpr int turns = 50;
        std::atomic<int> moves{0};
        std::atomic<int> begun{0};
        std::atomic<bool> go{false};
        std::vector<unit> units;
        const auto body = [&] {
            const worker* const first = here();
            ++begun;
            for (int i = 0; i < turns || !go; ++i) {
                core::yield();
                moves += here() != first;
                spawn(pool, technique::adaptive, [] { core::yield(); }).join();
                moves += here() != first;
            }
        };
        const auto one = std::make_unique<servant>(pool);
        for (int i = 0; i < count / 2; ++i) {
            units.push_back(spawn(pool, technique::lazy_stack, body));
        }
        await_that([&] { return begun == count / 2; });
        const auto two = std::make_unique<servant>(pool);
        for (int i = 0; i < count / 2; ++i) {
            units.push_back(spawn(pool, technique::adaptive, body));
        }
        go = true;
        units.clear();
        EXPECT_EQ(moves, 0);
        EXPECT_EQ(pool.size(), 0U);
    }
}

// The owner's unit computes. The second stream gets nothing before the owner looks, and then all.
TEST(biased_staying, a_second_stream_waits_for_the_owner_to_look) {
    const runtime running(1);
    biased_staying pool;
    std::atomic<bool> computes{false};
    std::atomic<bool> done{false};
    const servant one(pool);
    const worker* owner = nullptr;
    unit busy = spawn(pool, technique::lazy_stack, [&] {
        owner = here();
        computes = true;
        await_that([&] { return done.load(); });
        core::yield();
        await_that([&] { return !done.load(); });
    });
    await_that([&] { return computes.load(); });
    const servant two(pool);
    std::atomic<const worker*> other{nullptr};
    unit waits = spawn(pool, technique::lazy_stack, [&] { other = here(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(pool.is_private_to(owner));
    EXPECT_EQ(other, nullptr);
    done = true;
    await_that([&] { return !pool.is_private_to(owner); });
    await_that([&] { return other.load() != nullptr; });
    done = false;
    waits.join();
    busy.join();
}

// The owner sleeps when the second stream comes: what is pushed then wakes the one that may run it.
TEST(biased_staying, wakes_a_sleeping_owner_for_what_it_must_give_up) {
    for (int round = 0; round < 50; ++round) {
        const runtime running(1);
        biased_staying pool;
        const servant one(pool);
        spawn(pool, technique::adaptive, [] {}).join();
        const servant two(pool);
        if (round % 2 == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        std::vector<unit> units;
        for (int i = 0; i < 4; ++i) {
            units.push_back(spawn(pool, technique::lazy_stack, [] { core::yield(); }));
        }
        units.clear();
    }
}

}  // namespace
