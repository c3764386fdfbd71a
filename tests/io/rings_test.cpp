// SPDX-License-Identifier: BSD-3-Clause
// File operations in rings end, and end well, whatever becomes of the OS thread of the stream: it
// is caught in the kernel in state D, where no signal reaches it, or it ends.
#include "tests/io/faults.hpp"

#include <lazult/pool.hpp>
#include <lazult/scheduler.hpp>

#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>

#include <functional>
#include <optional>
#include <tuple>

namespace lazult {
namespace {

using namespace lazult::testing;

constexpr unsigned operations = 32;

// Catches the calling OS thread until the flag is set, or for 3 seconds, as vfork() does: until its
// child ends. Returns whether the flag was set.
bool sleep_in_state_d(const std::atomic<bool>& end) {
    struct state {
        const std::atomic<bool>& end;
        bool in_time = false;
    } shared{end};
    // The child has this process's memory and thread-local variables, so it calls the kernel alone.
    const auto wait = [](void* argument) {
        state& mine = *static_cast<state*>(argument);
        const timespec ms{0, 1'000'000};
        for (int i = 0; i < 3'000 && !mine.in_time; ++i) {
            ::syscall(SYS_nanosleep, &ms, nullptr);
            mine.in_time = mine.end;
        }
        return 0;
    };
    std::vector<std::max_align_t> stack(4096);
    const pid_t child =
        ::clone(wait, stack.data() + stack.size(), CLONE_VM | CLONE_VFORK | SIGCHLD, &shared);
    EXPECT_GT(child, 0);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    return shared.in_time;
}

enum class kind { direct_read, direct_write, read_of_what_is_not_in_memory, write_and_sync };

const char* name_of(kind what) {
    switch (what) {
        case kind::direct_read: return "direct_reads";
        case kind::direct_write: return "direct_writes";
        case kind::read_of_what_is_not_in_memory: return "reads_of_what_is_not_in_memory";
        case kind::write_and_sync: return "writes_and_syncs";
    }
    return "";
}

// A file with so many blocks, each with its number.
class numbered_file {
public:
    numbered_file(kind what, unsigned blocks)
        : fd_(is_direct(what) ? file_.open_direct(O_RDWR) : file_.open(O_RDWR)), what_(what) {
        for (unsigned number = 0; number < blocks; ++number) {
            numbered_block block(number);
            EXPECT_EQ(::pwrite(fd_, block.data(), block_bytes, place_of_block(number)),
                      ssize_t{block_bytes});
        }
        EXPECT_EQ(::fdatasync(fd_), 0);
        EXPECT_EQ(::posix_fadvise(fd_, 0, 0, POSIX_FADV_RANDOM), 0);
    }
    ~numbered_file() { ::close(fd_); }
    numbered_file(const numbered_file&) = delete;
    numbered_file& operator=(const numbered_file&) = delete;

    int fd() const noexcept { return fd_; }
    void forget_pages() { EXPECT_EQ(::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED), 0); }

    // In a ULT.
    void operate(unsigned number) {
        numbered_block block(number);
        if (what_ == kind::direct_write || what_ == kind::write_and_sync) {
            EXPECT_EQ(io::pwrite(fd_, block.data(), block_bytes, place_of_block(number)).value(),
                      std::int64_t{block_bytes});
            if (what_ == kind::write_and_sync) {
                EXPECT_EQ(io::fdatasync(fd_).value(), 0);
            }
            return;
        }
        block.fill(~number);
        EXPECT_EQ(io::pread(fd_, block.data(), block_bytes, place_of_block(number)).value(),
                  std::int64_t{block_bytes});
        EXPECT_TRUE(block.is_whole());
        EXPECT_EQ(block.number(), number);
    }

private:
    static bool is_direct(kind what) {
        return what == kind::direct_read || what == kind::direct_write;
    }

