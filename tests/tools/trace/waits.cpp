// SPDX-License-Identifier: BSD-3-Clause
// A program for tests/tools/trace_waits_test.py: threads wait in each way of which a trace says
// what it is for. Prints the words that the trace must have, one wait a line.
#include <sys/socket.h>
#include <unistd.h>
#include <lazult/io.hpp>
#include <lazult/lazult.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <vector>

namespace {

using namespace std::chrono_literals;
namespace io = lazult::io;

void require(bool is_right) {
    if (!is_right) {
        std::exit(3);
    }
}

struct ends {
    int in;
    int out;
};
ends make_pipe() {
    int both[2];
    io::pipe(both).value();
    return {both[0], both[1]};
}
ends make_socket_pair() {
    int both[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM, 0, both) == 0);
    return {both[0], both[1]};
}
void close_both(const ends& which) {
    io::close(which.in);
    io::close(which.out);
}
void put(int fd) { require(::write(fd, "x", 1) == 1); }

// Runs `wait` in a thread of its own until it suspends, then end_it().
template <class Wait, class End>
void meet(Wait wait, End end_it) {
    lazult::thread waiter({.how = lazult::technique::lazy_stack}, wait);
    lazult::this_thread::yield();
    end_it();
    waiter.join();
}

void mutexes() {
    lazult::mutex held;
    for (int i = 0; i < 3; ++i) {
        held.lock();
        meet(
            [&] {
                switch (i) {
                    case 0: held.lock(); break;
                    case 1: require(held.try_lock_for(10s)); break;
                    default:
                        // The thread has an exception in flight, so it suspends in another way.
                        try {
                            throw std::runtime_error("in flight");
                        } catch (const std::runtime_error&) {
                            held.lock();
                        }
                }
                held.unlock();
            },
            [&] { held.unlock(); });
        std::printf("mutex %p\n", static_cast<void*>(&held));
    }
}

void conditions() {
    lazult::mutex lock;
    lazult::condition_variable changed;
    for (const bool has_limit : {false, true}) {
        meet(
            [&] {
                std::unique_lock hold(lock);
                has_limit ? static_cast<void>(changed.wait_for(hold, 10s)) : changed.wait(hold);
            },
            [&] { changed.notify_one(); });
        std::printf("condition %p\n", static_cast<void*>(&changed));
    }
}

void eventuals() {
    lazult::eventual<int> plain;
    meet([&] { plain.wait(); }, [&] { plain.set(1); });
    std::puts("eventual 0x*");
    lazult::eventual<int> timed;
    meet([&] { timed.wait_for(10s); }, [&] { timed.set(1); });
    std::puts("eventual 0x*");
}

void one_of_several() {
    lazult::eventual<int> first;
    lazult::binary_semaphore second(0);
    meet([&] { lazult::wait_any(first, second); }, [&] { second.release(); });
    std::puts("eventual 0x* or semaphore 0x*");
}

void one_of_many() {
    std::array<lazult::eventual<int>, 9> all;
    meet([&] { lazult::wait_any(std::span<lazult::eventual<int>>(all)); },
         [&] { all.back().set(1); });
    std::puts(
        "eventual 0x* or eventual 0x* or eventual 0x* or eventual 0x* or eventual 0x* or "
        "eventual 0x* or 3 more");
    lazult::eventual<int> may_end;
    std::vector<lazult::thread> many;
    for (int i = 0; i < 8; ++i) {
        many.emplace_back(lazult::thread_attributes{.how = lazult::technique::lazy_stack},
                          [&] { may_end.wait(); });
    }
    lazult::this_thread::yield();
    meet([&] { lazult::wait_any(std::span(many)); }, [&] { may_end.set(1); });
    std::puts(
        "the end of ULT # or the end of ULT # or the end of ULT # or the end of ULT # or "
        "the end of ULT # or the end of ULT # or 2 more");
    lazult::join_many(many);
}

