// SPDX-License-Identifier: BSD-3-Clause
// What a door holds of the runtime and of the system: when it is closed, or has come to rest,
// nothing may have been added.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <lazult/statistics.hpp>
#include <lazult/this_thread.hpp>
#include <string>

#include "tests/support/os_threads.h"

namespace lazult::core {
// See lazult/core/worker/worker.hpp: programs of the doors know no more of the core.
std::size_t live_units();
}  // namespace lazult::core

namespace lazult::support {

inline std::uint64_t open_files() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return static_cast<std::uint64_t>(std::distance(begin(all), end(all)));
}

struct held {
    std::uint64_t units = core::live_units();
    std::uint64_t stacks = statistics().stacks_in_use;
    int threads = os_threads();
    std::uint64_t files = open_files();
};

enum class looked_at {
    all,
    units_and_stacks,  // MPI keeps threads and files of its own
};

inline std::string difference(const held& before, const held& now, looked_at what) {
    std::string all;
    const auto compare = [&](auto had, auto has, const char* name) {
        if (has > had) {
            all += std::to_string(has - had) + " " + name + " more than before; ";
        }
    };
    compare(before.units, now.units, "units");
    compare(before.stacks, now.stacks, "stacks");
    if (what == looked_at::all) {
        compare(before.threads, now.threads, "OS threads");
        compare(before.files, now.files, "open files");
    }
    return all;
}

// Empty if there is no more of anything than before. Threads that were joined may still be on their
// way out, so it looks for up to a second.
inline std::string left_behind(const held& before, looked_at what = looked_at::all) {
    std::string all = difference(before, held{}, what);
    for (int look = 0; look < 1000 && !all.empty(); ++look) {
        this_thread::sleep_for(std::chrono::milliseconds(1));
        all = difference(before, held{}, what);
    }
    return all;
}

}  // namespace lazult::support
