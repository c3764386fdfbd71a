// SPDX-License-Identifier: BSD-3-Clause
// Many threads that are suspended at once take few addresses beyond their stacks, and when they
// have gone their memory goes back to the system: when nothing has been taken or given back for a
// second, whether streams are idle or the program sleeps in the system, and at the runtime's end.
// And a process that is idle is not woken for that again and again.
// usage: memory_goes_back [all]      without: the quick ones
#include <sys/resource.h>
#include <time.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>
#include <vector>

#include <lazult/lazult.hpp>

#include "child.hpp"

namespace {

using namespace lazult::faults;

constexpr int units = 20'000;
constexpr std::size_t mib = std::size_t{1} << 20;
constexpr std::size_t spare = 4 * mib;

struct sizes {
    std::size_t mapped = 0;
    std::size_t resident = 0;

    static sizes now() {
        sizes pages;
        std::ifstream("/proc/self/statm") >> pages.mapped >> pages.resident;
        return {pages.mapped * 4096, pages.resident * 4096};
    }
};

void say(const char* what, const sizes& at) {
    std::fprintf(stderr, "%s: %zu KiB mapped, %zu resident\n", what, at.mapped >> 10,
                 at.resident >> 10);
}

// Their closures do not fit into descriptors. Returns what there was when all were suspended.
sizes suspend_many() {
    std::vector<lazult::thread> all;
    all.reserve(units);
    lazult::mutex gate;
    std::atomic<int> arrived{0};
    const std::array<char, 100> ballast{};
    gate.lock();
    for (int i = 0; i != units; ++i) {
        all.emplace_back([&gate, &arrived, ballast] {
            arrived.fetch_add(1 + ballast[0]);
            const std::lock_guard hold(gate);
        });
    }
    while (arrived.load() != units) {
        lazult::this_thread::yield();
    }
    const sizes then = sizes::now();
    gate.unlock();
    lazult::join_many(all);
    return then;
}

void sleep_in_the_system(std::int64_t ms) {
    const timespec time{ms / 1000, ms % 1000 * 1'000'000};
    ::nanosleep(&time, nullptr);
}

// True when it is down within ten seconds; the promise is some two.
template <class Sleep>
bool comes_down_to(std::size_t most, Sleep sleep) {
    for (int tenths = 0; tenths != 100 && sizes::now().resident > most; ++tenths) {
        sleep();
    }
    say("at last", sizes::now());
    return sizes::now().resident <= most;
}

int streams_wanted = 1;

// What a process has that made one thread, and what it has with many.
template <class After>
int with_many(After after) {
    std::optional<lazult::runtime> running(std::in_place,
                                           lazult::options{.streams = streams_wanted});
    lazult::thread([] { lazult::this_thread::yield(); }).join();
    lazult::this_thread::sleep_for(std::chrono::milliseconds(1));  // the timers' thread
    const sizes one = sizes::now();
    const sizes many = suspend_many();
    say("one", one);
    say("many", many);
    if (many.resident < one.resident + units * std::size_t{4096}) {
        return 5;  // they had no stacks
    }
    return after(running, one, many) ? 0 : 1;
}

using running = std::optional<lazult::runtime>;

bool takes_few_addresses(running&, const sizes& one, const sizes& many) {
    constexpr std::size_t stack = std::size_t{64} << 10;
    return many.mapped - one.mapped <= units * stack / 10 * 11 + 200 * mib;
}

bool goes_back_while_units_sleep(running&, const sizes& one, const sizes&) {
    return comes_down_to(one.resident + spare,
                         [] { lazult::this_thread::sleep_for(std::chrono::milliseconds(1100)); });
}

bool goes_back_while_the_program_sleeps(running&, const sizes& one, const sizes&) {
    return comes_down_to(one.resident + spare, [] { sleep_in_the_system(100); });
}

bool goes_back_at_the_end(running& r, const sizes& one, const sizes& many) {
    r.reset();
    const sizes now = sizes::now();
    say("ended", now);
    return now.resident <= one.resident + spare &&
           now.mapped < many.mapped - units * std::size_t{4096};
}

// And again, with memory that was given back before.
bool can_be_used_again(running& r, const sizes& one, const sizes& many) {
    if (!goes_back_while_the_program_sleeps(r, one, many)) {
        return false;
    }
    suspend_many();
    return goes_back_at_the_end(r, one, many);
}

std::int64_t switches() {
    rusage now{};
    ::getrusage(RUSAGE_SELF, &now);
    return now.ru_nvcsw;
}

// Two seconds are enough to come to rest.
bool lets_the_process_sleep(running&, const sizes&, const sizes&) {
    sleep_in_the_system(4'000);
    const std::int64_t before = switches();
    sleep_in_the_system(3'000);
    std::fprintf(stderr, "%ld switches\n", static_cast<long>(switches() - before));
    return switches() - before <= 2;  // this thread's own
}

}  // namespace

int main(int count, char**) {
    const bool all_cases = count > 1;
    judge all;
    struct {
        const char* name;
        bool (*after)(running&, const sizes&, const sizes&);
        int quick_with;  // so many streams; 0: it takes long
    } const cases[] = {
        {"takes few addresses", takes_few_addresses, 2},
        {"goes back while units sleep", goes_back_while_units_sleep, 2},
        {"goes back while the program sleeps", goes_back_while_the_program_sleeps, 1},
        {"goes back at the end", goes_back_at_the_end, 2},
        {"can be used again", can_be_used_again, 0},
        {"lets the process sleep", lets_the_process_sleep, 0},
    };
    for (const int streams : {1, 2}) {
        for (const auto& each : cases) {
            if (!all_cases && each.quick_with != streams) {
                continue;
            }
            streams_wanted = streams;
            const outcome how = in_child([&] { return with_many(each.after); }, 30);
            all.expect(how.exited_with(0), each.name + (", streams: " + std::to_string(streams)),
                       how);
        }
    }
    return all.verdict();
}