void sleeps() {
    meet([] { lazult::this_thread::sleep_for(250ms); }, [] {});
    std::puts("a sleep of # ms");
    std::stop_source stop;
    meet([&] { require(!lazult::this_thread::sleep_for(stop.get_token(), 100s)); },
         [&] { stop.request_stop(); });
    std::puts("a sleep of # s");
    // A poll of nothing is a sleep, too.
    meet([] { require(io::poll({}, 150ms).value() == 0); }, [] {});
    std::puts("a sleep of # ms");
    // So is one with an exception in flight, which suspends in another way.
    meet(
        [] {
            try {
                throw std::runtime_error("in flight");
            } catch (const std::runtime_error&) {
                lazult::this_thread::sleep_for(350ms);
            }
        },
        [] {});
    std::puts("a sleep of # ms");
}

void joins() {
    lazult::eventual<int> may_end;
    const auto wait = [&] { may_end.wait(); };
    lazult::thread one({.how = lazult::technique::lazy_stack}, wait);
    meet([&] { one.join(); }, [&] { may_end.set(1); });
    std::puts("eventual 0x*");
    std::puts("the end of ULT #");
    may_end.reset();
    std::vector<lazult::thread> many;
    for (int i = 0; i < 6; ++i) {
        many.emplace_back(lazult::thread_attributes{.how = lazult::technique::lazy_stack}, wait);
    }
    lazult::this_thread::yield();
    meet([&] { lazult::join_many(many); }, [&] { may_end.set(1); });
    std::puts(
        "the end of ULT # and the end of ULT # and the end of ULT # and the end of ULT # "
        "and 2 more");
}

void parks() {
    lazult::thread waiter({.how = lazult::technique::lazy_stack},
                          [] { lazult::this_thread::suspend(); });
    lazult::this_thread::yield();
    lazult::resume(waiter);
    waiter.join();
    std::puts("resumption by name (unpark)");
}

void read_one(int fd, const io::limits& until) {
    char c = 0;
    require(io::read(fd, &c, 1, until).value() == 1);
}

// The numbers are given to other things before the trace is written.
void descriptors() {
    for (const bool has_limit : {false, true}) {
        const ends pipe = make_pipe();
        meet([&] { read_one(pipe.in, has_limit ? io::limits(10s) : io::limits()); },
             [&] { put(pipe.out); });
        std::printf("fd %d, a pipe, to be readable\n", pipe.in);
        close_both(pipe);
        const ends later = make_socket_pair();
        require(later.in == pipe.in && later.out == pipe.out);
        meet([&] { read_one(later.in, {}); }, [&] { put(later.out); });
        std::printf("fd %d, a socket, to be readable\n", later.in);
        close_both(later);
    }
}

void polls(unsigned count) {
    std::vector<ends> pipes;
    std::vector<pollfd> all;
    for (unsigned i = 0; i < count; ++i) {
        pipes.push_back(i % 2 == 0 ? make_pipe() : make_socket_pair());
        all.push_back({pipes[i].in, POLLIN, 0});
    }
    meet([&] { require(io::poll(all).value() == 1); }, [&] { put(pipes.back().out); });
    const unsigned told = std::min(count, 6U);
    for (unsigned i = 0; i < told; ++i) {
        std::printf("%sfd %d, %s, to be readable", i == 0 ? "" : " or ", pipes[i].in,
                    i % 2 == 0 ? "a pipe" : "a socket");
    }
    count > told ? std::printf(" or %u more\n", count - told) : std::puts("");
    for (const ends& each : pipes) {
        close_both(each);
    }
}

void full_pipe() {
    const ends pipe = make_pipe();
    std::vector<char> much(std::size_t{1} << 20);
    meet([&] { require(io::write(pipe.out, much.data(), much.size()).bytes() == much.size()); },
         [&] { require(io::read_all(pipe.in, much.data(), much.size()).bytes() == much.size()); });
    std::printf("fd %d, a pipe, to be writable\n", pipe.out);
    close_both(pipe);
}

}  // namespace

int main() {
    const lazult::runtime running(lazult::options{.streams = 1});
    mutexes();
    conditions();
    eventuals();
    one_of_several();
    joins();
    parks();
    descriptors();
    polls(1);
    polls(2);
    full_pipe();
    polls(2);
    polls(3);
    polls(6);
    polls(12);
    polls(2);
    one_of_many();
    sleeps();
}
