// SPDX-License-Identifier: BSD-3-Clause
// No descriptor is left: calls say so and do not hang, waits go on, and all works again when some
// are free.
#include "tests/io/faults.hpp"

#include <sys/resource.h>

namespace lazult {
namespace {

using namespace lazult::testing;

// All descriptors of the process are in use while it lives.
class all_in_use {
public:
    all_in_use() {
        rlimit few{};
        ::getrlimit(RLIMIT_NOFILE, &few);
        few.rlim_cur = 100;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
        for (int fd = 0; (fd = ::dup(STDOUT_FILENO)) >= 0;) {
            taken_.push_back(fd);
        }
        EXPECT_EQ(errno, EMFILE);
        EXPECT_FALSE(taken_.empty());
    }
    ~all_in_use() {
        for (const int fd : taken_) {
            ::close(fd);
        }
    }
    all_in_use(const all_in_use&) = delete;
    all_in_use& operator=(const all_in_use&) = delete;

private:
    std::vector<int> taken_;
};

// Cases that UndefinedBehaviorSanitizer cannot follow: it makes a pipe to look whether an object's
// memory can be read, and takes a pipe that it does not get for a bad object.
class without_descriptors : public in_processes {
protected:
    void SetUp() override {
        in_processes::SetUp();
        if (probe::asan) {  // they come together
            GTEST_SKIP() << "UndefinedBehaviorSanitizer needs descriptors itself";
        }
    }
};

class scarce_descriptors : public without_descriptors,
                           public ::testing::WithParamInterface<std::tuple<int, owner>> {
protected:
    static int streams() { return std::get<0>(GetParam()); }
    static owner of() { return std::get<1>(GetParam()); }
};

TEST_P(scarce_descriptors, a_stream_without_a_port_says_so_and_has_one_later) {
    in_process([] {
        const lazult::runtime running(lazult::options{.streams = streams()});
        const ends both = make_pipe(of());
        const ends other = make_socket_pair(of());
        const passing_file file;
        const int direct = file.open_direct(O_RDWR);
        {
            const all_in_use scarce;
            in_ults(4, [&](unsigned) {
                char c = 0;
                pollfd wanted[] = {{both.in, POLLIN, 0}, {other.in, POLLIN, 0}};
                EXPECT_EQ(io::read(both.in, &c, 1).error_number(), EMFILE);
                EXPECT_EQ(io::recv(other.in, &c, 1, 0, 5s).error_number(), EMFILE);
                EXPECT_EQ(io::poll(wanted).error_number(), EMFILE);
                EXPECT_EQ(io::await_readable(other.in).error_number(), EMFILE);
                // what need not wait for a descriptor works
                EXPECT_EQ(io::await_writable(other.in).value(), 0);
                numbered_block block(7);
                EXPECT_EQ(io::pwrite(direct, block.data(), block_bytes, 0).bytes(), block_bytes);
                EXPECT_EQ(io::pread(direct, block.data(), block_bytes, 0).bytes(), block_bytes);
                EXPECT_EQ(block.number(), 7U);
                lazult::this_thread::sleep_for(1ms);
            });
        }
        lazult::thread reader([&] {
            char c = 0;
            EXPECT_EQ(io::read(both.in, &c, 1).value(), 1);
            EXPECT_EQ(io::await_readable(other.in).value(), 0);
        });
        lazult::this_thread::sleep_for(2ms);
        EXPECT_EQ(::write(both.out, "x", 1), 1);
        lazult::this_thread::sleep_for(2ms);
        EXPECT_EQ(::write(other.out, "x", 1), 1);
        reader.join();
        ::close(direct);
    });
}

TEST_P(scarce_descriptors, new_ones_are_refused_and_old_waits_go_on) {
    in_process([] {
        constexpr unsigned readers = 10;
        const lazult::runtime running(lazult::options{.streams = streams()});
        std::vector<ends> pipes;
        for (unsigned i = 0; i < readers; ++i) {
            pipes.push_back(make_pipe(of()));
        }
        listener server(of());
        const int client = checked(::socket(AF_INET, SOCK_STREAM, 0));
        EXPECT_EQ(::connect(client, generic(server.address), sizeof server.address), 0);
        std::atomic<unsigned> got{0};
        std::vector<lazult::thread> waiting;
        for (unsigned i = 0; i < readers; ++i) {
            waiting.emplace_back([&, i] {
                char c = 0;
                EXPECT_EQ(io::read(pipes[i].in, &c, 1).value(), 1);
                got += c == static_cast<char>('a' + i) ? 1 : 0;
            });
        }
        lazult::this_thread::sleep_for(5ms);
        {
            const all_in_use scarce;
            in_ult([&] {
                int fresh[2];
                EXPECT_EQ(io::accept(server.fd, nullptr, nullptr).error_number(), EMFILE);
                EXPECT_EQ(io::accept(server.fd, nullptr, nullptr, 0, 1s).error_number(), EMFILE);
                EXPECT_EQ(io::open("/dev/null", O_RDONLY).error_number(), EMFILE);
                EXPECT_EQ(io::socket(AF_INET, SOCK_STREAM, 0).error_number(), EMFILE);
                EXPECT_EQ(io::pipe(fresh).error_number(), EMFILE);
            });
            for (unsigned i = 0; i < readers; ++i) {
                const char c = static_cast<char>('a' + i);
                EXPECT_EQ(::write(pipes[i].out, &c, 1), 1);
            }
            for (lazult::thread& each : waiting) {
                each.join();
            }
            EXPECT_EQ(got, readers);
        }
        in_ult([&] {  // the connection has waited
            const int accepted = io::accept(server.fd, nullptr, nullptr).descriptor();
            EXPECT_EQ(io::write(client, "x", 1).value(), 1);
            char c = 0;
            EXPECT_EQ(io::read(accepted, &c, 1).value(), 1);
            EXPECT_TRUE(io::close(accepted).ok());
        });
        ::close(client);
    });
}

// A stop token needs a descriptor where an OS thread waits.
TEST_P(scarce_descriptors, an_os_thread_that_may_be_stopped_does_not_hang) {
    in_process([] {
        const lazult::runtime running(lazult::options{.streams = streams()});
        const ends both = make_pipe(of());
        std::stop_source stop;
        std::thread([&] {
            const all_in_use scarce;
            char c = 0;
            pollfd wanted{both.in, POLLIN, 0};
            EXPECT_EQ(io::read(both.in, &c, 1, stop.get_token()).error_number(), EMFILE);
            EXPECT_EQ(io::poll({&wanted, 1}, {5s, stop.get_token()}).error_number(), EMFILE);
            EXPECT_EQ(io::read(both.in, &c, 1, 5ms).error_number(), ETIMEDOUT);
        }).join();
    });
}

class file_backend : public without_descriptors {};

// What the program is told of files is true afterwards, whenever it first asked.
TEST_F(file_backend, is_not_misjudged_for_ever) {
    in_process([] {
        const std::string usual = [] {
            std::string words;
            const faults::outcome told = faults::in_child([] {
                std::fputs(io::file_backend().c_str(), stderr);
                return 0;
            });
            return told.words;
        }();
        {
            const all_in_use scarce;
            EXPECT_EQ(io::file_backend(), "helper threads");
        }
        EXPECT_EQ(io::file_backend(), usual);
    });
}

INSTANTIATE_TEST_SUITE_P(
    all, scarce_descriptors,
    ::testing::Combine(::testing::Values(1, 2), ::testing::Values(owner::program, owner::library)),
    [](const ::testing::TestParamInfo<std::tuple<int, owner>>& info) {
        return std::string(std::get<1>(info.param) == owner::library ? "owned" : "plain") + "_on_" +
               std::to_string(std::get<0>(info.param));
    });

}  // namespace
}  // namespace lazult
