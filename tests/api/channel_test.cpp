// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/channel.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <lazult/pool.hpp>
#include <lazult/runtime.hpp>
#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/thread.hpp>
#include <lazult/wait_any.hpp>

#include "lazult/core/core.hpp"
#include "tests/support/code_of.hpp"

namespace {

using namespace std::chrono_literals;
using lazult::channel;
using lazult::thread;

using lazult::support::code_of;

TEST(channel, moves_owning_elements_in_order) {
    channel<std::unique_ptr<int>> c(4);
    thread sender([&] {
        for (int i = 0; i < 100; ++i) {
            EXPECT_TRUE(c.send(std::make_unique<int>(i)));
        }
        EXPECT_TRUE(c.close());
    });
    for (int i = 0; i < 100; ++i) {
        const auto got = c.receive();
        ASSERT_TRUE(got);
        EXPECT_EQ(**got, i);
    }
    EXPECT_FALSE(c.receive());
    EXPECT_TRUE(c.is_closed());
    EXPECT_FALSE(c.close());
    EXPECT_FALSE(c.send(nullptr));
    sender.join();
}

// The join of an OS thread blocks a stream. What began there must go on elsewhere.
TEST(channel, many_senders_and_receivers) {
    const lazult::runtime moving(lazult::options{.started = lazult::started_kind::move});
    channel<int> c(8);
    std::atomic<long> sum{0};
    std::vector<thread> receivers;
    std::vector<thread> senders;
    for (int i = 0; i < 4; ++i) {
        receivers.emplace_back([&] {
            while (const auto n = c.receive()) {
                sum += *n;
            }
        });
        senders.emplace_back([&] {
            for (int n = 0; n < 500; ++n) {
                c.send(n);
            }
        });
    }
    std::thread outside([&] {
        for (int n = 0; n < 500; ++n) {
            c.send(n);
        }
    });
    lazult::join_many(senders);
    outside.join();
    c.close();
    lazult::join_many(receivers);
    EXPECT_EQ(sum, 5L * 500 * 499 / 2);
}

// Not the thread's number: the compiler may keep that over a suspension, after which it is another
// one.
const void* stream_here() { return lazult::core::this_worker_or_null(); }

// Small elements go from a thread to a thread of the same stream: what wakes a thread takes it
// over, and no idle stream takes it away while the two go on. Not under a sanitizer, where ten
// elements take longer than idle streams wait.
TEST(channel, partners_with_small_elements_share_a_stream) {
    if (lazult::probe::asan || lazult::probe::tsan) {
        GTEST_SKIP() << "the sanitizer makes elements slow";
    }
    const lazult::runtime two_streams(lazult::options{.streams = 2});
    channel<const void*> c(10);
    constexpr int elements = 50'000;
    thread sender([&] {
        for (int i = 0; i < elements; ++i) {
            c.send(stream_here());
        }
    });
    int from_here = 0;
    thread receiver([&] {
        for (int i = 0; i < elements; ++i) {
            from_here += c.receive() == stream_here() ? 1 : 0;
        }
    });
    sender.join();
    receiver.join();
    EXPECT_GT(from_here, elements / 2);
}

// The receiver that was woken does not wait for its sender, which computes without an end: another
// stream runs it.
TEST(channel, a_receiver_runs_while_its_sender_computes) {
    const lazult::runtime two_streams(lazult::options{.streams = 2});
    channel<int> c(1);
    std::atomic<bool> has_received{false};
    thread receiver([&] {
        while (c.receive()) {
            has_received = true;
        }
    });
    thread sender([&] {
        for (int i = 0; i < 100; ++i) {
            has_received = false;
            c.send(i);
            while (!has_received) {
            }
        }
        c.close();
    });
    sender.join();
    receiver.join();
}

// Of threads in a private pool: the one that is woken does not pass the others.
TEST(channel, partners_leave_turns_to_others) {
    const lazult::runtime one_stream(lazult::options{.streams = 1});
    lazult::pool mine = lazult::this_stream::private_pool();
    lazult::thread_attributes there;
    there.where = &mine;
    channel<int> c(1);
    std::atomic<bool> stop{false};
    long sent = 0;
    thread receiver(there, [&] {
        while (c.receive()) {
        }
    });
    thread sender(there, [&] {
        while (!stop && sent < 10'000'000) {
            c.send(1);
            ++sent;
        }
        c.close();
    });
    thread other(there, [&] {
        lazult::this_thread::yield();
        stop = true;
    });
    sender.join();
    receiver.join();
    other.join();
    EXPECT_LT(sent, 1'000'000);
}

// So a tasklet may look at it, and a thread that was cancelled is not unwound there.
TEST(channel, a_closed_one_needs_no_wait) {
    const lazult::runtime two_streams(lazult::options{.streams = 2});
    channel<int> c(1);
    c.close();
    lazult::tasklet([&] {
        EXPECT_FALSE(c.send(1));
        EXPECT_FALSE(c.receive());
    }).join();
    std::atomic<bool> runs{false};
    std::atomic<bool> is_cancelled{false};
    bool has_returned = false;
    thread t([&] {
        runs = true;
        while (!is_cancelled) {
        }
        EXPECT_FALSE(c.receive());
        has_returned = true;
    });
    std::thread canceller([&] {
        while (!runs) {
            std::this_thread::yield();
        }
        lazult::cancel(t);
        is_cancelled = true;
    });
    t.join();
    canceller.join();
    EXPECT_TRUE(has_returned);
}

TEST(channel, try_forms) {
    channel<std::string> c(1);
    EXPECT_EQ(c.capacity(), 1U);
    EXPECT_FALSE(c.try_receive());
    EXPECT_FALSE(c.try_receive_for(1ms));
    lazult::tasklet([&] { EXPECT_TRUE(c.try_send("one")); }).join();
    std::string kept = "two";
    EXPECT_FALSE(c.try_send(kept));
    EXPECT_FALSE(c.try_send_for(kept, 1ms));
    EXPECT_EQ(kept, "two");
    EXPECT_EQ(c.size(), 1U);
    EXPECT_EQ(c.try_receive(), "one");
    EXPECT_TRUE(c.try_send_for(kept, 1h));
    EXPECT_EQ(c.try_receive_for(1h), "two");
    EXPECT_TRUE(c.empty());
    EXPECT_EQ(code_of([] { channel<int> none(0); }), lazult::errc::invalid_argument);
    lazult::errc code{};
    lazult::tasklet([&] { code = code_of([&] { (void)c.receive(); }); }).join();
    EXPECT_EQ(code, lazult::errc::cannot_suspend);
}

TEST(channel, drops_what_nobody_received) {
    const auto shared = std::make_shared<int>(0);
    {
        channel<std::shared_ptr<int>> c(4);
        c.send(shared);
        c.send(shared);
        EXPECT_EQ(shared.use_count(), 3);
    }
    EXPECT_EQ(shared.use_count(), 1);
}

TEST(wait_any, threads) {
    std::atomic<bool> go{false};
    const auto until_go = [&] {
        while (!go) {
            lazult::this_thread::yield();
        }
    };
    std::vector<thread> threads;
    threads.emplace_back(until_go);
    threads.emplace_back([] { lazult::this_thread::sleep_for(2ms); });
    EXPECT_EQ(lazult::wait_any(std::span(threads)), 1U);
    threads[1].join();
    EXPECT_EQ(code_of([&] { lazult::wait_any(std::span(threads)); }), lazult::errc::invalid_handle);
    EXPECT_EQ(lazult::wait_any_for(1ms, threads[0]), std::nullopt);
    go = true;
    EXPECT_EQ(lazult::wait_any_for(1h, threads[0]), 0U);
    threads[0].join();
}

TEST(wait_any, mixed) {
    lazult::promise<int> p;
    auto f = p.get_future();
    lazult::binary_semaphore tokens(0);
    lazult::eventual<int> e;
    lazult::compartments<int> c(1);
    channel<std::string> texts(1);
    std::optional<std::string> got;
    const auto wait = [&] {
        return lazult::wait_any_for(1h, f, tokens, e, c, lazult::receive_from(texts, got)).value();
    };
    thread t([&] { tokens.release(); });
    EXPECT_EQ(wait(), 1U);
    EXPECT_FALSE(tokens.try_acquire());
    t.join();

    texts.send("hello");
    EXPECT_EQ(wait(), 4U);
    EXPECT_EQ(got, "hello");
    EXPECT_TRUE(texts.empty());
    texts.close();
    EXPECT_EQ(wait(), 4U);
    EXPECT_EQ(got, std::nullopt);

    c.set(1);
    EXPECT_EQ(wait(), 3U);
    e.set(2);
    EXPECT_EQ(wait(), 2U);
    p.set_value(3);
    EXPECT_EQ(wait(), 0U);
    EXPECT_EQ(f.get(), 3);
}

TEST(wait_any, sends) {
    channel<std::unique_ptr<int>> full(1);
    channel<std::unique_ptr<int>> empty(1);
    full.send(nullptr);
    auto value = std::make_unique<int>(5);
    bool sent = false;
    EXPECT_EQ(
        lazult::wait_any(lazult::send_to(full, value, sent), lazult::send_to(empty, value, sent)),
        1U);
    EXPECT_TRUE(sent);
    EXPECT_EQ(**empty.receive(), 5);
    full.close();
    EXPECT_EQ(lazult::wait_any(lazult::send_to(full, value, sent)), 0U);
    EXPECT_FALSE(sent);
}

TEST(wait_any, first_of_many_futures) {
    for (std::size_t winner = 0; winner < 8; ++winner) {
        std::vector<lazult::promise<std::size_t>> promises(8);
        std::vector<lazult::future<std::size_t>> futures;
        for (auto& p : promises) {
            futures.push_back(p.get_future());
        }
        thread t([&] { promises[winner].set_value(winner); });
        const std::size_t first = lazult::wait_any(std::span(futures));
        EXPECT_EQ(first, winner);
        EXPECT_EQ(futures[first].get(), winner);
        t.join();
    }
}

TEST(wait_any, refuses_nothing) {
    std::vector<thread> none;
    EXPECT_EQ(code_of([&] { lazult::wait_any(std::span(none)); }), lazult::errc::invalid_argument);
}

}  // namespace
