// SPDX-License-Identifier: BSD-3-Clause
// LAZULT_SPARE: a ULT that blocks in the kernel by a plain system call, which no library can turn
// into a suspension, does not hold the others of its stream.
#include <lazult/lazult.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "tests/io/faults.hpp"
#include "tests/support/runtime.hpp"

namespace lazult {
namespace {

using namespace lazult::testing;

lazult::options with_spares(int streams, lazult::started_kind started) {
    return {.streams = streams, .started = started, .spare = 3ms};
}

struct blocking_pipe {
    blocking_pipe() { EXPECT_EQ(::pipe(ends), 0); }
    ~blocking_pipe() {
        ::close(ends[0]);
        ::close(ends[1]);
    }
    blocking_pipe(const blocking_pipe&) = delete;
    blocking_pipe& operator=(const blocking_pipe&) = delete;
    void block() const {
        char c = 0;
        EXPECT_EQ(::syscall(SYS_read, ends[0], &c, 1), 1);
    }
    void release(std::size_t times) const {
        const std::vector<char> bytes(times, 'x');
        EXPECT_EQ(::write(ends[1], bytes.data(), times), static_cast<ssize_t>(times));
    }

    int ends[2];
};

// The reader waits in the port of a stream that is caught then. It releases that stream.
void read_behind_caught_unit(const lazult::thread_attributes& there) {
    const blocking_pipe pipe;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    std::atomic<bool> is_caught{false};
    std::atomic<bool> is_over{false};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 2; ++i) {
        all.emplace_back(there, [&] {
            char c = 0;
            EXPECT_EQ(io::read(ends[0], &c, 1).value(), 1);
            EXPECT_TRUE(is_caught);
            if (c == 'b') {
                is_over = true;
                pipe.release(1);
            }
        });
    }
    all.emplace_back(there, [&] {
        is_caught = true;
        pipe.block();
        EXPECT_TRUE(is_over);
    });
    std::thread writer([&] {
        while (!is_caught) {
            std::this_thread::sleep_for(1ms);
        }
        std::this_thread::sleep_for(10ms);
        EXPECT_EQ(::write(ends[1], "a", 1), 1);
        std::this_thread::sleep_for(10ms);
        EXPECT_EQ(::write(ends[1], "b", 1), 1);
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    writer.join();
    EXPECT_TRUE(io::close(ends[0]).ok());
    EXPECT_EQ(::close(ends[1]), 0);
}

class spare : public ::testing::TestWithParam<int> {
protected:
    void start() { running_.emplace(with_spares(GetParam(), lazult::started_kind::move)); }
    void end() { running_.reset(); }

    // Blocks all streams. Those that are released by other ULTs would otherwise stay blocked.
    void catch_all_streams() {
        const blocking_pipe pipe;
        const int streams = GetParam();
        std::atomic<int> caught{0};
        std::atomic<int> ran{0};
        std::vector<lazult::thread> all;
        for (int i = 0; i < streams; ++i) {
            all.emplace_back([&] {
                ++caught;
                pipe.block();
            });
        }
        for (int i = 0; i < 10; ++i) {
            all.emplace_back([&] {
                while (caught < streams) {
                    lazult::this_thread::yield();
                }
                if (++ran == 10) {
                    pipe.release(static_cast<std::size_t>(streams));
                }
            });
        }
        for (lazult::thread& each : all) {
            each.join();
        }
    }

private:
    std::optional<lazult::runtime> running_;
};

TEST_P(spare, streams_run_what_is_ready_behind_a_blocked_ult) {
    start();
    catch_all_streams();
}

TEST_P(spare, streams_end_when_nobody_is_caught) {
    start();
    catch_all_streams();
    const auto begin = std::chrono::steady_clock::now();
    while (lazult::runtime::streams() > GetParam()) {
        lazult::this_thread::sleep_for(1ms);
        ASSERT_LT(std::chrono::steady_clock::now() - begin, 20s);
    }
}

TEST_P(spare, streams_come_and_go) {
    start();
    for (int i = 0; i < 30; ++i) {
        catch_all_streams();
        lazult::this_thread::sleep_for(std::chrono::milliseconds(i % 3 * 40));
    }
}

// The runtime ends while spare streams serve.
TEST_P(spare, streams_end_with_the_runtime) {
    for (int i = 0; i < 10; ++i) {
        start();
        catch_all_streams();
        end();
    }
}

// What has begun stays where it is, though its stream is caught.
TEST(spare_streams, take_nothing_that_must_stay) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::stay)};
    const blocking_pipe pipe;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_caught{false};
    std::atomic<bool> fresh_ran{false};
    std::thread releaser;
    lazult::thread begun([&] {
        const pid_t here = ::gettid();
        has_begun = true;
        while (!is_caught) {
            lazult::this_thread::yield();
        }
        lazult::this_thread::yield();
        EXPECT_EQ(::gettid(), here);
        EXPECT_TRUE(fresh_ran);
    });
    lazult::thread blocked([&] {
        while (!has_begun) {
            lazult::this_thread::yield();
        }
        is_caught = true;
        pipe.block();
    });
    lazult::thread spawner([&] {
        lazult::thread fresh([&] {
            fresh_ran = true;
            releaser = std::thread([&] {
                std::this_thread::sleep_for(20ms);
                pipe.release(1);
            });
        });
        fresh.join();
    });
    begun.join();
    blocked.join();
    spawner.join();
    releaser.join();
}

