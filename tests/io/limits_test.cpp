// SPDX-License-Identifier: BSD-3-Clause
// What ends a call before its time: deadlines, stop tokens, cancellation, close.
#include "tests/io/harness.hpp"

#include <atomic>
#include <tuple>

namespace lazult {
namespace {

using namespace lazult::testing;

class limits : public ::testing::TestWithParam<std::tuple<int, owner>> {
protected:
    owner of() const { return std::get<1>(GetParam()); }
    ends make() { return make_socket_pair(of()); }

    lazult::runtime running_{lazult::options{.streams = std::get<0>(GetParam())}};
};

int read_error(int fd, const io::limits& until = {}) {
    char c = 0;
    return io::read(fd, &c, 1, until).error_number();
}

// Fills what the kernel buffers, so that the next write waits.
void fill(int fd) {
    const std::string much = pattern(1 << 16);
    while (::send(fd, much.data(), much.size(), MSG_DONTWAIT) > 0) {
    }
    while (::send(fd, much.data(), 1, MSG_DONTWAIT) > 0) {
    }
}

TEST_P(limits, a_time_ends_a_read) {
    const ends both = make();
    in_ult([&] {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(read_error(both.in, 20ms), ETIMEDOUT);
        EXPECT_GE(seconds_since(begin), 0.02);
        EXPECT_EQ(read_error(both.in, std::chrono::steady_clock::now() + 1ms), ETIMEDOUT);
        EXPECT_EQ(read_error(both.in, 0ms), ETIMEDOUT);
        EXPECT_EQ(::write(both.out, "x", 1), 1);
        EXPECT_EQ(read_error(both.in, 0ms), 0);  // what need not wait succeeds
    });
}

TEST_P(limits, a_time_ends_a_write_that_has_moved_nothing) {
    const ends both = make();
    fill(both.out);
    in_ult([&] { EXPECT_EQ(io::write(both.out, "x", 1, 5ms).error_number(), ETIMEDOUT); });
}

TEST_P(limits, a_write_that_moved_some_says_how_much) {
    const ends both = make();
    in_ult([&] {
        const std::string much = pattern(16 << 20);
        const std::int64_t moved = io::write(both.out, much.data(), much.size(), 20ms).value();
        EXPECT_GT(moved, 0);
        EXPECT_LT(moved, static_cast<std::int64_t>(much.size()));
        std::string got(static_cast<std::size_t>(moved), '\0');
        EXPECT_EQ(io::read_all(both.in, got.data(), got.size()).value(), moved);
        EXPECT_TRUE(got == much.substr(0, got.size()));
        EXPECT_EQ(read_error(both.in, 1ms), ETIMEDOUT);
    });
}

TEST_P(limits, a_stop_ends_a_read) {
    const ends both = make();
    std::stop_source stop;
    lazult::thread reader([&] {
        EXPECT_EQ(read_error(both.in, stop.get_token()), ECANCELED);
        EXPECT_EQ(read_error(both.in, {1s, stop.get_token()}), ECANCELED);
    });
    lazult::this_thread::sleep_for(1ms);
    std::thread([&] { stop.request_stop(); }).join();
    reader.join();
}

// A read that found nothing is not tried again before an edge, but when a stop has ended its wait.
TEST_P(limits, a_stop_ends_no_read_of_what_is_there) {
    const ends both = make();
    std::stop_source stop;
    stop.request_stop();
    in_ult([&] {
        for (int round = 0; round < 3; ++round) {
            EXPECT_EQ(read_error(both.in, 1ms), ETIMEDOUT);
            EXPECT_EQ(read_error(both.in, stop.get_token()), ECANCELED);
            EXPECT_EQ(::write(both.out, "x", 1), 1);
            EXPECT_EQ(read_error(both.in, stop.get_token()), 0);
            EXPECT_EQ(::write(both.out, "x", 1), 1);
            pollfd one{both.in, POLLIN, 0};
            EXPECT_EQ(io::poll({&one, 1}, stop.get_token()).value(), 1);
            EXPECT_EQ(read_error(both.in, stop.get_token()), 0);
        }
    });
}

TEST_P(limits, an_os_thread_has_them_too) {
    const ends both = make();
    std::stop_source stop;
    std::thread outside([&] {
        EXPECT_EQ(read_error(both.in, 5ms), ETIMEDOUT);
        EXPECT_EQ(read_error(both.in, stop.get_token()), ECANCELED);
    });
    std::this_thread::sleep_for(20ms);
    stop.request_stop();
    outside.join();
}

TEST_P(limits, a_cancelled_unit_is_unwound) {
    const ends both = make();
    bool was_unwound = false;
    struct witness {
        bool& told;
        ~witness() { told = true; }
    };
    lazult::thread reader([&] {
        const witness here{was_unwound};
        read_error(both.in);
        ADD_FAILURE() << "the read returned";
    });
    lazult::this_thread::sleep_for(1ms);
    lazult::cancel(reader);
    reader.join();
    EXPECT_TRUE(was_unwound);
}

// The time ends while the data come. Each byte is read exactly once.
TEST_P(limits, nothing_is_lost_at_the_last_moment) {
    ends both = make();
    constexpr int bytes = 2000;
    std::atomic<int> got{0};
    std::atomic<int> late{0};
    lazult::thread reader([&] {
        while (got < bytes) {
            char c;
            const io::result r = io::read(both.in, &c, 1, std::chrono::microseconds(got % 50));
            EXPECT_TRUE(r.ok() || r.error_number() == ETIMEDOUT);
            got += r.ok() ? 1 : 0;
            late += r.ok() ? 0 : 1;
        }
    });
    std::thread writer([&] {
        for (int i = 0; i < bytes; ++i) {
            if (i % 10 == 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(i % 60));
            }
            EXPECT_EQ(::write(both.out, "x", 1), 1);
        }
    });
    reader.join();
    writer.join();
    EXPECT_EQ(got, bytes);
}

TEST_P(limits, nobody_waits_for_a_negative_descriptor) {
    const auto look = [] {
        EXPECT_EQ(io::await_readable(-1, 50ms).error_number(), EBADF);
        EXPECT_EQ(io::await_writable(-1, 50ms).error_number(), EBADF);
    };
    in_ult(look);
    std::thread(look).join();
    lazult::tasklet(look).join();
}

TEST_P(limits, close_ends_all_waits) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    ends both = make();
    ends full = make();
    fill(full.out);
    std::atomic<int> bad{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 20; ++i) {
        all.emplace_back([&] { bad += read_error(both.in) == EBADF; });
        all.emplace_back([&] { bad += io::write(full.out, "x", 1).error_number() == EBADF; });
        all.emplace_back([&] { bad += io::await_readable(both.in).error_number() == EBADF; });
    }
    lazult::this_thread::sleep_for(5ms);
    in_ult([&] {
        EXPECT_TRUE(io::close(std::exchange(both.in, -1)).ok());
        EXPECT_TRUE(io::close(std::exchange(full.out, -1)).ok());
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(bad, 60);
}

// The number of a closed descriptor comes again at once: its old readers must not read the new one.
TEST_P(limits, a_duplicate_onto_the_number_ends_all_waits) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    ends both = make();
    ends other = make();
    std::atomic<int> bad{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 20; ++i) {
        all.emplace_back([&] { bad += read_error(both.in) == EBADF; });
    }
    lazult::this_thread::sleep_for(5ms);
    in_ult([&] {
        EXPECT_EQ(io::dup2(-1, both.in).error_number(), EBADF);
        EXPECT_EQ(io::dup2(other.in, both.in, 12345).error_number(), EINVAL);
        EXPECT_EQ(io::dup2(other.in, -1).error_number(), EBADF);
        lazult::this_thread::sleep_for(1ms);
        EXPECT_EQ(bad, 0);
        EXPECT_EQ(io::dup2(other.in, both.in).value(), both.in);
    });
    for (lazult::thread& each : all) {
        each.join();
    }
    EXPECT_EQ(bad, 20);
    in_ult([&] {  // the number means the other one now
        EXPECT_EQ(io::write(other.out, "d", 1).value(), 1);
        char got = 0;
        EXPECT_EQ(io::read(both.in, &got, 1).value(), 1);
        EXPECT_EQ(got, 'd');
        EXPECT_EQ(io::dup2(both.in, both.in).value(), both.in);
    });
}

TEST_P(limits, a_reader_does_not_read_the_next_descriptor_of_that_number) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    if (std::get<0>(GetParam()) != 1) {
        GTEST_SKIP() << "the first port of another stream might take the number";
    }
    for (int round = 0; round < 100; ++round) {
        ends old = make();
        int error = 0;
        lazult::thread reader([&, fd = old.in] { error = read_error(fd); });
        lazult::this_thread::sleep_for(std::chrono::microseconds(200));
        const int number = old.in;
        ends fresh = make_pipe(owner::program);
        ASSERT_EQ(::write(fresh.out, "x", 1), 1);
        in_ult([&] {
            EXPECT_TRUE(io::close(std::exchange(old.in, -1)).ok());
            EXPECT_EQ(::dup2(fresh.in, number), number);
        });
        reader.join();
        EXPECT_EQ(error, EBADF);
        char c = 0;
        EXPECT_EQ(::read(number, &c, 1), 1);
        ::close(number);
    }
}

