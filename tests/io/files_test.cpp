// SPDX-License-Identifier: BSD-3-Clause
// Files, in the ring and on helper threads; calls on helper threads; devices.
#include "tests/io/harness.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/timerfd.h>
#include <atomic>
#include <filesystem>
#include <tuple>

namespace lazult {
namespace {

using namespace lazult::testing;

class files : public ::testing::TestWithParam<std::tuple<int, io_kind>> {
protected:
    files() {
        std::string name = (std::filesystem::temp_directory_path() / "lazult-io-XXXXXX").string();
        const int fd = checked(::mkstemp(name.data()));
        ::close(fd);
        path_ = name;
    }
    ~files() override { std::filesystem::remove(path_); }

    int open(int flags) { return io::open(path_.c_str(), flags | O_CLOEXEC).descriptor(); }

    lazult::runtime running_{
        lazult::options{.streams = std::get<0>(GetParam()), .io = std::get<1>(GetParam())}};
    std::string path_;
};

TEST_P(files, keep_what_is_written) {
    in_ult([&] {
        const std::string sent = pattern(5 << 20);
        int fd = open(O_RDWR);
        EXPECT_EQ(io::write(fd, sent.data(), sent.size()).bytes(), sent.size());
        EXPECT_EQ(io::fsync(fd).value(), 0);
        EXPECT_EQ(io::fdatasync(fd).value(), 0);
        EXPECT_TRUE(io::close(fd).ok());
        fd = open(O_RDONLY);
        std::string got(sent.size() + 10, '\0');
        EXPECT_EQ(io::read(fd, got.data(), got.size()).bytes(), sent.size());
        got.resize(sent.size());
        EXPECT_TRUE(got == sent);
        EXPECT_EQ(io::read(fd, got.data(), got.size()).value(), 0);
        EXPECT_EQ(io::write(fd, "x", 1).error_number(), EBADF);
        EXPECT_TRUE(io::close(fd).ok());
    });
}

TEST_P(files, have_positions) {
    in_ult([&] {
        const int fd = open(O_RDWR);
        EXPECT_EQ(io::pwrite(fd, "world", 5, 7).value(), 5);
        EXPECT_EQ(io::pwrite(fd, "hello, ", 7, 0).value(), 7);
        char first[6] = {};
        char second[7] = {};
        const iovec into[] = {{first, 5}, {second, 6}};
        EXPECT_EQ(io::preadv(fd, into, 1).value(), 11);
        EXPECT_STREQ(first, "ello,");
        EXPECT_STREQ(second, " world");
        EXPECT_EQ(io::pread(fd, first, 5, 100).value(), 0);
        // the file's own position has not moved
        EXPECT_EQ(io::read(fd, first, 5).value(), 5);
        EXPECT_STREQ(first, "hello");
        EXPECT_EQ(io::read(fd, first, 2).value(), 2);
        EXPECT_EQ(std::string(first, 2), ", ");
        const iovec from[] = {{second, 3}, {first, 2}};
        EXPECT_EQ(io::pwritev(fd, from, 0).value(), 5);
        EXPECT_EQ(io::pread(fd, second, 5, 0).value(), 5);
        EXPECT_EQ(std::string(second, 5), " wo, ");
        io::close(fd);
    });
}

// Blocks that carry their number, written and read by many units in any order.
TEST_P(files, in_direct_mode_and_many_at_a_time) {
    constexpr std::size_t block = 4096;
    constexpr unsigned units = 32;
    constexpr unsigned blocks = 1024;
    int fd = ::open(path_.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
    if (fd < 0) {
        GTEST_SKIP() << "this file system has no direct mode";
    }
    ASSERT_TRUE(io::adopt(fd).ok());
    std::atomic<unsigned> next{0};
    const auto run = [&](auto move) {
        next = 0;
        std::vector<lazult::thread> all;
        for (unsigned u = 0; u < units; ++u) {
            all.emplace_back([&] {
                auto* const memory = static_cast<unsigned*>(std::aligned_alloc(block, block));
                for (unsigned i = next++; i < blocks; i = next++) {
                    const unsigned number = i * 421 % blocks;
                    move(memory, number, static_cast<off_t>(number) * off_t{block});
                }
                std::free(memory);
            });
        }
        for (lazult::thread& each : all) {
            each.join();
        }
    };
    run([&](unsigned* memory, unsigned number, off_t at) {
        std::fill_n(memory, block / sizeof(unsigned), number);
        EXPECT_EQ(io::pwrite(fd, memory, block, at).bytes(), block);
    });
    run([&](unsigned* memory, unsigned number, off_t at) {
        EXPECT_EQ(io::pread(fd, memory, block, at).bytes(), block);
        EXPECT_EQ(memory[0], number);
        EXPECT_EQ(memory[block / sizeof(unsigned) - 1], number);
    });
    EXPECT_TRUE(io::close(fd).ok());
}

// A unit that suspends finishes that on the stack of the next one, which has nothing to do with
// files here. ThreadSanitizer sees whether that comes before its call ends.
TEST_P(files, may_be_waited_for_beside_units_without_files) {
    const int fd = open(O_RDWR);
    std::atomic<bool> is_over{false};
    std::vector<lazult::thread> others;
    for (int i = 0; i < 3; ++i) {
        others.emplace_back([&] {
            while (!is_over.load(std::memory_order_relaxed)) {
                lazult::this_thread::yield();
            }
        });
    }
    in_ult([&] {
        for (int i = 0; i < 200; ++i) {
            EXPECT_EQ(io::pwrite(fd, &i, sizeof i, 0).bytes(), sizeof i);
            EXPECT_EQ(io::fdatasync(fd).value(), 0);
        }
    });
    is_over.store(true, std::memory_order_relaxed);
    for (lazult::thread& each : others) {
        each.join();
    }
    EXPECT_TRUE(io::close(fd).ok());
}

TEST_P(files, that_are_missing_are_an_error) {
    in_ult([] {
        EXPECT_EQ(io::open("/nonexistent/file", O_RDONLY).error_number(), ENOENT);
        const int fd = io::open("/", O_RDONLY | O_DIRECTORY).descriptor();
        char c;
        EXPECT_EQ(io::read(fd, &c, 1).error_number(), EISDIR);
        io::close(fd);
    });
}

TEST_P(files, a_helper_makes_any_call) {
    std::atomic<int> others{0};
    std::atomic<bool> is_over{false};
    lazult::thread busy([&] {
        while (!is_over) {
            ++others;
            lazult::this_thread::yield();
        }
    });
    in_ult([&] {
        const std::thread::id here = std::this_thread::get_id();
        EXPECT_NE(io::call([] { return std::this_thread::get_id(); }), here);
        EXPECT_EQ(io::call([] { return std::string("text"); }), "text");
        io::call([] { std::this_thread::sleep_for(5ms); });
        EXPECT_THROW(io::call([] { throw std::runtime_error("no"); }), std::runtime_error);
        is_over = true;
    });
    busy.join();
    EXPECT_GT(others, 10);
}

TEST_P(files, a_lock_that_is_held_suspends_one_unit_alone) {
    const int mine = open(O_RDWR);
    const int other = open(O_RDWR);
    ASSERT_EQ(::flock(mine, LOCK_EX), 0);
    std::atomic<bool> has_lock{false};
    lazult::thread waits([&] {
        EXPECT_EQ(io::call([&] { return ::flock(other, LOCK_EX); }), 0);
        has_lock = true;
    });
    in_ult([&] {
        for (int i = 0; i < 100; ++i) {
            lazult::this_thread::yield();
        }
        EXPECT_FALSE(has_lock);
        EXPECT_EQ(::flock(mine, LOCK_UN), 0);
    });
    waits.join();
    io::close(mine);
    io::close(other);
}

TEST_P(files, devices_suspend_too) {
    in_ult([] {
        const int timer = checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
        const itimerspec soon{{0, 0}, {0, 3'000'000}};
        ASSERT_EQ(::timerfd_settime(timer, 0, &soon, nullptr), 0);
        std::uint64_t times = 0;
        EXPECT_EQ(io::read(timer, &times, sizeof times).bytes(), sizeof times);
        EXPECT_EQ(times, 1U);
        ::close(timer);
        const int event = checked(::eventfd(0, EFD_CLOEXEC));
        EXPECT_EQ(io::read(event, &times, sizeof times, 2ms).error_number(), ETIMEDOUT);
        lazult::thread reader([&] {
            std::uint64_t got = 0;
            EXPECT_EQ(io::read(event, &got, sizeof got).bytes(), sizeof got);
            EXPECT_EQ(got, 5U);
        });
        lazult::this_thread::sleep_for(1ms);
        times = 5;
        EXPECT_EQ(io::write(event, &times, sizeof times).bytes(), sizeof times);
        reader.join();
        ::close(event);
        const int null = io::open("/dev/null", O_RDWR).descriptor();
        EXPECT_EQ(io::write(null, "x", 1).value(), 1);
        EXPECT_EQ(io::read(null, &times, 1).value(), 0);
        io::close(null);
    });
}

INSTANTIATE_TEST_SUITE_P(
    all, files,
    ::testing::Combine(::testing::Values(1, 2),
                       ::testing::Values(io_kind::automatic, io_kind::threads)),
    [](const ::testing::TestParamInfo<std::tuple<int, io_kind>>& info) {
        return std::string(std::get<1>(info.param) == io_kind::threads ? "threads" : "automatic") +
               "_on_" + std::to_string(std::get<0>(info.param));
    });

// More calls than helpers: they wait in turn.
TEST(helpers, are_no_more_than_the_setting_says) {
    const lazult::runtime running(lazult::options{.streams = 1, .io_helpers = 3});
    std::atomic<int> now{0};
    std::atomic<int> most{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 20; ++i) {
        all.emplace_back([&] {
            io::call([&] {
                const int mine = ++now;
                for (int seen = most; mine > seen && !most.compare_exchange_weak(seen, mine);) {
                }
                std::this_thread::sleep_for(1ms);
                --now;
            });
        });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(most, 3);
}

}  // namespace
}  // namespace lazult
