// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include <atomic>
#include <cstring>
#include <string>

namespace lazult::testing {
namespace {

using base::status;
using sync::channel;

TEST(channel, is_first_in_first_out_and_bounded) {
    channel<int> c(3);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(c.try_send(i), status::ok);
    }
    EXPECT_EQ(c.try_send(9), status::busy);
    EXPECT_EQ(c.send(9, in_ms(2)), status::timed_out);
    EXPECT_EQ(c.size(), 3U);
    int got = -1;
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(c.receive(got), status::ok);
        EXPECT_EQ(got, i);
    }
    EXPECT_EQ(c.try_receive(got), status::busy);
    EXPECT_EQ(c.receive(got, in_ms(2)), status::timed_out);
    EXPECT_EQ(got, 2);
}

TEST(channel, many_senders_and_receivers) {
    on_one_and_two_streams([] {
        for (const std::size_t capacity : {1U, 4U, 100U}) {
            channel<long> c(capacity);
            std::atomic<long> sum{0};
            std::atomic<int> receivers_done{0};
            crowd callers;
            const auto send = [&](int who) {
                for (long i = 0; i < 200; ++i) {
                    EXPECT_EQ(c.send(who * 1000L + i), status::ok);
                }
            };
            const auto receive = [&](int) {
                // From each sender in order.
                std::array<long, 6> last{};
                last.fill(-1);
                long value = 0;
                while (c.receive(value) == status::ok) {
                    sum.fetch_add(value);
                    long& before = last[static_cast<std::size_t>(value / 1000)];
                    EXPECT_LT(before, value % 1000);
                    before = value % 1000;
                }
                receivers_done.fetch_add(1);
            };
            crowd senders;
            callers.threads(1, receive);
            callers.ults(4, receive);
            senders.threads(1, send);
            senders.ults(5, [&](int i) { send(i + 1); });
            senders.join();
            EXPECT_TRUE(c.close());
            callers.join();
            EXPECT_EQ(sum.load(), (0L + 1 + 2 + 3 + 4 + 5) * 1000 * 200 + 6 * (199 * 200 / 2));
            EXPECT_EQ(receivers_done.load(), 5);
        }
    });
}

// A waker may find a caller between the listing of its record and its sleep. Then the caller is
// made ready by its own stream, and learns from the wait word what the waker did. For
// ThreadSanitizer; strings that it can see being moved.
TEST(channel, a_caller_that_is_about_to_sleep_sees_what_its_waker_did) {
    constexpr int senders = 4;
    constexpr int strings = 20'000;
    const runtime_scope runtime(2);
    const sync::wait_limit limit(sync::no_deadline, core::cancelable::yes);
    channel<std::string> c(1);
    std::atomic<std::size_t> letters{0};
    crowd receiving;
    receiving.ults(senders, [&](int) {
        std::string got;
        while (c.receive(got, limit) == status::ok) {
            letters += got.size();
        }
    });
    crowd sending;
    sending.ults(senders, [&](int) {
        for (int i = 0; i < strings; ++i) {
            EXPECT_EQ(c.send(std::string("three"), limit), status::ok);
        }
    });
    sending.join();
    EXPECT_TRUE(c.close());
    receiving.join();
    EXPECT_EQ(letters.load(), std::size_t{senders} * strings * 5);
}

TEST(channel, closing_wakes_everybody_and_leaves_what_was_sent) {
    on_one_and_two_streams([] {
        channel<std::string> full(1);
        channel<std::string> empty(1);
        EXPECT_EQ(full.send("first"), status::ok);
        std::atomic<int> closed{0};
        crowd callers;
        callers.ults(3, [&](int) {
            std::string kept = "kept";
            closed += full.send(kept) == status::closed ? 1 : 0;
            EXPECT_EQ(kept, "kept");
        });
        callers.ults(3, [&](int) {
            std::string got;
            closed += empty.receive(got) == status::closed ? 1 : 0;
        });
        core::yield();
        EXPECT_TRUE(full.close());
        EXPECT_FALSE(full.close());
        EXPECT_TRUE(empty.close());
        callers.join();
        EXPECT_EQ(closed.load(), 6);
        std::string got;
        EXPECT_EQ(full.receive(got), status::ok);
        EXPECT_EQ(got, "first");
        EXPECT_EQ(full.receive(got), status::closed);
        EXPECT_EQ(full.try_send("late"), status::closed);
        EXPECT_TRUE(full.is_closed());
    });
}

TEST(channel, owns_what_is_left_in_it) {
    auto shared = std::make_shared<int>(1);
    {
        channel<std::shared_ptr<int>> c(4);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(c.send(std::shared_ptr<int>(shared)), status::ok);
        }
        std::shared_ptr<int> out;
        EXPECT_EQ(c.receive(out), status::ok);
        EXPECT_EQ(shared.use_count(), 4);
    }
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(channel, of_plain_bytes) {
    sync::channel_base c(2, sync::element_type::bytes(100));
    std::array<char, 100> from{};
    std::array<char, 100> to{};
    std::strcpy(from.data(), "a hundred bytes");
    EXPECT_EQ(c.send(from.data()), status::ok);
    EXPECT_EQ(c.receive(to.data()), status::ok);
    EXPECT_STREQ(to.data(), "a hundred bytes");
}

// What is timed out was not sent, and what is sent was not timed out.
TEST(channel, deadlines_race_with_transfers) {
    on_one_and_two_streams([] {
        channel<int> c(1);
        std::atomic<int> sent{0};
        std::atomic<int> received{0};
        crowd callers;
        callers.ults(4, [&](int who) {
            for (int i = 0; i < 200; ++i) {
                sent += c.send(1, sync::deadline_after((who * 7 + i) % 40 * 1000)) == status::ok
                            ? 1
                            : 0;
            }
        });
        const auto receive = [&](int who) {
            int got = 0;
            for (int i = 0; i < 200; ++i) {
                received +=
                    c.receive(got, sync::deadline_after((who * 5 + i) % 40 * 1000)) == status::ok
                        ? 1
                        : 0;
            }
        };
        callers.ults(3, receive);
        callers.threads(1, receive);
        callers.join();
        EXPECT_EQ(sent.load(), received.load() + static_cast<int>(c.size()));
    });
}

TEST(channel, tasklets_try) {
    runtime_scope runtime(1);
    channel<int> c(1);
    crowd callers;
    callers.ult(
        [&] {
            int got = 0;
            EXPECT_EQ(c.receive(got), status::cannot_suspend);
            EXPECT_EQ(c.send(1), status::ok);
            EXPECT_EQ(c.send(2), status::cannot_suspend);
            EXPECT_EQ(c.try_send(2), status::busy);
            EXPECT_EQ(c.receive(got), status::ok);
            EXPECT_EQ(got, 1);
        },
        technique::run_to_completion);
    callers.join();
}

TEST(channel_death_test, has_room_for_one_element_at_least) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(channel<int>(0),
                 "lazult: channel: it has room for no element; give it a capacity of one at least");
}

}  // namespace
}  // namespace lazult::testing