TEST_P(limits, a_number_that_comes_again_is_watched_anew) {
    for (int round = 0; round < 50; ++round) {
        ends both = make();
        lazult::thread reader([&] { EXPECT_EQ(read_error(both.in), 0); });
        lazult::this_thread::sleep_for(std::chrono::microseconds(100));
        EXPECT_EQ(::write(both.out, "x", 1), 1);
        reader.join();
    }
}

TEST_P(limits, bad_descriptors_are_refused) {
    in_ult([] {
        char c = 0;
        for (const int fd : {-1, 987'654, 2'000'000'000}) {
            EXPECT_EQ(read_error(fd), EBADF) << fd;
            EXPECT_EQ(io::write(fd, &c, 1).error_number(), EBADF) << fd;
            EXPECT_EQ(io::close(fd).error_number(), EBADF) << fd;
            EXPECT_EQ(io::adopt(fd).error_number(), EBADF) << fd;
            EXPECT_EQ(io::fsync(fd).error_number(), EBADF) << fd;
            EXPECT_EQ(io::accept(fd, nullptr, nullptr).error_number(), EBADF) << fd;
        }
        EXPECT_EQ(io::pread(0, &c, 1, -1).error_number(), EINVAL);
        EXPECT_THROW(io::result(-EBADF).value(), std::system_error);
    });
}

INSTANTIATE_TEST_SUITE_P(
    all, limits,
    ::testing::Combine(::testing::Values(1, 2), ::testing::Values(owner::program, owner::library)),
    [](const ::testing::TestParamInfo<std::tuple<int, owner>>& info) {
        return std::string(std::get<1>(info.param) == owner::library ? "owned" : "plain") + "_on_" +
               std::to_string(std::get<0>(info.param));
    });

}  // namespace
}  // namespace lazult
