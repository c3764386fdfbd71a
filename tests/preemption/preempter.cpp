// SPDX-License-Identifier: BSD-3-Clause
#include "tests/preemption/preempter.hpp"

#include <lazult/lazult.hpp>

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

// From the linker: where the program's own code begins and ends.
extern "C" const char __executable_start[];
extern "C" const char etext[];

namespace preemption {
namespace {

using address = std::uintptr_t;

struct range {
    address begin;
    address end;
    bool has(address at) const noexcept { return at >= begin && at < end; }
};

// Set before the first timer, and constant then.
std::vector<range> libraries;  // code of others
std::chrono::microseconds chosen_quantum{};
deferral chosen_level = deferral::none;
bool only_counts = false;

figures all_figures;
thread_local running here;
thread_local bool has_timer = false;

bool is_own_code(address at) noexcept {
    return range{reinterpret_cast<address>(__executable_start), reinterpret_cast<address>(etext)}
        .has(at);
}

void find_libraries() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        range found{};
        char mode[5] = "";
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &found.begin, &found.end, mode) == 3 &&
            mode[2] == 'x' && !is_own_code(found.begin)) {
            libraries.push_back(found);
        }
    }
}

bool is_library_code(address at) noexcept {
    for (const range& each : libraries) {
        if (each.has(at)) {
            return true;
        }
    }
    return false;
}

// Each word, and not each frame: libc has no frame pointers, and the unwinder of C++ may take locks
// and memory. A word that is left from an earlier call counts, too.
bool stack_names_a_library(address from, address root) noexcept {
    for (address at = from; at < root; at += sizeof(address)) {
        if (is_library_code(*reinterpret_cast<const address*>(at))) {
            return true;
        }
    }
    return false;
}

// The first level that puts off what has come here; `levels` if none does.
int first_obstacle(const mcontext_t& at, const running& unit) noexcept {
    if (!is_own_code(static_cast<address>(at.gregs[REG_RIP]))) {
        return static_cast<int>(deferral::instruction);
    }
    if (stack_names_a_library(static_cast<address>(at.gregs[REG_RSP]),
                              reinterpret_cast<address>(unit.root))) {
        return static_cast<int>(deferral::chain);
    }
    return unit.locks > 0 ? static_cast<int>(deferral::locks) : levels;
}

void count(int obstacle) noexcept {
    ++all_figures.signals;
    for (int level = 0; level < levels; ++level) {
        all_figures.safe[static_cast<std::size_t>(level)] += level < obstacle ? 1 : 0;
    }
    all_figures.row = obstacle < levels ? all_figures.row + 1 : 0;
    all_figures.longest_row = std::max(all_figures.longest_row, all_figures.row);
}

void arm();

// The signal is blocked in its handler: an instruction of the handler is the program's own, though
// libc may stand below it. The next ULT is preempted, too.
void unblock() noexcept {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

void on_signal(int /*number*/, siginfo_t* /*what*/, void* context) {
    running& mine = running_here();
    if (mine.root == nullptr) {
        return;
    }
    const int obstacle = first_obstacle(static_cast<ucontext_t*>(context)->uc_mcontext, mine);
    if (only_counts) {
        count(obstacle);
    } else if (static_cast<int>(chosen_level) < obstacle) {
        const running unit = mine;
        mine = {};
        unblock();
        lazult::this_thread::yield();
        arm();  // this may be another OS thread
        running_here() = unit;
    }
}

void prepare(std::chrono::microseconds quantum) {
    chosen_quantum = quantum;
    find_libraries();
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
}

void arm() {
    if (has_timer || chosen_quantum.count() == 0) {
        return;
    }
    has_timer = true;
    sigevent to{};
    to.sigev_notify = SIGEV_THREAD_ID;
    to.sigev_signo = SIGUSR1;
    to._sigev_un._tid = gettid();
    const timespec each{0, static_cast<long>(chosen_quantum.count()) * 1000};
    const itimerspec when{each, each};
    timer_t timer{};
    if (timer_create(CLOCK_MONOTONIC, &to, &timer) != 0 ||
        timer_settime(timer, 0, &when, nullptr) != 0) {
        std::perror("preemption: no timer");
        std::_Exit(2);
    }
}

}  // namespace

const char* name_of(deferral level) {
    constexpr std::array<const char*, levels> names{"none", "instruction", "chain", "locks"};
    return names[static_cast<std::size_t>(level)];
}

void preempt(std::chrono::microseconds quantum, deferral level) {
    chosen_level = level;
    prepare(quantum);
}

void count_safe_places(std::chrono::microseconds quantum) {
    only_counts = true;
    prepare(quantum);
}

const figures& counted() { return all_figures; }

running& running_here() {
    asm volatile("" ::: "memory");  // no call of it is like another
    return here;
}

void enter(const void* root) {
    arm();
    running_here().root = root;
}
void leave() { running_here().root = nullptr; }

}  // namespace preemption