// A pool that only its stream may use is lent while that stream is caught. What has not begun
// runs, and so does what has begun and is woken.
TEST(spare_streams, serve_the_private_pools_of_a_caught_stream) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    EXPECT_EQ(pool.kind(), "private_fifo");
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    for (int round = 0; round < 20; ++round) {
        const blocking_pipe pipe;
        std::atomic<bool> is_caught{false};
        std::atomic<int> ran{0};
        std::vector<lazult::thread> all;
        for (int i = 0; i < 10; ++i) {
            all.emplace_back(there, [&] {
                while (!is_caught) {
                    lazult::this_thread::yield();
                }
                lazult::this_thread::sleep_for(1ms);
                lazult::thread child(there, [&] { ++ran; });
                child.join();
                if (ran == 10) {
                    pipe.release(1);
                }
            });
        }
        all.emplace_back(there, [&] {
            is_caught = true;
            pipe.block();
        });
        for (lazult::thread& each : all) {
            each.join();
        }
        EXPECT_EQ(ran, 10);
    }
}

// The child has only the thread of the spare stream, and neither the caught stream nor the monitor.
TEST(spare_streams, let_units_fork_that_they_run) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    for (const auto kind : {lazult::pool_kind::private_fifo, lazult::pool_kind::shared_fifo}) {
        lazult::pool pool(kind);
        lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
        const lazult::thread_attributes there{.where = &pool};
        const blocking_pipe pipe;
        std::atomic<bool> is_caught{false};
        int status = -1;
        lazult::thread caught(there, [&] {
            is_caught = true;
            pipe.block();
        });
        lazult::thread forking(there, [&] {
            EXPECT_TRUE(is_caught);
            const pid_t child = ::fork();
            if (child == 0) {
                ::alarm(20);        // a child that hangs ends by a signal
                if (probe::asan) {  // would report what the parent's other threads hold
                    std::_Exit(7);
                }
                std::exit(7);
            }
            while (::waitpid(child, &status, WNOHANG) == 0) {
                lazult::this_thread::sleep_for(1ms);
            }
            pipe.release(1);
        });
        caught.join();
        forking.join();
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
    }
}

// How often the streams suspend units while one unit creates others in its pool and joins them.
std::uint64_t suspensions_of_a_joiner(const lazult::options& with) {
    const lazult::runtime running{with};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    std::uint64_t counted = 0;
    lazult::thread joiner(there, [&] {
        const std::uint64_t before = lazult::statistics().suspensions;
        for (int i = 0; i < 1000; ++i) {
            lazult::thread(there, [] {}).join();
        }
        counted = lazult::statistics().suspensions - before;
    });
    joiner.join();
    return counted;
}

// As in a pool that lends nothing: a joiner calls its child if that is next.
TEST(spare_streams, leave_joiners_their_children_to_call) {
    const std::uint64_t without =
        suspensions_of_a_joiner({.streams = 1, .spare = std::chrono::nanoseconds(0)});
    const std::uint64_t with = suspensions_of_a_joiner(with_spares(1, lazult::started_kind::move));
    EXPECT_LT(with, without + 500);
}

// Under `stay` the pool lends only what has not begun, also if it stands behind what has.
TEST(spare_streams, leave_what_has_begun_in_private_pools) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::stay)};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    const blocking_pipe pipe;
    std::atomic<bool> is_caught{false};
    std::atomic<bool> fresh_ran{false};
    std::atomic<bool> moved{false};
    lazult::thread begun(there, [&] {
        const pid_t here = ::gettid();
        while (!is_caught || !fresh_ran) {
            lazult::this_thread::yield();
            moved = moved || ::gettid() != here;
        }
    });
    lazult::thread caught(there, [&] {
        is_caught = true;
        pipe.block();
    });
    lazult::thread fresh;
    while (!is_caught) {
        lazult::this_thread::sleep_for(1ms);
    }
    fresh = lazult::thread(there, [&] {
        const pid_t here = ::gettid();
        for (int i = 0; i < 100; ++i) {
            lazult::this_thread::sleep_for(1ms);
            moved = moved || ::gettid() != here;
            if (i == 50) {
                fresh_ran = true;
                pipe.release(1);
            }
        }
    });
    fresh.join();
    caught.join();
    begun.join();
    EXPECT_FALSE(moved);
}

