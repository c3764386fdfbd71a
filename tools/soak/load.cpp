// SPDX-License-Identifier: BSD-3-Clause
#include "tools/soak/load.hpp"

#include <dirent.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "lazult/core/memory/stack_store.hpp"
#include "lazult/core/observe/census.hpp"
#include "lazult/core/worker/worker.hpp"
#include "lazult/probe/chaos.hpp"
#include "lazult/probe/sanitizers.hpp"

namespace lazult::soak {
namespace {

std::uint64_t resident_kib() {
    std::ifstream in("/proc/self/statm");
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    in >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
}

// How many entries of a folder are counted. `counts` is given each one's name.
template <class Counts>
std::uint64_t entries_of(const char* folder, Counts counts) {
    std::uint64_t count = 0;
    if (DIR* open = ::opendir(folder); open != nullptr) {
        while (const dirent* entry = ::readdir(open)) {
            count += entry->d_name[0] != '.' && counts(entry->d_name) ? 1 : 0;
        }
        ::closedir(open);
    }
    return count;
}

std::uint64_t descriptors() {
    return entries_of("/proc/self/fd", [](const char*) { return true; });
}

// Without those that the kernel starts and ends for the rings of io_uring as it likes.
std::uint64_t os_threads() {
    return entries_of("/proc/self/task", [](const char* thread) {
        std::string name;
        std::ifstream(std::string("/proc/self/task/") + thread + "/comm") >> name;
        return !name.starts_with("iou-");
    });
}

std::uint64_t lines_of(const char* file) {
    std::ifstream in(file);
    std::uint64_t count = 0;
    for (std::string line; std::getline(in, line);) {
        ++count;
    }
    return count;
}

// Taken from caches and not given back: by units, and by schedulers, of which there are as many as
// streams.
std::uint64_t stacks_taken() {
    std::uint64_t sum = 0;
    core::for_each_worker(
        [](core::worker& w, void* all) {
            *static_cast<std::uint64_t*>(all) += w.stacks.in_use_estimate();
        },
        &sum);
    return sum;
}

// Never freed, and found by nobody: for the planted leak.
void leak() {
    constexpr std::size_t bytes = std::size_t{256} << 10;
    if (void* volatile lost = std::malloc(bytes); lost != nullptr) {
        std::memset(lost, 1, bytes);
    }
}

}  // namespace

std::string pattern(std::size_t bytes, std::uint64_t seed) {
    generator random(seed);
    std::string made(bytes, '\0');
    for (char& each : made) {
        each = static_cast<char>(random.below(256));
    }
    return made;
}

load::load(const char* name, int argc, char** argv) : name_(name) { read(argc, argv); }

void load::read(int argc, char** argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        if (option == "--seed") {
            seed_ = std::strtoull(argv[i + 1], nullptr, 10);
        } else if (option == "--seconds") {
            seconds_ = std::strtod(argv[i + 1], nullptr);
        } else if (option == "--interval") {
            interval_ = std::strtod(argv[i + 1], nullptr);
        } else if (option == "--plant") {
            planted_ = argv[i + 1];
        } else {
            fail("it does not know the option " + option);
        }
    }
}

bool load::next_round() {
    const auto now = clock::now();
    const bool is_over = now - began_ >= std::chrono::duration<double>(seconds_);
    if (round_ == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        units_at_rest_ = core::count_units().units;
    }
    if (round_ > 1 && (now >= due_ || is_over)) {
        due_ = now + std::chrono::duration_cast<clock::duration>(
                         std::chrono::duration<double>(interval_));
        await_rest();
        print_figures();
    }
    if (planted_ == "leak") {
        leak();
    }
    if (planted_ == "stack") {
        // for nobody
        core::this_worker().stacks.allocate(core::stack_class_for(std::size_t{64} << 10));
    }
    ++round_;
    return !is_over || round_ <= 2;
}

// What was joined may still be on its way out of its stream.
void load::await_rest() {
    constexpr int most_looks = 5000;
    for (int look = 0; look != most_looks; ++look) {
        if (core::count_units().units <= units_at_rest_) {
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    fail(fmt::format("{} units are left, where there were {} after the first round",
                     core::count_units().units, units_at_rest_));
}

void load::print_figures() {
    const core::unit_census units = core::count_units();
    const std::string line = fmt::format(
        R"({{"load":"{}","pid":{},"seconds":{:.3f},"rounds":{},"operations":{},"rss_kib":{},)"
        R"("stacks_mapped":{},"stacks_taken":{},"stacks_used":{},"units":{},"descriptors":{},)"
        R"("mappings":{},"threads":{},"chaos":{}}})"
        "\n",
        name_, ::getpid(), std::chrono::duration<double>(clock::now() - began_).count(), round_,
        operations_.load(std::memory_order_relaxed), resident_kib(), core::count_stacks().carved,
        stacks_taken(), units.with_stack, units.units, descriptors(), lines_of("/proc/self/maps"),
        os_threads(), probe::chaos);
    std::size_t written = 0;
    while (written < line.size()) {
        const ssize_t n = ::write(STDOUT_FILENO, line.data() + written, line.size() - written);
        if (n <= 0) {
            std::_Exit(1);  // nobody listens any more
        }
        written += static_cast<std::size_t>(n);
    }
}

bool load::may_make_os_threads(generator& random) noexcept {
    constexpr unsigned one_in_under_asan = 64;
    return !probe::asan || random.below(one_in_under_asan) == 0;
}

void load::expect(std::uint64_t got, std::uint64_t wanted, const char* what) const {
    if (got != wanted) {
        fail(fmt::format("{}: {} instead of {}", what, got, wanted));
    }
}

void load::fail(const std::string& what) const {
    std::fprintf(stderr, "lazult soak: %s: seed %llu, round %llu: %s\n", name_,
                 static_cast<unsigned long long>(seed_), static_cast<unsigned long long>(round_),
                 what.c_str());
    std::_Exit(1);
}

}  // namespace lazult::soak
