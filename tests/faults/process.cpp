// SPDX-License-Identifier: BSD-3-Clause
// Signals, forks and exits while threads run: on any stack, by any thread.
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "child.hpp"
#include "work.hpp"

namespace {

using namespace lazult::faults;
using lazult::technique;

// --- signals

std::atomic<int> alarms{0};

void count_alarm(int) {
    char block[3000] = {};  // a handler's frame, on whatever stack the signal found
    asm volatile("" ::"r"(block) : "memory");
    alarms.fetch_add(1);
}

int work_under_signals(int flags) {
    struct sigaction action{};
    action.sa_handler = count_alarm;
    action.sa_flags = flags;
    ::sigaction(SIGALRM, &action, nullptr);
    const lazult::runtime two(lazult::options{.streams = 2});
    const itimerval often{{0, 300}, {0, 300}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
    int result = 0;
    for (int rounds = 0; result == 0 && (rounds < 3 || alarms.load() < 200) && rounds < 3000;
         ++rounds) {
        result = work();
    }
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    return result != 0 ? result : alarms.load() < 200 ? 3 : 0;
}

// --- forks

// The exit code of a child process that does this, or 100 when it hangs or dies.
template <class Child>
int forked(Child run) {
    const pid_t child = ::fork();
    if (child == 0) {
        run();
        ::_exit(9);
    }
    int status = 0;
    for (int tries = 0; tries < 1000; ++tries) {
        if (::waitpid(child, &status, WNOHANG) == child) {
            return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return 101;
}

// Threads that give way all the time, on every stream, while the function runs.
template <class Function>
int beside_others(Function run) {
    const lazult::runtime three(lazult::options{.streams = 3});
    std::atomic<bool> done{false};
    std::vector<lazult::thread> others;
    for (const technique how : techniques) {
        if (how != technique::run_to_completion) {
            others.emplace_back(lazult::thread_attributes{.how = how}, [&] {
                while (!done.load()) {
                    lazult::this_thread::yield();
                }
            });
        }
    }
    const int result = run();
    done = true;
    others.clear();
    return result != 0 ? result : work();
}

int fork_and_leave() {
    return beside_others([] { return forked([] { ::_exit(0); }); });
}
int fork_and_exit() {
    return beside_others([] { return forked([] { std::exit(0); }); });
}
int fork_and_run_another_program() {
    return beside_others([] { return forked([] { ::execl("/bin/true", "true", nullptr); }); });
}
// By a thread of each technique, on whatever stream.
template <class Child>
int fork_in_threads(Child child) {
    return beside_others([=] {
        int result = 0;
        for (const technique how : techniques) {
            lazult::thread(lazult::thread_attributes{.how = how}, [&] {
                result += forked(child);
            }).join();
        }
        return result;
    });
}
int fork_in_threads_and_exit() {
    return fork_in_threads([] { std::exit(0); });
}
int fork_in_threads_and_leave() {
    return fork_in_threads([] { ::_exit(0); });
}
int fork_by_an_outside_thread_and_exit() {
    return beside_others([] {
        int result = -1;
        std::thread([&] { result = forked([] { std::exit(0); }); }).join();
        return result;
    });
}
// The child of a process that used threads, and stopped them, is as new.
int fork_after_the_end_and_work() {
    {
        const lazult::runtime two(lazult::options{.streams = 2});
        if (work() != 0) {
            return 1;
        }
    }
    return forked([] {
        int result = 0;
        {
            const lazult::runtime two(lazult::options{.streams = 2});
            result = work();
        }
        std::exit(result);
    });
}
// As above, with threads that sleep: what serves them goes on in the parent when the runtime has
// ended. Other OS threads come and go meanwhile, and take the library's locks.
int fork_after_the_end_and_sleep() {
    const auto sleep = [] {
        const lazult::runtime one(lazult::options{.streams = 1});
        lazult::thread([] { lazult::this_thread::sleep_for(std::chrono::milliseconds(1)); }).join();
    };
    sleep();
    std::atomic<bool> done{false};
    std::thread others([&] {
        while (!done.load()) {
            std::thread([] { lazult::settings(); }).join();
        }
    });
    int result = 0;
    for (int i = 0; i < 50 && result == 0; ++i) {
        result = forked([=] {
            sleep();
            std::exit(0);
        });
    }
    done = true;
    others.join();
    return result;
}

// By a thread while others sleep and wake on every stream: somebody holds a lock at some of the
// forks.
int fork_while_others_sleep_and_exit() {
    const lazult::runtime four(lazult::options{.streams = 4});
    std::atomic<bool> done{false};
    std::vector<lazult::thread> others;
    for (int i = 0; i < 32; ++i) {
        others.emplace_back([&] {
            while (!done.load()) {
                lazult::this_thread::yield();
                lazult::this_thread::sleep_for(std::chrono::microseconds(5));
            }
        });
    }
    int result = 0;
    for (int i = 0; i < 200 && result == 0; ++i) {
        result = forked([] { std::exit(0); });
    }
    done = true;
    others.clear();
    return result;
}

// Objects that end at exit, and would wait for OS threads that stayed in the parent.
int fork_with_objects_that_end_at_exit() {
    static const lazult::runtime two(lazult::options{.streams = 2});
    static const lazult::execution_stream another;
    static std::atomic<bool> is_polled{false};
    static std::atomic<bool> may_return{false};
    static const lazult::event_callback slow([] {
        is_polled = true;
        while (!may_return.load()) {
            std::this_thread::yield();
        }
        return 0;
    });
    while (!is_polled.load()) {
        std::this_thread::yield();
    }
    const int result = forked([] { std::exit(0); });
    may_return = true;
    return result;
}

// Threads are made, suspended and ended on every stream, so that somebody is at what they are made
// of at some of the forks: lists of free descriptors, closures, stacks and nodes, and the OS thread
// that gives their memory back. The child needs all of them.
int fork_while_memory_changes_hands() {
    const lazult::runtime two(lazult::options{.streams = 2});
    std::atomic<bool> done{false};
    const std::array<char, 100> ballast{};
    const auto make_many = [ballast](int count, const auto& body) {
        std::vector<lazult::thread> many;
        for (int i = 0; i < count; ++i) {
            many.emplace_back([body, ballast] { body(ballast[0]); });
        }
        return many;
    };
    std::vector<lazult::thread> makers = make_many(4, [&](char) {
        while (!done.load()) {
            std::vector<lazult::thread> many =
                make_many(3000, [](char) { lazult::this_thread::yield(); });
            lazult::join_many(many);
        }
    });
    int result = 0;
    for (int i = 0; i < 100 && result == 0; ++i) {
        result = forked([&] {
            for (lazult::thread& each : make_many(5000, [](char) {})) {
                each.detach();  // no stream is there that would run it
            }
            lazult::statistics();
            std::exit(0);
        });
    }
    done = true;
    makers.clear();
    return result;
}

int fork_before_the_start_and_work() {
    return forked([] { std::exit(work()); });
}

// --- exits

std::atomic<bool> is_elsewhere{false};

void run_for_ever() {
    for (;;) {
        lazult::this_thread::yield();
        if (lazult::this_thread::stream_rank() != 0) {
            is_elsewhere = true;
        }
    }
}
// When it returns, other streams run some of them.
void start_some_for_ever() {
    for (const technique how : techniques) {
        if (how != technique::run_to_completion) {
            lazult::thread(lazult::thread_attributes{.how = how}, run_for_ever).detach();
        }
    }
    while (!is_elsewhere.load()) {
        lazult::this_thread::yield();
    }
}

// On a stream of its own: a thread that never gives way.
int return_while_another_computes() {
    auto* const pool = new lazult::pool(lazult::pool_kind::shared_fifo);
    lazult::this_thread::yield();
    auto* const stream = new lazult::execution_stream(lazult::scheduler_kind::basic, {pool});
    lazult::thread(lazult::thread_attributes{.where = pool}, [] {
        for (;;) {
            is_elsewhere = true;
        }
    }).detach();
    while (!is_elsewhere.load()) {
        std::this_thread::yield();
    }
    return stream->joinable() ? 0 : 1;
}
int return_from_main() {
    start_some_for_ever();
    return 0;
}
int exit_in_threads() {
    start_some_for_ever();
    lazult::thread([] { std::exit(0); }).join();
    return 1;
}
template <technique how>
int exit_in_a_thread() {
    start_some_for_ever();
    lazult::thread(lazult::thread_attributes{.how = how}, [] {
        if (how != technique::run_to_completion) {
            lazult::this_thread::yield();
        }
        std::exit(0);
    }).join();
    return 1;
}
int exit_by_an_outside_thread() {
    start_some_for_ever();
    std::thread([] { std::exit(0); }).join();
    return 1;
}
int exit_at_once() {
    start_some_for_ever();
    std::thread([] { std::quick_exit(0); }).join();
    return 1;
}
int exit_while_others_sleep() {
    for (int i = 0; i < 10; ++i) {
        lazult::thread([] { lazult::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
    }
    lazult::this_thread::sleep_for(std::chrono::milliseconds(1));
    return 0;
}

struct test {
    const char* name;
    int (*run)();
};
constexpr test tests[] = {
    {"signals on any stack", [] { return work_under_signals(SA_RESTART); }},
    {"signals on the signal stack", [] { return work_under_signals(SA_RESTART | SA_ONSTACK); }},
    {"fork, _exit", fork_and_leave},
    {"fork, exit", fork_and_exit},
    {"fork, exec", fork_and_run_another_program},
    {"fork in threads, _exit", fork_in_threads_and_leave},
    {"fork in threads, exit", fork_in_threads_and_exit},
    {"fork by an outside thread, exit", fork_by_an_outside_thread_and_exit},
    {"fork after the end, work", fork_after_the_end_and_work},
    {"fork after the end, sleep", fork_after_the_end_and_sleep},
    {"fork while others sleep, exit", fork_while_others_sleep_and_exit},
    {"fork with objects that end at exit", fork_with_objects_that_end_at_exit},
    {"fork while memory changes hands", fork_while_memory_changes_hands},
    {"fork before the start, work", fork_before_the_start_and_work},
    {"return from main", return_from_main},
    {"return from main while another computes", return_while_another_computes},
    {"exit in some thread", exit_in_threads},
    {"exit, full", exit_in_a_thread<technique::full>},
    {"exit, return on completion", exit_in_a_thread<technique::return_on_completion>},
    {"exit, stack separation", exit_in_a_thread<technique::stack_separation>},
    {"exit, scheduler creation", exit_in_a_thread<technique::scheduler_creation>},
    {"exit, run to completion", exit_in_a_thread<technique::run_to_completion>},
    {"exit by an outside thread", exit_by_an_outside_thread},
    {"quick_exit", exit_at_once},
    {"exit while others sleep", exit_while_others_sleep},
};

}  // namespace

int main(int count, char** arguments) {
    ::setenv("LAZULT_STREAMS", "3", 1);
    judge all;
    for (const test& each : tests) {
        if (count == 1 || std::string(each.name).starts_with(arguments[1])) {
            const outcome how = in_child(each.run, 30);
            all.expect(how.exited_with(0) && how.words.empty(), each.name, how);
        }
    }
    return all.verdict();
}