// Computes until others say so, without a scheduling point, as an endless loop does.
void compute_until(const std::atomic<bool>& end) {
    while (!end.load(std::memory_order_relaxed)) {
    }
}

TEST_P(spare, streams_run_what_is_ready_behind_a_ult_that_computes) {
    const lazult::runtime running{lazult::options{.streams = GetParam(), .quantum = 5ms}};
    std::atomic<bool> is_over{false};
    std::atomic<int> computing{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < GetParam(); ++i) {
        all.emplace_back([&] {
            ++computing;
            compute_until(is_over);
        });
    }
    for (int i = 0; i < 10; ++i) {
        all.emplace_back([&, i] {
            while (computing < GetParam()) {
                lazult::this_thread::yield();
            }
            if (i == 9) {
                is_over = true;
            }
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
}

TEST(spare_streams, serve_the_private_pools_of_a_stream_that_computes) {
    const lazult::runtime running{lazult::options{.streams = 1, .quantum = 5ms}};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    std::atomic<bool> is_over{false};
    lazult::thread computes(there, [&] { compute_until(is_over); });
    lazult::thread next(there, [&] { is_over = true; });
    next.join();
    computes.join();
}

// The pool ends, and its stream with it, while spare streams look at both.
TEST(spare_streams, let_go_of_pools_that_end) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    const blocking_pipe held;
    lazult::pool other(lazult::pool_kind::private_fifo);
    lazult::execution_stream caught(lazult::scheduler_kind::basic, {&other});
    lazult::thread keeps({.where = &other}, [&] { held.block(); });
    for (int round = 0; round < 100; ++round) {
        lazult::pool pool(lazult::pool_kind::private_fifo);
        lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
        std::vector<lazult::thread> all;
        for (int i = 0; i < 10; ++i) {
            all.emplace_back(lazult::thread_attributes{.where = &pool},
                             [] { lazult::this_thread::yield(); });
        }
        for (lazult::thread& each : all) {
            each.join();
        }
    }
    held.release(1);
    keeps.join();
}

// Nobody joins the unit. Its stream ends after what it has lent, because the pool may end then.
void end_stream_of_lent_unit(lazult::pool_kind kind) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    for (int round = 0; round < 5; ++round) {
        const blocking_pipe pipe;
        std::atomic<bool> is_caught{false};
        std::atomic<bool> is_lent{false};
        std::atomic<bool> ended{false};
        lazult::pool pool(kind);
        {
            lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
            const lazult::thread_attributes there{.where = &pool};
            lazult::thread(there, [&] {
                is_caught = true;
                pipe.block();
            }).detach();
            while (!is_caught) {
                std::this_thread::sleep_for(1ms);
            }
            lazult::thread(there, [&] {
                is_lent = true;
                for (int i = 0; i < 3; ++i) {
                    std::this_thread::sleep_for(20ms);
                    lazult::this_thread::yield();
                }
                ended = true;
            }).detach();
            while (!is_lent) {
                std::this_thread::sleep_for(1ms);
            }
            pipe.release(1);
        }
        EXPECT_TRUE(ended);
    }
}

TEST(spare_streams, hold_private_pools_of_units_that_they_run) {
    end_stream_of_lent_unit(lazult::pool_kind::private_fifo);
}

TEST(spare_streams, hold_shared_pools_of_units_that_they_run) {
    end_stream_of_lent_unit(lazult::pool_kind::shared_fifo);
}

TEST(spare_streams, hear_of_descriptors_for_a_caught_stream) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    for (int round = 0; round < 5; ++round) {
        read_behind_caught_unit({.where = &pool});
    }
}

TEST(spare_streams, hear_of_descriptors_for_a_caught_stream_of_the_runtime) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    for (int round = 0; round < 5; ++round) {
        read_behind_caught_unit({});
    }
}

