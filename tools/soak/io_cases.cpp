// SPDX-License-Identifier: BSD-3-Clause
#include "tools/soak/io_cases.hpp"

#include <lazult/io.hpp>
#include <lazult/lazult.hpp>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lazult::soak {
namespace {

using namespace std::chrono_literals;

// An end of something, which belongs to lazult::io.
class handle {
public:
    explicit handle(int fd) noexcept : fd_(fd) {}
    handle(handle&& from) noexcept : fd_(std::exchange(from.fd_, -1)) {}
    handle& operator=(handle&&) = delete;
    ~handle() { close(); }
    int fd() const noexcept { return fd_; }
    void close() {
        if (fd_ >= 0) {
            io::close(std::exchange(fd_, -1));
        }
    }

private:
    int fd_;
};

struct two_ends {
    handle in;
    handle out;
};
two_ends make_pipe() {
    int both[2];
    io::pipe(both, O_CLOEXEC).value();
    return {handle(both[0]), handle(both[1])};
}
two_ends make_socket_pair(load& all) {
    int both[2];
    all.expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both) == 0, true,
               "a pair of sockets");
    io::adopt(both[0]);
    io::adopt(both[1]);
    return {handle(both[0]), handle(both[1])};
}

// One call in three has a limit, which may end it.
io::limits any_limit(generator& random) {
    return random.below(3) == 0 ? io::limits(std::chrono::microseconds(random.below(300)))
                                : io::limits();
}

// Moves all bytes in parts of any size.
template <class Move>
void move_all(load& all, generator& random, std::size_t bytes, const char* what, Move move) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t some = std::min<std::size_t>(bytes - done, 1 + random.below(20'000));
        const io::result moved = move(done, some, any_limit(random));
        if (moved.error_number() == ETIMEDOUT) {
            continue;
        }
        all.expect(static_cast<std::uint64_t>(moved.error_number()), 0, what);
        all.expect(moved.value() > 0, true, what);
        done += moved.bytes();
    }
}

void send_all(load& all, generator& random, int fd, const std::string& sent) {
    move_all(all, random, sent.size(), "the error of a write",
             [&](std::size_t done, std::size_t some, const io::limits& until) {
                 return io::write(fd, sent.data() + done, some, until);
             });
}
std::string receive_all(load& all, generator& random, int fd, std::size_t bytes) {
    std::string got(bytes, '\0');
    move_all(all, random, bytes, "the error of a read",
             [&](std::size_t done, std::size_t some, const io::limits& until) {
                 return io::read(fd, got.data() + done, some, until);
             });
    return got;
}

}  // namespace

