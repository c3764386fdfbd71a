// SPDX-License-Identifier: BSD-3-Clause
// Programs that put themselves into a sandbox, before the runtime starts or while it runs, in which
// system calls are refused.
#include <atomic>
#include <chrono>
#include <initializer_list>
#include <vector>

#include "child.hpp"
#include "tests/support/refused_calls.hpp"
#include "work.hpp"

namespace {

using namespace lazult::faults;
using lazult::support::refuse;

constexpr int no_sandbox = 77;

// Streams that steal from each other, and sleep in between: everything that membarrier is for.
int steal_and_sleep() {
    long sum = 0;
    for (int round = 0; round < 300; ++round) {
        lazult::task_group group;
        std::atomic<long> ran{0};
        for (int i = 0; i < 20; ++i) {
            group.run([&] {
                lazult::this_thread::yield();
                ++ran;
            });
        }
        group.wait();
        sum += ran;
        if (round % 30 == 0) {
            lazult::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    }
    return sum == 6000 ? work(2) : 1;
}

// Loses no wake-up: one sleeps while the other makes work for it.
int wake_sleepers() {
    std::atomic<int> woken{0};
    std::vector<lazult::thread> all;
    for (int i = 0; i < 4; ++i) {
        all.emplace_back([&] {
            for (int k = 0; k < 50; ++k) {
                lazult::this_thread::sleep_for(std::chrono::microseconds(100));
                lazult::thread([&] { ++woken; }).join();
            }
        });
    }
    all.clear();
    return woken == 200 ? 0 : 1;
}

// Joiners outside the runtime. They take from its threads the right to call in place what they
// made.
int join_from_outside() {
    for (int i = 0; i < 50; ++i) {
        lazult::thread made;
        lazult::thread([&] { made = lazult::thread([] {}); }).join();
        std::thread([&] { made.join(); }).join();
    }
    return 0;
}

int everything() {
    const int result = steal_and_sleep();
    return result != 0 ? result : wake_sleepers() + join_from_outside();
}

int refused_early(std::initializer_list<long> calls, int error_number) {
    if (!refuse(calls, error_number)) {
        return no_sandbox;
    }
    const lazult::runtime two(lazult::options{.streams = 2});
    return everything();
}
int refused_late(std::initializer_list<long> calls, int error_number) {
    const lazult::runtime two(lazult::options{.streams = 2});
    if (work() != 0) {
        return 2;
    }
    return refuse(calls, error_number) ? everything() : no_sandbox;
}

bool is_one_line(const std::string& words) {
    return words.starts_with("lazult: warning: ") && words.find('\n') == words.size() - 1 &&
           words.find("membarrier") != std::string::npos;
}

}  // namespace

int main() {
    judge all;
    for (const int error_number : {EPERM, EINVAL, ENOSYS}) {
        const std::string with = ", error " + std::to_string(error_number);
        const outcome early =
            in_child([=] { return refused_early({SYS_membarrier}, error_number); }, 60);
        if (early.exited_with(no_sandbox)) {
            std::puts("skipped: this system has no seccomp filters");
            return no_sandbox;
        }
        all.expect(early.exited_with(0) && early.words.empty(),
                   "membarrier is refused from the start" + with, early);
        const outcome late =
            in_child([=] { return refused_late({SYS_membarrier}, error_number); }, 60);
        all.expect(late.exited_with(0) && is_one_line(late.words),
                   "membarrier is refused later" + with, late);
    }
    const outcome worse =
        in_child([] { return refused_late({SYS_membarrier, SYS_sched_setaffinity}, EPERM); }, 60);
    all.expect(worse.exited_with(0) && is_one_line(worse.words),
               "and a thread may not choose its processor", worse);
    return all.verdict();
}