    const passing_file file_;
    int fd_;
    kind what_;
};

// The number is LAZULT_EVENT_PERIOD. With 1 the stream looks into its port after each ULT, before
// it is caught, and else a spare stream does.
class caught_rings : public ::testing::TestWithParam<std::tuple<kind, std::uint32_t>> {
protected:
    void SetUp() override {
        if (probe::tsan) {
            GTEST_SKIP() << "ThreadSanitizer does not follow a process that it did not start";
        }
        lazult::options wanted{.streams = 1, .started = lazult::started_kind::move, .spare = 3ms};
        wanted.event_period = std::get<1>(GetParam());
        running_.emplace(wanted);
    }

private:
    std::optional<lazult::runtime> running_;
};

TEST_P(caught_rings, end_operations) {
    lazult::pool pool(lazult::pool_kind::private_fifo);
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    const lazult::thread_attributes there{.where = &pool};
    numbered_file file(std::get<0>(GetParam()), operations);
    for (int round = 0; round < 10; ++round) {
        file.forget_pages();
        std::atomic<unsigned> begun{0};
        std::atomic<unsigned> left{operations};
        std::atomic<bool> is_over{false};
        std::vector<lazult::thread> all;
        for (unsigned number = 0; number < operations; ++number) {
            all.emplace_back(there, [&, number] {
                ++begun;
                file.operate(number);
                if (--left == 0) {
                    is_over = true;
                }
            });
        }
        all.emplace_back(there, [&] {
            while (begun < operations) {
                lazult::this_thread::yield();
            }
            EXPECT_TRUE(left == 0 || sleep_in_state_d(is_over));
        });
        for (lazult::thread& each : all) {
            each.join();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(kinds, caught_rings,
                         ::testing::Combine(::testing::Values(kind::direct_read, kind::direct_write,
                                                              kind::read_of_what_is_not_in_memory,
                                                              kind::write_and_sync),
                                            ::testing::Values(1U, 64U)),
                         [](const ::testing::TestParamInfo<caught_rings::ParamType>& info) {
                             return std::string(name_of(std::get<0>(info.param))) + "_looks_" +
                                    std::to_string(std::get<1>(info.param));
                         });

// A pool that several streams serve, one after the other, while its units wait for files.
class changing_streams {
public:
    explicit changing_streams(std::uint32_t event_period = 1)
        : running_(lazult::options{.streams = 1, .event_period = event_period}) {}
    lazult::thread start(std::function<void()> f) {
        ++not_begun_;
        return {lazult::thread_attributes{.where = &pool_}, [this, f] {
                    --not_begun_;
                    f();
                }};
    }
    // A stream runs the threads until all have begun, and for so long, and ends.
    void run_briefly(std::chrono::milliseconds more = 0ms) {
        const lazult::execution_stream brief(lazult::scheduler_kind::basic, {&pool_});
        while (not_begun_ > 0) {
            lazult::this_thread::yield();
        }
        lazult::this_thread::sleep_for(more);
    }
    // Joins the threads. A stream begins to run them, and another one goes on.
    void join(std::vector<lazult::thread>& all) {
        has_changed_ = false;
        run_briefly();
        has_changed_ = true;
        const lazult::execution_stream next(lazult::scheduler_kind::basic, {&pool_});
        for (lazult::thread& each : all) {
            each.join();
        }
    }
    // Whether the first stream has ended.
    bool have_changed() const { return has_changed_; }

private:
    const lazult::runtime running_;
    lazult::pool pool_{lazult::pool_kind::shared_fifo};
    std::atomic<int> not_begun_{0};
    std::atomic<bool> has_changed_{false};
};

class rings_of_streams_that_end : public ::testing::TestWithParam<kind> {};

TEST_P(rings_of_streams_that_end, finish_operations) {
    constexpr unsigned blocks = 1024;
    changing_streams streams;
    numbered_file file(GetParam(), blocks);
    for (unsigned round = 0; round < 100; ++round) {
        file.forget_pages();
        std::vector<lazult::thread> all;
        for (unsigned i = 0; i < operations; ++i) {
            const unsigned number = (round * operations + i) * 37 % blocks;
            all.push_back(streams.start([&file, number] { file.operate(number); }));
        }
        streams.join(all);
    }
}

// The first page is in memory, so a read may end with that one alone. Then the next read begins
// behind it.
TEST(rings_of_ended_streams, move_the_position_by_what_was_read) {
    constexpr unsigned blocks = 64;
    changing_streams streams;
    numbered_file file(kind::read_of_what_is_not_in_memory, blocks);
    std::vector<char> into(blocks * block_bytes);
    for (int round = 0; round < 100; ++round) {
        file.forget_pages();
        numbered_block first;
        ASSERT_EQ(::pread(file.fd(), first.data(), block_bytes, 0), ssize_t{block_bytes});
        ASSERT_EQ(::lseek(file.fd(), 0, SEEK_SET), 0);
        std::int64_t read = 0;
        std::vector<lazult::thread> all;
        all.push_back(
            streams.start([&] { read = io::read(file.fd(), into.data(), into.size()).value(); }));
        streams.join(all);
        EXPECT_GT(read, 0);
        EXPECT_EQ(::lseek(file.fd(), 0, SEEK_CUR), read);
    }
}

INSTANTIATE_TEST_SUITE_P(kinds, rings_of_streams_that_end,
                         ::testing::Values(kind::direct_read, kind::direct_write,
                                           kind::read_of_what_is_not_in_memory,
                                           kind::write_and_sync),
                         [](const ::testing::TestParamInfo<kind>& info) {
                             return name_of(info.param);
                         });

// /proc/kmsg is a regular file, and waits for messages of the kernel.
[[noreturn]] void end_beside_a_read_without_end(int messages) {
    ::alarm(30);
    changing_streams streams;
    streams
        .start([messages] {
            char text[4096];
            for (;;) {
                (void)io::read(messages, text, sizeof text);
            }
        })
        .detach();
    streams.run_briefly(300ms);
    std::_Exit(0);
}

TEST(rings_of_ended_streams, do_not_wait_for_ever) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const int messages = ::open("/proc/kmsg", O_RDONLY | O_CLOEXEC);
    if (messages < 0) {
        GTEST_SKIP() << "only the superuser may read the kernel's messages";
    }
    EXPECT_EXIT(end_beside_a_read_without_end(messages), ::testing::ExitedWithCode(0), "");
    ::close(messages);
}

// A terminal. What is written to `typed` can be read from `in`.
struct terminal {
    terminal() : typed(checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC))) {
        EXPECT_EQ(::grantpt(typed), 0);
        EXPECT_EQ(::unlockpt(typed), 0);
        in = open(0);
        termios how{};
        EXPECT_EQ(::tcgetattr(in, &how), 0);
        ::cfmakeraw(&how);
        EXPECT_EQ(::tcsetattr(in, TCSANOW, &how), 0);
    }
    ~terminal() {
        ::close(in);
        ::close(typed);
    }
    terminal(const terminal&) = delete;
    terminal& operator=(const terminal&) = delete;
    int open(int flags) const {
        return checked(::open(::ptsname(typed), O_RDWR | O_NOCTTY | O_CLOEXEC | flags));
    }

    int typed;
    int in = -1;
};

void yield(int times) {
    for (int i = 0; i < times; ++i) {
        lazult::this_thread::yield();
    }
}

// Another reader is faster. If it was so when the read had its entry in the ring already, the read
// waits there for input, until its stream ends. So many yields are between input and that reader.
void overtake_read(changing_streams& streams, int yields) {
    const terminal mine;
    const int hasty = mine.open(O_NONBLOCK);
    std::vector<lazult::thread> all;
    all.push_back(streams.start([&] {
        char c = 0;
        while (c != 'b') {
            EXPECT_EQ(io::read(mine.in, &c, 1).value(), 1);
        }
    }));
    all.push_back(streams.start([&] {
        yield(100);
        EXPECT_EQ(::write(mine.typed, "a", 1), 1);
        pollfd wanted{mine.in, POLLIN, 0};
        EXPECT_EQ(::poll(&wanted, 1, 10'000), 1);
        yield(yields);
        char c = 0;
        EXPECT_LE(::read(hasty, &c, 1), 1);
        yield(100);
    }));
    std::thread typist([&] {
        for (int i = 0; i < 5'000 && !streams.have_changed(); ++i) {
            std::this_thread::sleep_for(1ms);
        }
        EXPECT_TRUE(streams.have_changed());
        EXPECT_EQ(::write(mine.typed, "b", 1), 1);
    });
    streams.join(all);
    typist.join();
    ::close(hasty);
}

TEST(rings_of_ended_streams, give_back_what_waits_for_input) {
    changing_streams streams(8);
    for (int yields = 0; yields < 32; ++yields) {
        overtake_read(streams, yields);
    }
}

TEST(rings, say_that_memory_is_at_fault) {
    const lazult::runtime running(lazult::options{.streams = 1});
    const passing_file file;
    const int fd = file.open_direct(O_RDWR);
    numbered_block block;
    ASSERT_EQ(::pwrite(fd, block.data(), block_bytes, 0), ssize_t{block_bytes});
    void* const hole = ::mmap(nullptr, block_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(hole, MAP_FAILED);
    lazult::thread([&] {
        EXPECT_EQ(io::pread(fd, hole, block_bytes, 0).error().value(), EFAULT);
        EXPECT_EQ(io::pwrite(fd, hole, block_bytes, 0).error().value(), EFAULT);
    }).join();
    EXPECT_EQ(::munmap(hole, block_bytes), 0);
    EXPECT_EQ(::close(fd), 0);
}

}  // namespace
}  // namespace lazult
