// SPDX-License-Identifier: BSD-3-Clause
// Under each limit on addresses (ulimit -v) a program works, or it learns at once that this limit
// is too low: by an exception, or by the library's last line. It does not wait, and nothing else is
// blamed.
// usage: address_space [FIRST LAST STEP]      in KiB; without: some limits
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include <lazult/lazult.hpp>

#include "child.hpp"

namespace {

using namespace lazult::faults;

struct load {
    int streams;
    int units;
};
constexpr load loads[] = {{4, 2'000}, {2, 100'000}, {1, 10}};

constexpr int worked = 0;
constexpr int refused = 77;
constexpr int refused_for_another_reason = 3;
constexpr int lost_units = 4;

int code_of(const std::exception& refusal) {
    std::fprintf(stderr, "%s\n", refusal.what());
    const bool is_users_memory = dynamic_cast<const std::bad_alloc*>(&refusal) != nullptr;
    return is_users_memory ||
                   std::string_view(refusal.what()).find("ulimit -v") != std::string_view::npos
               ? refused
               : refused_for_another_reason;
}

// All of them wait for one mutex at once, so that each one needs a stack.
int run(const load& what) {
    int result = worked;
    const lazult::runtime streams(lazult::options{.streams = what.streams});
    lazult::mutex gate;
    lazult::counting_semaphore<> arrived(0);
    std::atomic<int> passed{0};
    std::vector<lazult::thread> all;
    gate.lock();
    try {
        for (int i = 0; i != what.units; ++i) {
            all.emplace_back([&] {
                arrived.release();
                const std::lock_guard hold(gate);
                passed.fetch_add(1);
            });
        }
    } catch (const std::exception& refusal) {
        result = code_of(refusal);
    }
    for (std::size_t i = 0; i != all.size(); ++i) {
        arrived.acquire();
    }
    gate.unlock();
    lazult::join_many(all);
    lazult::this_thread::sleep_for(std::chrono::milliseconds(1));
    return passed.load() == static_cast<int>(all.size()) ? result : lost_units;
}

int run_within(std::size_t kib, const load& what) {
    const rlimit both{kib << 10, kib << 10};
    ::setrlimit(RLIMIT_AS, &both);
    try {
        return run(what);
    } catch (const std::exception& refusal) {
        return code_of(refusal);
    }
}

struct counts {
    int worked = 0;
    int refused = 0;
    int ended = 0;
};

void look(judge& all, counts& sums, std::size_t kib, const load& what) {
    constexpr int patience = 5;  // seconds without a word, on a busy machine
    const outcome how = in_child([&] { return run_within(kib, what); }, patience);
    const bool names_it = how.words.find("ulimit -v") != std::string::npos;
    const bool ended = how.ended_with_a_reason() && (names_it || !how.has_line_of("lazult: "));
    sums.worked += how.exited_with(worked) ? 1 : 0;
    sums.refused += how.exited_with(refused) ? 1 : 0;
    sums.ended += ended ? 1 : 0;
    all.expect(how.exited_with(worked) || how.exited_with(refused) || ended,
               std::to_string(kib) + " KiB, " + std::to_string(what.streams) + " streams, " +
                   std::to_string(what.units) + " units",
               how);
}

}  // namespace

int main(int count, char** arguments) {
    // Below a power of two and above it, where a reservation of such a size leaves nothing; and too
    // few for anything.
    std::vector<std::size_t> limits{100'000,   200'000,   250'000,   400'000,   600'000,
                                    1'100'000, 2'200'000, 4'300'000, 8'600'000, 10'000'000};
    if (count == 4) {
        limits.clear();
        for (std::size_t kib = std::stoul(arguments[1]); kib <= std::stoul(arguments[2]);
             kib += std::stoul(arguments[3])) {
            limits.push_back(kib);
        }
    }
    judge all;
    for (const load& what : loads) {
        counts sums;
        for (const std::size_t kib : limits) {
            look(all, sums, kib, what);
        }
        std::printf(
            "%d streams, %d units: %d limits worked, %d were refused by an exception, %d by a last "
            "line\n",
            what.streams, what.units, sums.worked, sums.refused, sums.ended);
    }
    return all.verdict();
}
