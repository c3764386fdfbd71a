// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/ds/ds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace lazult {
namespace {

constexpr std::int64_t millisecond = 1'000'000;

template <class Atomics>
struct event_count_test : testing::Test {
    using lot_type = ds::parking_lot<Atomics, 70>;
    using gate_type = ds::gate<Atomics, 70>;
    using wait_type = ds::idle_wait<Atomics, 70>;

    lot_type lot;
    gate_type first{lot};
    gate_type second{lot};
    std::array<gate_type*, 2> both{&first, &second};
};
using policies = testing::Types<ds::std_atomics>;
TYPED_TEST_SUITE(event_count_test, policies);

TYPED_TEST(event_count_test, parker_is_claimed_once_and_only_when_armed) {
    ds::parker<TypeParam> parker;
    EXPECT_FALSE(parker.claim());
    parker.arm();
    EXPECT_TRUE(parker.claim());
    EXPECT_FALSE(parker.claim());
    EXPECT_TRUE(parker.wait());
    EXPECT_FALSE(parker.claim());
    parker.arm();
    EXPECT_FALSE(parker.disarm());
    EXPECT_FALSE(parker.claim());
}

TYPED_TEST(event_count_test, parker_gives_up_at_its_deadline) {
    ds::parker<TypeParam> parker;
    parker.arm();
    const std::int64_t deadline = os::now_ns() + 2 * millisecond;
    EXPECT_FALSE(parker.wait(deadline));
    EXPECT_GE(os::now_ns(), deadline);
    EXPECT_FALSE(parker.claim());
}

TYPED_TEST(event_count_test, parker_sleeps_until_claimed) {
    ds::parker<TypeParam> parker;
    int data = 0;
    parker.arm();
    std::thread claimer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        data = 1;
        EXPECT_TRUE(parker.claim());
    });
    EXPECT_TRUE(parker.wait());
    EXPECT_EQ(data, 1);
    claimer.join();
}

TYPED_TEST(event_count_test, slots_are_given_out_once_and_reused) {
    for (unsigned slot = 0; slot < 70; ++slot) {
        EXPECT_EQ(this->lot.take_slot(), slot);
    }
    EXPECT_EQ(this->lot.take_slot(), TestFixture::lot_type::no_slot);
    this->lot.give_slot(65);
    this->lot.give_slot(3);
    EXPECT_EQ(this->lot.take_slot(), 3U);
    EXPECT_EQ(this->lot.take_slot(), 65U);
}

TYPED_TEST(event_count_test, notify_without_sleepers_is_not_remembered) {
    this->first.notify();
    typename TestFixture::wait_type wait(this->lot, 0, this->both);
    wait.prepare();
    EXPECT_FALSE(wait.commit(os::now_ns() + millisecond));
}

TYPED_TEST(event_count_test, notify_between_prepare_and_commit_is_remembered) {
    typename TestFixture::wait_type wait(this->lot, 69, this->both);
    for (auto* const door : this->both) {
        wait.prepare();
        door->notify();
        EXPECT_TRUE(wait.commit());
    }
    wait.prepare();
    EXPECT_TRUE(this->lot.wake(69));
    EXPECT_TRUE(wait.commit());
    EXPECT_FALSE(this->lot.wake(69));
}

TYPED_TEST(event_count_test, cancelled_waits_are_not_claimed) {
    typename TestFixture::wait_type wait(this->lot, 0, this->both);
    typename TestFixture::wait_type other(this->lot, 1, this->both);
    other.prepare();
    wait.prepare();
    wait.cancel();
    this->first.notify();
    EXPECT_TRUE(other.commit());
}

TYPED_TEST(event_count_test, each_notify_claims_another_sleeper) {
    typename TestFixture::wait_type one(this->lot, 0, this->both);
    typename TestFixture::wait_type two(this->lot, 68, this->both);
    one.prepare();
    two.prepare();
    this->first.notify();
    this->second.notify();  // slot 0 has a claim, though its bit in this gate is still set
    EXPECT_TRUE(two.commit(os::now_ns() + 1000 * millisecond)) << "before the first one has run";
    EXPECT_TRUE(one.commit());
}

TYPED_TEST(event_count_test, a_claim_that_is_not_used_is_passed_on) {
    typename TestFixture::wait_type one(this->lot, 0, this->both);
    typename TestFixture::wait_type two(this->lot, 1, this->both);
    one.prepare();
    two.prepare();
    this->first.notify();
    one.cancel();
    EXPECT_TRUE(two.commit());
}

// Of a thousand streams, each of which sleeps at a thousand gates, one that called through all of
// them would wake hundreds.
TYPED_TEST(event_count_test, claims_are_passed_on_at_their_own_gates_alone) {
    typename TestFixture::wait_type claimed(this->lot, 0, this->both);
    typename TestFixture::wait_type other(this->lot, 1, std::span(this->both).last(1));
    claimed.prepare();
    other.prepare();
    this->first.notify();
    claimed.cancel();
    EXPECT_FALSE(other.commit(os::now_ns() + millisecond)) << "nothing happened at the second gate";
}

