// SPDX-License-Identifier: BSD-3-Clause
// Programs that get stuck, and programs that only look so: for watch_test.py, which names one of
// them.
#include <lazult/lazult.hpp>

#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string_view>
#include <thread>

// Not in a namespace without a name: backtraces know what the dynamic linker knows.
namespace watched {

using namespace std::chrono_literals;

// Longer than it takes to find a deadlock.
constexpr auto a_while = 1200ms;

lazult::eventual<int> awaited;
lazult::mutex first;
lazult::mutex second;

// Functions that the tests look for: frames of their own, so neither inlined nor left by a jump.
[[gnu::noinline]] void wait_for_it() {
    awaited.wait();
    asm volatile("" ::: "memory");
}

[[gnu::noinline]] void lock_in_order(lazult::mutex& a, lazult::mutex& b, lazult::barrier& both) {
    const std::lock_guard hold(a);
    both.arrive_and_wait();
    const std::lock_guard hold_too(b);
}

// --- stuck

void two_mutexes() {
    lazult::barrier both(2);
    lazult::thread one({.name = "left hand"}, [&] { lock_in_order(first, second, both); });
    lazult::thread two({.name = "right hand"}, [&] { lock_in_order(second, first, both); });
    std::printf("first %p second %p\n", static_cast<void*>(&first), static_cast<void*>(&second));
    std::fflush(stdout);
    one.join();
    two.join();
}

void join_circle() {
    lazult::thread one;
    lazult::thread two;
    lazult::latch made(1);
    one = lazult::thread([&] {
        made.wait();
        two.join();
    });
    two = lazult::thread([&] {
        made.wait();
        one.join();
    });
    made.count_down();
    lazult::this_thread::yield();
    wait_for_it();
}

void condition() {
    lazult::mutex m;
    lazult::condition_variable never;
    lazult::thread waiter([&] {
        std::unique_lock hold(m);
        never.wait(hold);
    });
    std::printf("condition %p\n", static_cast<void*>(&never));
    std::fflush(stdout);
    waiter.join();
}

void eventual() {
    std::array<lazult::thread, 3> waiters{lazult::thread(wait_for_it), lazult::thread(wait_for_it),
                                          lazult::thread(wait_for_it)};
    lazult::join_many(waiters);
}

void choice_of_many() {
    std::array<lazult::eventual<int>, 9> never;
    lazult::thread waiter([&] { lazult::wait_any(std::span<lazult::eventual<int>>(never)); });
    waiter.join();
}

// An OS thread that is no stream waits, too.
void outside_joiner() {
    lazult::thread waiter(wait_for_it);
    std::thread([&] { waiter.join(); }).join();
}

// --- not stuck

void timer() {
    lazult::thread sleeper([] {
        lazult::this_thread::sleep_for(a_while);
        awaited.set(1);
    });
    wait_for_it();
}

void deadline() {
    lazult::mutex m;
    lazult::condition_variable never;
    std::unique_lock hold(m);
    never.wait_for(hold, a_while);
}

void other_thread() {
    std::thread waker([] {
        std::this_thread::sleep_for(a_while);
        awaited.set(1);
    });
    wait_for_it();
    waker.join();
}

void reader() {
    std::thread waker([] {
        char byte = 0;
        while (::read(STDIN_FILENO, &byte, 1) > 0) {
        }
        awaited.set(1);
    });
    wait_for_it();
    waker.join();
}

void event() {
    const auto due = std::chrono::steady_clock::now() + a_while;
    const lazult::event_callback poll([due] {
        if (std::chrono::steady_clock::now() < due || awaited.is_set()) {
            return 0;
        }
        awaited.set(1);
        return 1;
    });
    wait_for_it();
}

void long_computation() {
    lazult::thread worker([] {
        const auto end = std::chrono::steady_clock::now() + a_while;
        while (std::chrono::steady_clock::now() < end) {
        }
        awaited.set(1);
    });
    wait_for_it();
}

sem_t posted;
void post(int) { ::sem_post(&posted); }
void signal_handler() {
    ::sem_init(&posted, 0, 0);
    ::signal(SIGALRM, post);
    std::thread waker([] {
        while (::sem_wait(&posted) != 0) {
        }
        awaited.set(1);
    });
    ::alarm(1);
    std::this_thread::sleep_for(1ms);
    wait_for_it();
    waker.join();
}

// --- for the watchdog

[[gnu::noinline]] void spin_until(std::chrono::steady_clock::time_point end) {
    while (std::chrono::steady_clock::now() < end) {
        asm volatile("" ::: "memory");
    }
}

void spin_by(lazult::technique how) {
    lazult::thread spinner({.how = how, .name = "spinner"},
                           [] { spin_until(std::chrono::steady_clock::now() + 600ms); });
    spinner.join();
}

// Late every time, but at a scheduling point again and again, with nobody else to run.
void yields_alone() {
    lazult::thread polite([] {
        for (int i = 0; i < 30; ++i) {
            spin_until(std::chrono::steady_clock::now() + 20ms);
            lazult::this_thread::yield();
        }
    });
    polite.join();
}

void idle() {
    lazult::this_thread::sleep_for(600ms);
    std::this_thread::sleep_for(1ms);
}

struct named_case {
    std::string_view name;
    void (*run)();
};
constexpr std::array cases{
    named_case{"two_mutexes", two_mutexes},
    named_case{"join_circle", join_circle},
    named_case{"condition", condition},
    named_case{"eventual", eventual},
    named_case{"choice_of_many", choice_of_many},
    named_case{"outside_joiner", outside_joiner},
    named_case{"timer", timer},
    named_case{"deadline", deadline},
    named_case{"other_thread", other_thread},
    named_case{"reader", reader},
    named_case{"event", event},
    named_case{"long_computation", long_computation},
    named_case{"signal_handler", signal_handler},
    named_case{"yields_alone", yields_alone},
    named_case{"idle", idle},
};

}  // namespace watched

int main(int argc, char** argv) {
    using namespace watched;
    const std::string_view wanted = argc > 1 ? argv[1] : "";
    const lazult::runtime running({.streams = 2, .bind = lazult::bind_kind::off});
    for (int how = 0; how <= static_cast<int>(lazult::technique::adaptive); ++how) {
        const auto technique = static_cast<lazult::technique>(how);
        if (wanted == lazult::name(technique)) {
            spin_by(technique);
            return 0;
        }
    }
    for (const named_case& each : cases) {
        if (each.name == wanted) {
            each.run();
            return 0;
        }
    }
    std::fprintf(stderr, "watch_target: there is no case \"%s\"\n", argc > 1 ? argv[1] : "");
    return 2;
}
