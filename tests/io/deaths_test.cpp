// SPDX-License-Identifier: BSD-3-Clause
// A process is killed while its ULTs wait: the other side hears of it at once, files have whole
// blocks, and nothing of the process is left.
#include "tests/io/faults.hpp"

namespace lazult {
namespace {

using namespace lazult::testing;

// A child process with a group of its own, which runs f until it is killed.
class doomed_process {
public:
    template <class F>
    explicit doomed_process(F f) {
        std::fflush(nullptr);
        id_ = ::fork();
        if (id_ == 0) {
            ::setpgid(0, 0);
            ::alarm(30);
            f();
            ::_exit(1);
        }
        ::setpgid(id_, id_);
    }
    ~doomed_process() { kill(); }
    doomed_process(const doomed_process&) = delete;
    doomed_process& operator=(const doomed_process&) = delete;

    void kill() {
        if (id_ < 0) {
            return;
        }
        ::kill(id_, SIGKILL);
        int status = 0;
        EXPECT_EQ(::waitpid(id_, &status, 0), id_);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
        EXPECT_TRUE(is_group_gone());  // no helper has outlived it
        id_ = -1;
    }

private:
    bool is_group_gone() const {
        const auto begin = std::chrono::steady_clock::now();
        while (::kill(-id_, 0) == 0) {
            if (seconds_since(begin) > 5) {
                ::kill(-id_, SIGKILL);
                return false;
            }
            std::this_thread::sleep_for(1ms);
        }
        return errno == ESRCH;
    }

    pid_t id_ = -1;
};

class deaths : public in_processes, public ::testing::WithParamInterface<io_kind> {};

// Reads to the end, which comes within a moment. Returns 0, or errno.
int error_at_the_end(int fd) {
    pollfd one{fd, POLLIN, 0};
    char bytes[1 << 12];
    for (;;) {
        EXPECT_EQ(::poll(&one, 1, 2'000), 1);
        const ssize_t n = (one.revents & (POLLIN | POLLHUP | POLLERR)) == 0
                              ? -2
                              : ::read(fd, bytes, sizeof bytes);
        if (n <= 0) {
            return n == 0 ? 0 : n == -2 ? ETIME : errno;
        }
    }
}

TEST_P(deaths, the_other_sides_hear_of_it_at_once) {
    for (int round = 0; round < 5; ++round) {
        ends to_child = make_pipe(owner::program);
        ends from_child = make_pipe(owner::program);
        ends local = make_socket_pair(owner::program);
        ends remote = make_connection(owner::program);
        ends told = make_pipe(owner::program);
        doomed_process child([&] {
            to_child.close_out();
            from_child.close_in();
            local.close_in();
            remote.close_in();
            const lazult::runtime running(lazult::options{.streams = 2, .io = GetParam()});
            EXPECT_TRUE(io::adopt(remote.out).ok());
            const std::string much = pattern(4 << 20);
            std::atomic<int> begun{0};
            const auto wait = [&](auto call) {
                return lazult::thread([&begun, call] {
                    ++begun;
                    call();
                });
            };
            std::vector<lazult::thread> all;
            char c[5];
            all.push_back(wait([&] { io::read(to_child.in, &c[0], 1); }));
            all.push_back(wait([&] { io::read(local.out, &c[1], 1); }));
            all.push_back(wait([&] { io::read(remote.out, &c[2], 1); }));
            all.push_back(wait([&] { io::await_readable(remote.out); }));
            all.push_back(wait([&] { io::write(from_child.out, much.data(), much.size()); }));
            all.push_back(wait([&] { io::call([] { ::pause(); }); }));
            while (begun < 6) {
                lazult::this_thread::yield();
            }
            lazult::this_thread::sleep_for(5ms);
            EXPECT_EQ(::write(told.out, "x", 1), 1);
            for (lazult::thread& each : all) {
                each.join();
            }
        });
        to_child.close_in();
        from_child.close_out();
        local.close_out();
        remote.close_out();
        char c = 0;
        EXPECT_EQ(::read(told.in, &c, 1), 1);
        child.kill();
        EXPECT_EQ(error_at_the_end(from_child.in), 0);
        EXPECT_EQ(error_at_the_end(local.in), 0);
        const int error = error_at_the_end(remote.in);
        EXPECT_TRUE(error == 0 || error == ECONNRESET) << error;
        ::signal(SIGPIPE, SIG_IGN);
        EXPECT_EQ(::write(to_child.out, "x", 1), -1);
        EXPECT_EQ(errno, EPIPE);
        ::signal(SIGPIPE, SIG_DFL);
    }
}

// The kernel writes a page of a file as a whole, or a killed process does not write it.
TEST_P(deaths, each_block_of_a_file_is_whole) {
    constexpr unsigned blocks = 256;
    for (int round = 0; round < 12; ++round) {
        const passing_file file;
        ends told = make_pipe(owner::program);
        doomed_process child([&] {
            const lazult::runtime running(lazult::options{.streams = 2, .io = GetParam()});
            const int fd = round % 2 == 0 ? file.open(O_RDWR) : file.open_direct(O_RDWR);
            std::atomic<unsigned> written{0};
            in_ults(64, [&](unsigned i) {
                for (unsigned number = i;; number += 64) {
                    numbered_block block(number + 1);
                    const auto done =
                        io::pwrite(fd, block.data(), block_bytes, place_of_block(number % blocks));
                    EXPECT_EQ(done.bytes(), block_bytes);
                    if (++written == 300) {
                        EXPECT_EQ(::write(told.out, "x", 1), 1);
                    }
                }
            });
        });
        told.close_out();
        char c = 0;
        EXPECT_EQ(::read(told.in, &c, 1), 1);
        std::this_thread::sleep_for(std::chrono::microseconds(730 * round));
        child.kill();
        const int fd = file.open(O_RDONLY);
        unsigned whole = 0;
        for (unsigned i = 0; i < blocks; ++i) {
            numbered_block block;
            if (::pread(fd, block.data(), block_bytes, place_of_block(i)) != ssize_t{block_bytes}) {
                break;
            }
            EXPECT_TRUE(block.is_whole()) << "block " << i;
            EXPECT_TRUE(block.number() == 0 || (block.number() - 1) % blocks == i);
            whole += block.number() != 0 ? 1 : 0;
        }
        EXPECT_GT(whole, 0U);
        ::close(fd);
    }
}

INSTANTIATE_TEST_SUITE_P(all, deaths, ::testing::Values(io_kind::automatic, io_kind::threads),
                         [](const ::testing::TestParamInfo<io_kind>& info) {
                             return info.param == io_kind::threads ? "threads" : "automatic";
                         });

}  // namespace
}  // namespace lazult