TYPED_TEST(event_count_test, the_claim_that_woke_is_passed_on_as_well_if_there_is_another_one) {
    typename TestFixture::wait_type claimed(this->lot, 0, this->both);
    claimed.prepare();
    this->first.notify();
    this->second.notify();
    typename TestFixture::wait_type at_first(this->lot, 1, std::span(this->both).first(1));
    typename TestFixture::wait_type at_second(this->lot, 2, std::span(this->both).last(1));
    at_first.prepare();
    at_second.prepare();
    EXPECT_TRUE(claimed.commit());
    EXPECT_TRUE(at_first.commit(os::now_ns() + 1000 * millisecond));
    EXPECT_TRUE(at_second.commit(os::now_ns() + 1000 * millisecond));
}

// Two streams are claimed and have not run yet: one of them hears of what happens at the second
// gate, and tells it once.
TYPED_TEST(event_count_test, one_claimed_stream_for_each_piece_passes_it_on) {
    typename TestFixture::wait_type one(this->lot, 0, this->both);
    typename TestFixture::wait_type two(this->lot, 68, this->both);
    one.prepare();
    two.prepare();
    this->first.notify_many(2);
    this->second.notify();
    typename TestFixture::wait_type called(this->lot, 1, std::span(this->both).last(1));
    typename TestFixture::wait_type not_called(this->lot, 2, std::span(this->both).last(1));
    called.prepare();
    not_called.prepare();
    EXPECT_TRUE(one.commit());
    EXPECT_TRUE(two.commit());
    EXPECT_TRUE(called.commit(os::now_ns() + 1000 * millisecond));
    EXPECT_FALSE(not_called.commit(os::now_ns() + millisecond));
}

TYPED_TEST(event_count_test, notify_all_claims_all) {
    typename TestFixture::wait_type one(this->lot, 0, this->both);
    typename TestFixture::wait_type two(this->lot, 68, this->both);
    one.prepare();
    two.prepare();
    this->first.notify_all();
    EXPECT_TRUE(one.commit());
    EXPECT_TRUE(two.commit());
}

// Two pools, which are numbers of pieces of work, and what the streams below do with them.
struct pieces_of_work {
    std::array<std::atomic<int>, 2> pools{};
    std::atomic<int> done{0};
    std::atomic<bool> stop{false};

    bool take() {
        for (std::atomic<int>& pool : pools) {
            int seen = pool.load(std::memory_order_relaxed);
            while (seen > 0) {
                if (pool.compare_exchange_weak(seen, seen - 1, std::memory_order_relaxed)) {
                    done.fetch_add(1, std::memory_order_relaxed);
                    return true;
                }
            }
        }
        return false;
    }
    bool is_stopped() const { return stop.load(std::memory_order_relaxed); }
    bool has_work() const {
        return is_stopped() || std::any_of(pools.begin(), pools.end(), [](auto& pool) {
                   return pool.load(std::memory_order_relaxed) > 0;
               });
    }
};

// Streams sleep on two gates; producers add work to either. A lost wake-up hangs the test.
TYPED_TEST(event_count_test, stress_loses_no_wake_up) {
    constexpr unsigned streams = 3;
    constexpr int pieces = 30'000;
    pieces_of_work work;
    std::vector<std::thread> threads;
    for (unsigned each = 0; each < streams; ++each) {
        threads.emplace_back([&] {
            const unsigned slot = this->lot.take_slot();
            while (!work.is_stopped()) {
                if (work.take()) {
                    continue;
                }
                typename TestFixture::wait_type wait(this->lot, slot, this->both);
                wait.prepare();
                if (work.has_work()) {
                    wait.cancel();
                } else {
                    wait.commit();
                }
            }
            this->lot.give_slot(slot);
        });
    }
    base::xorshift64 random(7);
    for (int piece = 0; piece < pieces; ++piece) {
        const auto which = static_cast<std::size_t>(random.below(2));
        work.pools[which].fetch_add(1, std::memory_order_relaxed);
        this->both[which]->notify();
        // Now and then everything is done before more comes, so that the streams go to sleep.
        while (random.below(4) == 0 && work.done.load(std::memory_order_relaxed) <= piece) {
            std::this_thread::yield();
        }
    }
    while (work.done.load(std::memory_order_relaxed) < pieces) {
        std::this_thread::yield();
    }
    work.stop.store(true, std::memory_order_relaxed);
    this->first.notify_all();
    for (std::thread& each : threads) {
        each.join();
    }
    EXPECT_EQ(this->lot.take_slot(), 0U);
}

}  // namespace
}  // namespace lazult
