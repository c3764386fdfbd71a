// SPDX-License-Identifier: BSD-3-Clause
// Streams that leave: what they were woken for, what they leave behind, what they served.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/runtime.hpp"

namespace {

using namespace std::chrono_literals;
namespace sup = lazult::support;
using lazult::base::status;
using lazult::core::technique;
using lazult::sched::stream;

void nap(std::chrono::milliseconds t) { std::this_thread::sleep_for(t); }

// What an outside thread waits for.
template <class F>
bool within(std::chrono::milliseconds t, F&& f) {
    const auto end = std::chrono::steady_clock::now() + t;
    while (std::chrono::steady_clock::now() < end) {
        if (f()) {
            return true;
        }
        nap(1ms);
    }
    return f();
}

// a stream that was claimed for work, and stops, does not pass the claim on

TEST(leaving, a_stream_that_stops_passes_its_wake_up_on) {
    const sup::runtime running(1);
    int lost = 0;
    for (int round = 0; round < 5; ++round) {
        stream* s1 = nullptr;
        stream* s2 = nullptr;
        stream* gone = nullptr;
        lazult::sched::stealing_pool own;  // not of the group: no thief watches its gate
        auto scheduler = std::make_unique<lazult::sched::work_stealing_scheduler>(own);
        ASSERT_EQ(scheduler->add_pool(own), status::ok);
        ASSERT_EQ(stream::start(std::move(scheduler), &s1), status::ok);
        ASSERT_EQ(stream::start_default(&s2), status::ok);
        ASSERT_EQ(stream::start_default(&gone), status::ok);
        std::atomic<bool> waits{false};
        std::atomic<bool> ran{false};
        sup::unit x = sup::spawn(*gone->pinned(), technique::lazy_stack, [&] {
            waits = true;
            lazult::core::park();
            ran = true;
        });
        ASSERT_TRUE(within(1000ms, [&] { return waits.load(); }));
        nap(20ms);
        std::thread([&] { EXPECT_EQ(stream::join(gone), status::ok); }).join();
        nap(50ms);  // s1 and s2 sleep; the primary stream serves nobody: it stays in this function
        std::thread([&] {
            lazult::core::unpark(x.get());
            EXPECT_EQ(stream::join(s1), status::ok);
        }).join();
        lost += within(1000ms, [&] { return ran.load(); }) ? 0 : 1;
        x.join();
        std::thread([&] { EXPECT_EQ(stream::join(s2), status::ok); }).join();
    }
    EXPECT_EQ(lost, 0) << "a ready unit stayed where it was for a second while a stream slept";
}

// pools that were left behind starve where both pools of the stream are never empty

TEST(leaving, orphaned_pools_are_served_by_busy_streams) {
    const sup::runtime running(1);
    stream* gone = nullptr;
    ASSERT_EQ(stream::start_default(&gone), status::ok);
    std::atomic<bool> waits{false};
    std::atomic<bool> ran{false};
    std::atomic<bool> stop{false};
    sup::unit x = sup::spawn(*gone->pinned(), technique::lazy_stack, [&] {
        waits = true;
        lazult::core::park();
        ran = true;
    });
    ASSERT_TRUE(within(1000ms, [&] { return waits.load(); }));
    nap(20ms);
    std::thread([&] { EXPECT_EQ(stream::join(gone), status::ok); }).join();
    // One unit that gives way in each of the stream's pools: the primary unit, and
    sup::unit hog = sup::spawn(sup::default_pool(), technique::lazy_stack, [&] {
        while (!stop.load()) {
            lazult::core::yield();
        }
    });
    sup::unit hog2 = sup::spawn(sup::pinned(), technique::lazy_stack, [&] {
        while (!stop.load()) {
            lazult::core::yield();
        }
    });
    for (int i = 0; i < 10'000; ++i) {
        lazult::core::yield();
    }
    std::thread([&] { lazult::core::unpark(x.get()); }).join();
    const auto end = std::chrono::steady_clock::now() + 2s;
    std::uint64_t yields = 0;
    while (!ran.load() && std::chrono::steady_clock::now() < end) {
        lazult::core::yield();
        ++yields;
    }
    EXPECT_TRUE(ran.load()) << "not looked at in " << yields << " yields";
    stop = true;
    hog.join();
    hog2.join();
    x.join();
}

// A joiner may be handed over to the stream on which its child ends, but not from a user's pool.
TEST(leaving, a_unit_of_a_users_stealing_pool_stays_with_its_stream) {
    const sup::runtime running(1);
    lazult::sched::stealing_pool p;
    auto scheduler = lazult::sched::make_scheduler(lazult::base::scheduler_kind::basic);
    ASSERT_EQ(scheduler->add_pool(p), status::ok);
    stream* s = nullptr;
    ASSERT_EQ(stream::start(std::move(scheduler), &s), status::ok);
    auto& mine = sup::default_pool();
    std::atomic<bool> stayed{false};
    sup::unit parent = sup::spawn(p, technique::lazy_stack, [&] {
        sup::unit child = sup::spawn(mine, technique::lazy_stack, [&] { nap(20ms); });
        child.join();
        stayed = lazult::sched::this_stream() == s;
    });
    parent.join();
    EXPECT_TRUE(stayed.load());
    EXPECT_EQ(stream::join(s), status::ok);
}

// what a stream under another scheduler than work_stealing leaves behind

TEST(leaving, what_is_left_behind_under_any_scheduler_is_served) {
    auto settings = sup::settings_for(2);
    settings.scheduler = lazult::base::scheduler_kind::basic;
    const sup::runtime running(settings);
    stream* gone = nullptr;
    ASSERT_EQ(stream::start_default(&gone), status::ok);
    std::atomic<bool> waits{false};
    std::atomic<bool> ran{false};
    sup::unit x = sup::spawn(gone->default_pool(), technique::lazy_stack, [&] {
        waits = true;
        lazult::core::park();
        ran = true;
    });
    ASSERT_TRUE(within(1000ms, [&] { return waits.load(); }));
    nap(20ms);
    std::thread([&] { EXPECT_EQ(stream::join(gone), status::ok); }).join();
    lazult::core::unpark(x.get());
    const auto end = std::chrono::steady_clock::now() + 1s;
    while (!ran.load() && std::chrono::steady_clock::now() < end) {
        lazult::core::yield();
    }
    EXPECT_TRUE(ran.load()) << "nobody serves the pool of a stream that has gone";
    if (!ran.load()) {
        ASSERT_EQ(stream::start_default(&gone), status::ok);  // takes that pool over
        x.join();
        std::thread([&] { EXPECT_EQ(stream::join(gone), status::ok); }).join();
    }
}

// two streams that start on one private pool

TEST(attach, of_two_streams_only_one_gets_a_private_pool) {
    const sup::runtime running(1);
    int both = 0;
    for (int round = 0; round < 300; ++round) {
        lazult::sched::private_fifo p;
        std::atomic<int> here{0};
        std::atomic<int> ok{0};
        const auto attach = [&] {
            auto& mine = lazult::core::this_worker();
            here.fetch_add(1);
            while (here.load() != 2) {
            }
            if (p.attach(mine) == status::ok) {
                ok.fetch_add(1);
            }
        };
        std::thread a(attach);
        std::thread b(attach);
        a.join();
        b.join();
        both += ok.load() == 2;
    }
    EXPECT_EQ(both, 0) << "both became its owner";
}

// An opener that comes to a pool when its stream has just left.
TEST(leaving, a_joiner_of_a_local_unit_does_not_wait_for_a_stream_that_has_gone) {
    const sup::runtime running(1);
    for (int round = 0; round < 200; ++round) {
        auto* p = new lazult::sched::private_fifo;
        auto scheduler = lazult::sched::make_scheduler(lazult::base::scheduler_kind::basic);
        ASSERT_EQ(scheduler->add_pool(*p), status::ok);
        stream* s = nullptr;
        ASSERT_EQ(stream::start(std::move(scheduler), &s), status::ok);
        std::atomic<bool> go{false};
        std::atomic<lazult::core::work_unit*> made{nullptr};
        std::atomic<bool> stopping{false};
        std::atomic<bool> joined{false};
        sup::unit u;
        sup::unit starter = sup::spawn(*p, technique::lazy_stack, [&] {
            u = sup::spawn(*p, technique::lazy_stack, [&, round] {
                while (!go.load()) {
                }
                const auto end =
                    std::chrono::steady_clock::now() + std::chrono::nanoseconds(round % 300 * 100);
                while (std::chrono::steady_clock::now() < end) {
                }
            });
            made = u.get();
        });
        while (made.load() == nullptr) {
            std::this_thread::yield();
        }
        std::thread stopper([&] {
            stopping = true;
            EXPECT_EQ(stream::join(s), status::ok);
        });
        while (!stopping.load()) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(300us);
        auto* joiner = new std::thread([&] {
            go = true;
            EXPECT_EQ(u.join(), status::ok);
            joined = true;
        });
        stopper.join();
        if (!within(2000ms, [&] { return joined.load(); })) {
            ADD_FAILURE() << "round " << round
                          << ": the joiner waits for an opener that nobody runs; the unit is "
                          << (u.get()->join.is_finished() ? "finished" : "not finished")
                          << ", pool size " << p->size();
            std::_Exit(1);
        }
        joiner->join();
        delete joiner;
        starter.join();
        u = {};
        starter = {};
        delete p;
    }
}

// Two units end the streams that they run on, at the same moment. Each goes on in another stream's
// pool, which must not be the other one's: that stream waits until its pools are empty. `part` runs
// on each before they end.
template <class Part>
void end_own_streams_at_once(Part part) {
    auto settings = sup::settings_for(1);
    settings.scheduler = lazult::base::scheduler_kind::basic;
    const sup::runtime running(settings);
    for (int round = 0; round < 20; ++round) {
        stream* pair[2] = {};
        ASSERT_EQ(stream::start_default(&pair[0]), status::ok);
        ASSERT_EQ(stream::start_default(&pair[1]), status::ok);
        std::atomic<int> here{0};
        std::atomic<int> ended{0};
        const auto end_own = [&](int i) {
            part(*pair[i], *pair[1 - i]);
            here.fetch_add(1);
            while (here.load() != 2) {
            }
            EXPECT_EQ(stream::join(lazult::sched::this_stream()), status::ok);
            ended.fetch_add(1);
        };
        sup::unit first = sup::spawn(pair[0]->default_pool(), technique::full, [&] { end_own(0); });
        sup::unit second =
            sup::spawn(pair[1]->default_pool(), technique::full, [&] { end_own(1); });
        const auto limit = std::chrono::steady_clock::now() + 5s;
        while (ended.load() != 2 && std::chrono::steady_clock::now() < limit) {
            lazult::core::yield();
        }
        if (ended.load() != 2) {
            ADD_FAILURE() << "round " << round << ": " << ended.load()
                          << " of 2 streams have ended";
            std::_Exit(1);  // the streams cannot be ended any more
        }
        first.join();
        second.join();
    }
}

TEST(leaving, two_units_end_their_own_streams_at_once) {
    end_own_streams_at_once([](stream&, stream&) {});
}

// As a unit does that was handed over to the stream on which its child ended.
TEST(leaving, two_units_end_their_own_streams_while_at_home_on_the_other) {
    end_own_streams_at_once([](stream&, stream& other) {
        lazult::core::work_unit& self = *lazult::core::current_unit();
        self.join.open();
        lazult::core::set_present_home(self, *other.stealing());
    });
}

}  // namespace