void pipes(load& all, generator& random) {
    const unsigned pairs = 1 + random.below(6);
    std::atomic<std::uint64_t> right{0};
    lazult::task_group group;
    std::vector<two_ends> both;
    std::vector<std::string> sent;
    for (unsigned i = 0; i < pairs; ++i) {
        both.push_back(random.below(2) == 0 ? make_pipe() : make_socket_pair(all));
        sent.push_back(pattern(1 + random.below(300'000), random.next()));
    }
    for (unsigned i = 0; i < pairs; ++i) {
        group.run([&, i, seed = random.next()] {
            generator mine(seed);
            send_all(all, mine, both[i].out.fd(), sent[i]);
        });
        group.run([&, i, seed = random.next()] {
            generator mine(seed);
            right += receive_all(all, mine, both[i].in.fd(), sent[i].size()) == sent[i] ? 1 : 0;
        });
    }
    group.wait();
    all.expect(right, pairs - (all.spoils_io() ? 1 : 0), "pipes that gave what they got");
    all.count(pairs);
}

namespace {

// A socket that listens at a free address: a local one, or one of the loopback.
struct server {
    server(load& all, bool local) : is_local(local), listening(make(local)) {
        sockaddr_in loopback{};
        loopback.sin_family = AF_INET;
        loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const sockaddr free_name{AF_UNIX, {}};  // the kernel finds one
        const bool is_bound =
            is_local ? ::bind(listening.fd(), &free_name, sizeof(sa_family_t)) == 0
                     : ::bind(listening.fd(), reinterpret_cast<const sockaddr*>(&loopback),
                              sizeof loopback) == 0;
        all.expect(is_bound && ::listen(listening.fd(), 128) == 0, true, "a socket that listens");
        size = sizeof address;
        ::getsockname(listening.fd(), where(), &size);
    }
    static handle make(bool local) {
        return handle(
            io::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0).descriptor());
    }
    sockaddr* where() noexcept { return reinterpret_cast<sockaddr*>(&address); }

    bool is_local;
    handle listening;
    sockaddr_storage address{};
    socklen_t size = 0;
};

// Until the client closes or resets the connection.
void serve(load& all, handle connection) {
    char buffer[4000];
    for (;;) {
        const io::result got = io::read(connection.fd(), buffer, sizeof buffer);
        if (!got || got.value() == 0) {
            all.expect(got.ok() || got.error_number() == ECONNRESET, true,
                       "the end of a connection");
            return;
        }
        all.expect(io::write(connection.fd(), buffer, got.bytes()).bytes(), got.bytes(),
                   "bytes that an echo server writes");
    }
}

// Leaves no port of the loopback in TIME_WAIT, of which there are not enough for half an hour.
void visit(load& all, server& at, generator& random) {
    const handle connection = server::make(at.is_local);
    const linger at_once{1, 0};
    ::setsockopt(connection.fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    all.expect(static_cast<std::uint64_t>(
                   io::connect(connection.fd(), at.where(), at.size).error_number()),
               0, "the error of a connect");
    for (unsigned i = 0; i <= random.below(8); ++i) {
        const std::string sent = pattern(1 + random.below(9000), random.next());
        lazult::thread sender([&, seed = random.next()] {
            generator mine(seed);
            send_all(all, mine, connection.fd(), sent);
        });
        all.expect(receive_all(all, random, connection.fd(), sent.size()) == sent, true,
                   "an echo that is what was sent");
        sender.join();
    }
}

}  // namespace

void echoes(load& all, generator& random) {
    const unsigned clients = 1 + random.below(12);
    server at(all, random.below(4) != 0);
    lazult::task_group group;
    group.run([&] {
        for (unsigned i = 0; i < clients; ++i) {
            const int fd = io::accept(at.listening.fd(), nullptr, nullptr).descriptor();
            group.run([&all, fd] { serve(all, handle(fd)); });
        }
    });
    for (unsigned i = 0; i < clients; ++i) {
        group.run([&, seed = random.next()] {
            generator mine(seed);
            visit(all, at, mine);
        });
    }
    group.wait();
    all.count(clients);
}

namespace {

constexpr std::size_t block_bytes = 4096;

// Words of its number, in memory that direct mode takes.
class block {
public:
    void fill(std::uint64_t number) noexcept { std::fill_n(words_.get(), count, number); }
    bool is_of(std::uint64_t number) const noexcept {
        return std::all_of(words_.get(), words_.get() + count,
                           [number](std::uint64_t each) { return each == number; });
    }
    void* data() noexcept { return words_.get(); }

private:
    static constexpr std::size_t count = block_bytes / sizeof(std::uint64_t);
    struct free_it {
        void operator()(std::uint64_t* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<std::uint64_t[], free_it> words_{
        static_cast<std::uint64_t*>(std::aligned_alloc(block_bytes, block_bytes))};
};

// A file without a name. In direct mode if it is wished and the file system has it.
int open_nameless(bool is_direct) {
    const char* const folder = std::getenv("TMPDIR");
    const char* const where = folder != nullptr ? folder : "/tmp";
    const int flags = O_TMPFILE | O_RDWR | O_CLOEXEC;
    const io::result direct =
        is_direct ? io::open(where, flags | O_DIRECT, 0600) : io::result(-EINVAL);
    return direct.ok() ? direct.descriptor() : io::open(where, flags, 0600).descriptor();
}

}  // namespace

void files(load& all, generator& random) {
    const unsigned members = 1 + random.below(16);
    const unsigned each = 1 + random.below(16);
    const handle file(open_nameless(random.below(2) == 0));
    const std::uint64_t mark = random.next();
    lazult::task_group group;
    for (unsigned f = 0; f < members; ++f) {
        group.run([&, f] {
            block mine;
            for (unsigned i = 0; i < each; ++i) {
                const std::uint64_t number = std::uint64_t{i} * members + f;
                const auto at = static_cast<off_t>(number * block_bytes);
                mine.fill(mark + number);
                all.expect(io::pwrite(file.fd(), mine.data(), block_bytes, at).bytes(), block_bytes,
                           "bytes of a block that are written");
                mine.fill(0);
                all.expect(io::pread(file.fd(), mine.data(), block_bytes, at).bytes(), block_bytes,
                           "bytes of a block that are read");
                all.expect(mine.is_of(mark + number), true, "a block that is what was written");
            }
        });
    }
    group.wait();
    if (random.below(8) == 0) {
        all.expect(static_cast<std::uint64_t>(io::fdatasync(file.fd()).error_number()), 0,
                   "the error of a synchronisation");
    }
    all.count(std::uint64_t{members} * each);
}

void polls(load& all, generator& random) {
    constexpr unsigned rounds = 30;
    two_ends first = make_pipe();
    two_ends second = make_socket_pair(all);
    std::uint64_t got = 0;
    lazult::thread poller([&] {
        while (got < rounds) {
            pollfd wanted[] = {{first.in.fd(), POLLIN, 0}, {second.in.fd(), POLLIN, 0}};
            io::poll(wanted, 2ms).value();
            for (const pollfd& one : wanted) {
                char c = 0;
                got += one.revents != 0 && io::read(one.fd, &c, 1).value() == 1 ? 1 : 0;
            }
        }
    });
    for (unsigned i = 0; i < rounds; ++i) {
        const int to = random.below(2) == 0 ? first.out.fd() : second.out.fd();
        all.expect(io::write(to, "x", 1).bytes(), 1, "bytes for a poll");
        if (random.below(3) == 0) {
            lazult::this_thread::sleep_for(std::chrono::microseconds(random.below(400)));
        }
    }
    poller.join();
    all.expect(got, rounds, "bytes that polls announce");
    all.count(rounds);
}

void ended_waits(load& all, generator& random) {
    struct guard {
        std::atomic<std::uint64_t>& gone;
        ~guard() { gone.fetch_add(1, std::memory_order_relaxed); }
    };
    const unsigned count = 1 + random.below(16);
    two_ends both = make_socket_pair(all);
    std::stop_source stop;
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> gone{0};
    std::atomic<std::uint64_t> stopped{0};
    std::vector<lazult::thread> canceled;
    lazult::task_group group;
    for (unsigned i = 0; i < count; ++i) {
        canceled.emplace_back([&] {
            const guard mine{gone};
            begun.fetch_add(1, std::memory_order_relaxed);
            char c = 0;
            io::read(both.in.fd(), &c, 1);
            all.fail("a read returned that had nothing to read");
        });
        group.run([&, limit = random.below(500)] {
            char c = 0;
            all.expect(
                static_cast<std::uint64_t>(
                    io::read(both.in.fd(), &c, 1, std::chrono::microseconds(limit)).error_number()),
                ETIMEDOUT, "the error of a read whose time is over");
            stopped +=
                io::await_readable(both.in.fd(), stop.get_token()).error_number() == ECANCELED;
        });
    }
    lazult::this_thread::sleep_for(std::chrono::microseconds(random.below(600)));
    for (const lazult::thread& each : canceled) {
        lazult::cancel(each);
    }
    stop.request_stop();
    lazult::join_many(canceled);
    group.wait();
    all.expect(gone.load(), begun.load(), "destructors of readers that were cancelled");
    all.expect(stopped.load(), count, "waits that a stop has ended");
    all.count(2 * std::uint64_t{count});
}

// A unit may begin its wait after the close, when the number is another case's. So it takes nothing
// from there, and ends when that is closed at the latest.
void closes(load& all, generator& random) {
    const unsigned count = 1 + random.below(12);
    two_ends old = make_socket_pair(all);
    std::atomic<std::uint64_t> ended{0};
    lazult::task_group group;
    for (unsigned i = 0; i < count; ++i) {
        group.run([&, fd = old.in.fd()] {
            const io::result r = io::await_readable(fd);
            all.expect(r.ok() || r.error_number() == EBADF, true, "the end of a wait by a close");
            ended.fetch_add(1, std::memory_order_relaxed);
        });
    }
    lazult::this_thread::sleep_for(std::chrono::microseconds(random.below(1000)));
    old.in.close();
    {  // the number comes again
        const two_ends fresh = make_pipe();
        const std::string sent = pattern(1000, random.next());
        send_all(all, random, fresh.out.fd(), sent);
        all.expect(receive_all(all, random, fresh.in.fd(), sent.size()) == sent, true,
                   "what comes through a pipe of a number that was closed");
    }
    group.wait();
    all.expect(ended.load(), count, "waits that a close has ended");
    all.count(count);
}

}  // namespace lazult::soak