// The stream is caught again and again, sleeps in between in its port, and is always found there.
TEST(spare_streams, leave_a_stream_that_is_back_its_descriptors) {
    const lazult::runtime running{with_spares(1, lazult::started_kind::move)};
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    int there[2];
    int back[2];
    ASSERT_EQ(::pipe2(there, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(back, O_CLOEXEC), 0);
    constexpr int rounds = 300;
    lazult::thread echo({.where = &pool}, [&] {
        for (int i = 0; i < rounds; ++i) {
            char c = 0;
            EXPECT_EQ(io::read(there[0], &c, 1).value(), 1);
            EXPECT_EQ(io::write(back[1], &c, 1).value(), 1);
            if (i % 10 == 0) {
                std::this_thread::sleep_for(8ms);  // caught
            }
        }
    });
    for (int i = 0; i < rounds; ++i) {
        const char sent = static_cast<char>(i);
        char c = 0;
        EXPECT_EQ(::write(there[1], &sent, 1), 1);
        EXPECT_EQ(::read(back[0], &c, 1), 1);
        EXPECT_EQ(c, sent);
    }
    echo.join();
    for (const int fd : {there[0], back[1]}) {
        EXPECT_TRUE(io::close(fd).ok());
    }
    for (const int fd : {there[1], back[0]}) {
        EXPECT_EQ(::close(fd), 0);
    }
}

// The reader waits in the ring of a stream that is caught then, in a call that no library sees.
void read_file_behind_caught_unit(const lazult::thread_attributes& there) {
    const passing_file file;
    const int fd = file.open_direct(O_RDWR);
    numbered_block block(7);
    ASSERT_EQ(::pwrite(fd, block.data(), block_bytes, 0), ssize_t{block_bytes});
    block.fill(0);
    const int held = file.open(O_RDONLY);
    const int wanted = file.open(O_RDONLY);
    ASSERT_EQ(::flock(held, LOCK_EX), 0);
    std::atomic<bool> has_begun{false};
    std::atomic<bool> is_over{false};
    bool ended_meanwhile = false;
    std::thread releaser([&] {
        for (int i = 0; i < 3'000 && !is_over; ++i) {
            std::this_thread::sleep_for(1ms);
        }
        ended_meanwhile = is_over;
        EXPECT_EQ(::flock(held, LOCK_UN), 0);
    });
    lazult::thread reader(there, [&] {
        has_begun = true;
        EXPECT_EQ(io::pread(fd, block.data(), block_bytes, 0).value(), std::int64_t{block_bytes});
        EXPECT_TRUE(block.is_whole());
        EXPECT_EQ(block.number(), 7U);
        is_over = true;
    });
    lazult::thread caught(there, [&] {
        while (!has_begun) {
            lazult::this_thread::yield();
        }
        EXPECT_EQ(::syscall(SYS_flock, wanted, LOCK_EX), 0);
    });
    reader.join();
    caught.join();
    releaser.join();
    EXPECT_TRUE(ended_meanwhile);
    for (const int each : {fd, held, wanted}) {
        EXPECT_EQ(::close(each), 0);
    }
}

// The number is LAZULT_EVENT_PERIOD. With 1 the stream hands operations to the kernel before it is
// caught, and else the spare stream does.
class spare_streams_beside_rings : public ::testing::TestWithParam<std::uint32_t> {
protected:
    void SetUp() override {
        if (io::file_backend() != "io_uring") {
            GTEST_SKIP() << "the kernel forbids io_uring, so there are no rings";
        }
        lazult::options wanted = with_spares(1, lazult::started_kind::move);
        wanted.event_period = GetParam();
        running_.emplace(wanted);
    }

private:
    std::optional<lazult::runtime> running_;
};

TEST_P(spare_streams_beside_rings, end_operations_for_a_caught_stream) {
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    for (int round = 0; round < 5; ++round) {
        read_file_behind_caught_unit({.where = &pool});
    }
}

TEST_P(spare_streams_beside_rings, end_operations_for_a_caught_stream_of_the_runtime) {
    for (int round = 0; round < 5; ++round) {
        read_file_behind_caught_unit({});
    }
}

// The stream is caught again and again, and comes back while spare streams use its ring. There are
// more operations than the ring has entries.
TEST_P(spare_streams_beside_rings, share_the_ring_with_a_stream_that_comes_back) {
    constexpr unsigned units = 300;
    constexpr int rounds = 10;
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    const passing_file file;
    const int fd = file.open_direct(O_RDWR);
    std::atomic<unsigned> left{units};
    std::vector<lazult::thread> all;
    for (unsigned number = 0; number < units; ++number) {
        all.emplace_back(there, [&, number] {
            numbered_block block;
            for (int i = 0; i < rounds; ++i) {
                block.fill(number);
                EXPECT_EQ(io::pwrite(fd, block.data(), block_bytes, place_of_block(number)).value(),
                          std::int64_t{block_bytes});
                block.fill(units);
                EXPECT_EQ(io::pread(fd, block.data(), block_bytes, place_of_block(number)).value(),
                          std::int64_t{block_bytes});
                EXPECT_TRUE(block.is_whole());
                EXPECT_EQ(block.number(), number);
            }
            --left;
        });
    }
    all.emplace_back(there, [&] {
        while (left > 0) {
            std::this_thread::sleep_for(6ms);  // caught
            lazult::this_thread::sleep_for(1ms);
        }
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(::close(fd), 0);
}

INSTANTIATE_TEST_SUITE_P(event_periods, spare_streams_beside_rings, ::testing::Values(1U, 64U));
INSTANTIATE_TEST_SUITE_P(streams, spare, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace lazult
