// SPDX-License-Identifier: BSD-3-Clause
// Private pools without an owner, or with units that run on another thread than the owner's.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "lazult/core/switch/nested.hpp"
#include "tests/support/runtime.hpp"

namespace {

using namespace std::chrono_literals;
namespace sup = lazult::support;
using lazult::base::status;
using lazult::core::technique;
using lazult::core::work_unit;
using lazult::core::worker;

void pause_for(int rounds) {
    for (int i = 0; i < rounds; ++i) {
        lazult::ds::default_atomics::pause();
    }
}

// A message that a popper without a scheduler collects, but does not pop, is nobody's: its sender
// saw an owner, and the owner sees an empty inbox when it lets the pool go. Many units in the inbox
// make the collection last longer than the sender's barrier.
TEST(ownerless_pool, a_message_is_not_left_with_the_units) {
    const sup::runtime running(1);
    lazult::sched::private_fifo p;
    worker& w = lazult::core::this_worker();
    ASSERT_EQ(p.attach(w), status::ok);
    sup::unit local = sup::spawn(p, technique::lazy_stack, [] {});  // owned: its join word is local
    ASSERT_EQ(p.pop(w), local.get());                               // somebody holds it
    p.detach(w);
    std::vector<sup::unit> crowd;
    for (int i = 0; i < 20'000; ++i) {
        crowd.emplace_back(p, lazult::core::unit_attributes(technique::run_to_completion), [] {});
    }
    int early = 0;
    for (int round = 0; round < 200; ++round) {
        local.get()->join.reset(lazult::core::join_word<>::local);
        for (sup::unit& u : crowd) {
            p.push(&w, u.get());
        }
        std::atomic<int> at{0};
        work_unit* opener = nullptr;
        std::thread sender([&] {
            lazult::core::this_worker();
            at.fetch_add(1);
            while (at.load() != 2) {
            }
            pause_for(round % 100);
            opener = lazult::core::send_opener(*local.get());
        });
        while (at.load() != 1) {
        }
        at.fetch_add(1);
        pause_for(20);
        work_unit* first = p.pop(w);
        while (first == nullptr) {  // the sender owns the pool, to deliver its message itself
            first = p.pop(w);
        }
        sender.join();
        ASSERT_EQ(first, crowd.front().get());
        early += opener->join.is_finished();
        if (!opener->join.is_finished()) {
            std::this_thread::sleep_for(20ms);
            std::fprintf(stderr,
                         "round %d: the message stays in a pool that nobody owns (size %zu); %d "
                         "were in time\n",
                         round, p.size(), early);
            std::_Exit(1);  // the sender of the message waits for ever
        }
        lazult::core::dismiss_opener(opener);
        while (p.pop(w) != nullptr) {
        }
    }
    for (sup::unit& u : crowd) {
        p.push(&w, u.get());
    }
    while (work_unit* u = p.pop(w)) {
        lazult::core::run_nested(w, u);
    }
    lazult::core::run_nested(w, local.get());
    EXPECT_EQ(local.join(), status::ok);
}

// A unit that the owner's thread has popped is local, and the joiner here would register by a plain
// store. So the owner opens the unit before it hands it to another thread.
TEST(ownerless_pool, a_unit_that_was_opened_runs_elsewhere_and_is_joined) {
    const sup::runtime running(1);
    std::atomic<work_unit*> given{nullptr};
    std::atomic<bool> stop{false};
    std::thread runner([&] {
        worker& w = lazult::core::this_worker();
        while (!stop.load()) {
            if (work_unit* u = given.exchange(nullptr); u != nullptr) {
                lazult::core::run_nested(w, u);
            }
        }
    });
    std::atomic<int> round{0};
    std::atomic<bool> done{false};
    std::thread watchdog([&] {
        int last = -1;
        while (!done.load()) {
            const int now = round.load();
            if (now == last) {
                std::fprintf(stderr, "round %d: the joiner waits for ever\n", now);
                std::_Exit(1);
            }
            last = now;
            for (int i = 0; i < 200 && !done.load(); ++i) {
                std::this_thread::sleep_for(20ms);
            }
        }
    });
    const auto end = std::chrono::steady_clock::now() + 1s;
    while (std::chrono::steady_clock::now() < end) {
        worker& w = lazult::core::this_worker();
        const int r = ++round;
        sup::unit u =
            sup::spawn(sup::pinned(), technique::lazy_stack, [&, r] { pause_for(r % 200); });
        ASSERT_EQ(sup::pinned().pop(w), u.get());
        lazult::core::open_here(*u.get());
        given = u.get();
        while (given.load() != nullptr) {
        }
        EXPECT_EQ(u.join(), status::ok);
    }
    done = true;
    stop = true;
    runner.join();
    watchdog.join();
}

}  // namespace
