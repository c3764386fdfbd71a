// SPDX-License-Identifier: BSD-3-Clause
// Signals all the time: no call ends with EINTR, and no byte is lost or comes twice.
#include "tests/io/faults.hpp"
#include "tests/io/storm.hpp"

#include <sys/stat.h>

namespace lazult {
namespace {

using namespace lazult::testing;

// How the calls of a test are limited.
enum class limited { no, far, near };

class storms : public ::testing::TestWithParam<std::tuple<io_kind, limited>> {
protected:
    // The limit of one call.
    io::limits until() const {
        switch (std::get<1>(GetParam())) {
            case limited::no: return {};
            case limited::far: return {60s, stop_.get_token()};
            case limited::near: break;
        }
        return 300us;
    }
    // Makes a call again while its limit ends it.
    template <class Call>
    std::int64_t made(Call call) const {
        for (;;) {
            const io::result r = call(until());
            if (r.error_number() != ETIMEDOUT || std::get<1>(GetParam()) != limited::near) {
                EXPECT_EQ(r.error_number(), 0);
                return r.ok() ? r.value() : 0;
            }
        }
    }
    void send(int fd, const std::string& all, bool is_socket) const {
        for (std::size_t done = 0, round = 0; done < all.size(); ++round) {
            const std::size_t some = std::min(all.size() - done, 1 + round * 977 % 40'000);
            const std::int64_t n = made([&](const io::limits& limit) {
                return is_socket && round % 2 == 0 ? io::send(fd, all.data() + done, some, 0, limit)
                                                   : io::write(fd, all.data() + done, some, limit);
            });
            if (n == 0 || (std::get<1>(GetParam()) != limited::near &&
                           n != static_cast<std::int64_t>(some))) {
                ADD_FAILURE() << "a write moved " << n << " bytes of " << some;
                return;
            }
            done += static_cast<std::size_t>(n);
        }
    }
    std::string receive(int fd, std::size_t bytes, bool is_socket) const {
        std::string got(bytes, '\0');
        for (std::size_t done = 0, round = 0; done < bytes; ++round) {
            const std::size_t some = std::min(bytes - done, 1 + round * 1409 % 30'000);
            const std::int64_t n = made([&](const io::limits& limit) {
                return is_socket && round % 2 == 0 ? io::recv(fd, got.data() + done, some, 0, limit)
                                                   : io::read(fd, got.data() + done, some, limit);
            });
            if (n == 0) {
                ADD_FAILURE() << "the end has come after " << done << " bytes";
                break;
            }
            done += static_cast<std::size_t>(n);
        }
        return got;
    }
    // Both ends are used by callers of the same kind: ULTs, or OS threads that are no streams.
    template <class Thread>
    void transfer(const ends& both, unsigned seed, bool is_socket) const {
        const std::string sent = pattern(3 << 20, seed);
        std::string got;
        Thread reader([&] { got = receive(both.in, sent.size(), is_socket); });
        Thread writer([&] { send(both.out, sent, is_socket); });
        reader.join();
        writer.join();
        EXPECT_TRUE(got == sent);
    }

    std::stop_source stop_;
    lazult::runtime running_{lazult::options{.streams = 2, .io = std::get<0>(GetParam())}};
};

// Of each kind, of the program's and of lazult::io's.
std::vector<ends> all_kinds_of_ends() {
    std::vector<ends> all;
    for (const owner of : {owner::program, owner::library}) {
        all.push_back(make_pipe(of));
        all.push_back(make_socket_pair(of));
        all.push_back(make_connection(of));
    }
    return all;
}

TEST_P(storms, units_lose_nothing_through_pipes_and_sockets) {
    const std::vector<ends> all = all_kinds_of_ends();
    const storm blows;
    in_ults(static_cast<unsigned>(all.size()),
            [&](unsigned i) { transfer<lazult::thread>(all[i], i, i % 3 != 0); });
}

TEST_P(storms, os_threads_lose_nothing_through_pipes_and_sockets) {
    const std::vector<ends> all = all_kinds_of_ends();
    const storm blows;
    for (unsigned i = 0; i < all.size(); ++i) {
        transfer<std::thread>(all[i], i, i % 3 != 0);
    }
}

// Large enough that the kernel waits inside one call, where a signal cuts it short.
TEST_P(storms, one_call_of_an_os_thread_sends_all) {
    const std::vector<ends> all = all_kinds_of_ends();
    const storm blows;
    const std::string sent = pattern(8 << 20);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_socket = i % 3 != 0;
        for (const bool as_message : {false, is_socket}) {
            std::string got(sent.size(), '\0');
            std::thread reader([&, in = all[i].in] {
                for (std::size_t done = 0; done < got.size();) {
                    const std::size_t some = std::min<std::size_t>(got.size() - done, 50'000);
                    const io::result r =
                        is_socket ? io::recv(in, got.data() + done, some, MSG_WAITALL, until())
                                  : io::read_all(in, got.data() + done, some, until());
                    done += r.ok() ? r.bytes() : 0;
                }
            });
            std::int64_t moved = 0;
            std::thread([&, out = all[i].out] {
                moved = as_message ? io::send(out, sent.data(), sent.size(), 0).value()
                                   : io::write(out, sent.data(), sent.size()).value();
                EXPECT_EQ(moved, static_cast<std::int64_t>(sent.size()));
                for (auto done = static_cast<std::size_t>(moved); done < sent.size();) {
                    done += io::write(out, sent.data() + done, sent.size() - done).bytes();
                }
            }).join();
            reader.join();
            EXPECT_TRUE(got == sent);
        }
    }
}

TEST_P(storms, files_keep_what_is_written) {
    constexpr unsigned blocks = 400;
    const passing_file direct_file;
    const passing_file cached_file;
    const int direct = direct_file.open_direct(O_RDWR | O_APPEND);
    const int cached = cached_file.open(O_RDWR | O_APPEND);
    const storm blows;
    in_ults(20, [&](unsigned i) {
        for (unsigned k = 0; k < blocks / 20; ++k) {
            for (const int fd : {direct, cached}) {
                numbered_block block(20 * k + i);
                EXPECT_EQ(io::write(fd, block.data(), block_bytes, until()).value(),
                          std::int64_t{block_bytes});
            }
            if (k % 5 == 0) {
                EXPECT_EQ(io::fdatasync(direct).value(), 0);
            }
        }
    });
    for (const int fd : {direct, cached}) {
        struct stat about{};
        EXPECT_EQ(::fstat(fd, &about), 0);
        EXPECT_EQ(about.st_size, place_of_block(blocks));
        std::vector<std::atomic<unsigned>> times(blocks);
        in_ults(blocks, [&](unsigned i) {
            numbered_block block;
            EXPECT_EQ(io::pread(fd, block.data(), block_bytes, place_of_block(i), until()).value(),
                      std::int64_t{block_bytes});
            EXPECT_TRUE(block.is_whole());
            ++times.at(block.number());
        });
        for (const std::atomic<unsigned>& each : times) {
            EXPECT_EQ(each, 1U);
        }
        ::close(fd);
    }
}

TEST_P(storms, connections_come_about) {
    constexpr unsigned clients = 60;
    listener server(owner::library, 128);
    std::atomic<unsigned> sum{0};
    const storm blows;
    lazult::thread acceptor([&] {
        in_ults(clients, [&](unsigned) {
            const int fd = static_cast<int>(made([&](const io::limits& limit) {
                return io::accept(server.fd, nullptr, nullptr, SOCK_CLOEXEC, limit);
            }));
            unsigned char number = 0;
            EXPECT_EQ(
                made([&](const io::limits& limit) { return io::read(fd, &number, 1, limit); }), 1);
            sum += number;
            EXPECT_TRUE(io::close(fd).ok());
        });
    });
    const auto call = [&](unsigned i) {
        const int fd = io::socket(AF_INET, SOCK_STREAM, 0).descriptor();
        EXPECT_EQ(io::connect(fd, generic(server.address), sizeof server.address).error_number(),
                  0);
        const auto number = static_cast<unsigned char>(i);
        EXPECT_EQ(io::write(fd, &number, 1).value(), 1);
        EXPECT_TRUE(io::close(fd).ok());
    };
    in_ults(clients - 1, [&](unsigned i) {
        lazult::this_thread::sleep_for(std::chrono::microseconds(300 * i));
        call(i);
    });
    std::thread([&] { call(clients - 1); }).join();
    acceptor.join();
    EXPECT_EQ(sum, clients * (clients - 1) / 2);
}

TEST_P(storms, polls_end_by_events_and_limits_alone) {
    const ends one = make_pipe(owner::program);
    const ends other = make_socket_pair(owner::library);
    const storm blows;
    const auto look = [&] {
        pollfd wanted[] = {{one.in, POLLIN, 0}, {other.in, POLLIN, 0}};
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(io::poll(wanted, 30ms).value(), 0);
        EXPECT_EQ(io::await_readable(one.in, 10ms).error_number(), ETIMEDOUT);
        EXPECT_GE(seconds_since(begin), 0.04);
    };
    in_ults(3, [&](unsigned) { look(); });
    std::thread(look).join();
    for (int round = 0; round < 20; ++round) {
        const auto wait = [&] {
            made([&](const io::limits& limit) {
                pollfd wanted[] = {{one.in, POLLIN, 0}, {other.in, POLLIN, 0}};
                const io::result ready = io::poll(wanted, limit);
                return ready.ok() && ready.value() == 0 ? io::result(-ETIMEDOUT) : ready;
            });
        };
        lazult::thread unit(wait);
        std::thread outside(wait);
        std::this_thread::sleep_for(1ms);
        EXPECT_EQ(::write(round % 2 == 0 ? one.out : other.out, "x", 1), 1);
        unit.join();
        outside.join();
        char c = 0;
        EXPECT_EQ(::read(round % 2 == 0 ? one.in : other.in, &c, 1), 1);
    }
}

// open(2) of a FIFO waits for the other side.
TEST_P(storms, an_open_that_waits_goes_on) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("lazult-fifo-" + std::to_string(::getpid())))
            .string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const storm blows;
    const auto open_to_read = [&] {
        const io::result opened = io::open(path.c_str(), O_RDONLY);
        EXPECT_EQ(opened.error_number(), 0);
        if (opened.ok()) {
            EXPECT_TRUE(io::close(opened.descriptor()).ok());
        }
    };
    const auto open_to_write = [&] {
        std::this_thread::sleep_for(30ms);
        for (;;) {  // the reader may have given up
            const int fd = ::open(path.c_str(), O_WRONLY | O_NONBLOCK);
            if (fd >= 0 || errno != ENXIO || ::testing::Test::HasFailure()) {
                return fd;
            }
        }
    };
    {
        std::thread outside(open_to_read);
        const int fd = open_to_write();
        outside.join();
        ::close(fd);
    }
    {
        lazult::thread unit(open_to_read);
        const int fd = open_to_write();
        unit.join();
        ::close(fd);
    }
    ::unlink(path.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    all, storms,
    ::testing::Combine(::testing::Values(io_kind::automatic, io_kind::threads),
                       ::testing::Values(limited::no, limited::far, limited::near)),
    [](const ::testing::TestParamInfo<std::tuple<io_kind, limited>>& info) {
        const limited how = std::get<1>(info.param);
        return std::string(std::get<0>(info.param) == io_kind::threads ? "threads" : "automatic") +
               (how == limited::no    ? "_without_limits"
                : how == limited::far ? "_with_far_limits"
                                      : "_with_near_limits");
    });

}  // namespace
}  // namespace lazult
