// SPDX-License-Identifier: BSD-3-Clause
#include "tests/preemption/example.hpp"

#include <lazult/lazult.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace preemption {
namespace {

using namespace std::chrono_literals;

constexpr auto quantum = 200us;
constexpr int wrong_value = 10;
constexpr int most_runs = 20;

enum class ending { right, wrong, hang, crash, broken };

// Ticks of the child, which the parent reads.
std::atomic<long>* ticks = nullptr;

void share_ticks() {
    void* const memory =
        mmap(nullptr, sizeof *ticks, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::perror("preemption: no shared memory");
        std::_Exit(2);
    }
    ticks = new (memory) std::atomic<long>(0);
}

ending ending_of(int status) {
    if (WIFSIGNALED(status)) {
        return ending::crash;
    }
    const int code = WEXITSTATUS(status);
    return code == 0 ? ending::right : code == wrong_value ? ending::wrong : ending::broken;
}

void nap() {
    constexpr timespec time{0, 10'000'000};
    nanosleep(&time, nullptr);
}

// Counts looks and not time: a machine that stops for a while stops both processes.
ending await(pid_t child) {
    constexpr int patience = 100;
    long seen = -1;
    for (int idle = 0; idle < patience; ++idle) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child) {
            return ending_of(status);
        }
        const long now = ticks->load(std::memory_order_relaxed);
        idle = now != seen ? 0 : idle;
        seen = now;
        nap();
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return ending::hang;
}

ending run(const example& each, std::optional<deferral> level) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit no_core{0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        if (level) {
            preempt(quantum, *level);
        }
        each.program();
        std::_Exit(0);
    }
    return await(child);
}

const char* name_of(ending how) {
    constexpr const char* names[] = {"right", "a wrong value", "hangs", "crashes", "broken"};
    return names[static_cast<int>(how)];
}

ending run_and_say(const example& each, const char* what, std::optional<deferral> level) {
    const ending how = run(each, level);
    std::printf("%s: %s: %s\n", each.place, what, name_of(how));
    std::fflush(stdout);
    return how;
}

bool fails(ending how) { return how != ending::right && how != ending::broken; }

bool is_seen_to_fail(const example& each) {
    for (int i = 0; i < most_runs; ++i) {
        const ending how = run_and_say(each, name_of(each.defeated), each.defeated);
        if (how != ending::right) {
            return fails(how);
        }
    }
    return false;
}

}  // namespace

int show(const example& each) {
    share_ticks();
    if (run_and_say(each, "without preemption", std::nullopt) != ending::right) {
        std::puts("The program must be right without preemption.");
        return 1;
    }
    if (!is_seen_to_fail(each)) {
        std::puts("The program was not seen to fail, so the claim about this place is wrong.");
        return 1;
    }
    const auto next = static_cast<deferral>(static_cast<int>(each.defeated) + 1);
    if (each.is_cured && run_and_say(each, name_of(next), next) != ending::right) {
        std::puts("The next level was said to help.");
        return 1;
    }
    return 0;
}

bool in_child(const std::function<void()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        body();
        std::_Exit(0);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && ending_of(status) == ending::right;
}

void run_units(int count, const std::function<void(int)>& body, int streams) {
    const lazult::runtime running({.streams = 1, .bind = lazult::bind_kind::off});
    lazult::pool pool(lazult::pool_kind::shared_fifo);
    std::vector<std::unique_ptr<lazult::execution_stream>> all;
    for (int i = 0; i < streams; ++i) {
        all.push_back(std::make_unique<lazult::execution_stream>(
            lazult::scheduler_kind::basic, std::initializer_list<lazult::pool*>{&pool}));
    }
    std::vector<lazult::thread> units;
    for (int i = 0; i < count; ++i) {
        // room for the frames that the kernel puts on the stack for signals
        units.emplace_back(lazult::thread_attributes{.how = lazult::technique::full,
                                                     .stack_size = std::size_t{256} << 10,
                                                     .where = &pool},
                           [&body, i] { preemptible([&] { body(i); }); });
    }
    lazult::join_many(units);
}

void tick() { ticks->fetch_add(1, std::memory_order_relaxed); }

void fail(const char* what) {
    const ssize_t ignored = write(STDERR_FILENO, what, std::strlen(what));
    static_cast<void>(ignored);
    _exit(wrong_value);
}

}  // namespace preemption
