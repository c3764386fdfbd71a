// SPDX-License-Identifier: BSD-3-Clause
// Texts of the OpenMP door's variables. Bytes: which variable, its text, a zero; and so on.
// Whatever they are, what the door makes of them is in range, places name processors that the
// process may use, and the format of an affinity line, which is one of the variables, fits where
// its length says.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "environment/environment.hpp"
#include "lazult/os/os.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" {
std::size_t omp_capture_affinity(char* buffer, std::size_t size, const char* format);
}

namespace lazult::fuzz {
namespace {

constexpr std::array variables_of_the_door{
    "OMP_NUM_THREADS",    "OMP_DYNAMIC",          "OMP_THREAD_LIMIT",      "OMP_PROC_BIND",
    "OMP_NESTED",         "OMP_PLACES",           "GOMP_CPU_AFFINITY",     "OMP_WAIT_POLICY",
    "GOMP_SPINCOUNT",     "OMP_SCHEDULE",         "OMP_STACKSIZE",         "GOMP_STACKSIZE",
    "OMP_CANCELLATION",   "OMP_AFFINITY_FORMAT",  "OMP_NUM_TEAMS",         "OMP_MAX_TASK_PRIORITY",
    "OMP_DEFAULT_DEVICE", "OMP_ALLOCATOR",        "OMP_TARGET_OFFLOAD",    "OMP_MAX_ACTIVE_LEVELS",
    "GOMP_DEBUG",         "OMP_DISPLAY_AFFINITY", "OMP_TEAMS_THREAD_LIMIT"};

void check(bool holds, const char* claim) {
    if (!holds) {
        std::fprintf(stderr, "this does not hold: %s\n", claim);
        for (const char* each : variables_of_the_door) {
            if (const char* text = std::getenv(each); text != nullptr) {
                std::fprintf(stderr, "  %s=\"%s\"\n", each, text);
            }
        }
        std::abort();
    }
}

void set_variables(std::span<const std::uint8_t> bytes) {
    for (const char* each : variables_of_the_door) {
        ::unsetenv(each);
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        const char* const variable =
            variables_of_the_door[bytes[at] % variables_of_the_door.size()];
        std::string text;
        for (++at; at < bytes.size() && bytes[at] != 0; ++at) {
            text.push_back(static_cast<char>(bytes[at]));
        }
        ::setenv(variable, text.c_str(), 1);
    }
}

void check_places(const omp::process_variables& all) {
    const std::vector<int> allowed = os::allowed_processors();
    for (const omp::place& each : all.places) {
        check(!each.empty(), "no place is empty");
        for (const int processor : each) {
            check(std::binary_search(allowed.begin(), allowed.end(), processor),
                  "its processors may be used");
        }
        check(std::set<int>(each.begin(), each.end()).size() == each.size(),
              "it names a processor once");
    }
    check(all.first.bind != omp::bind_false || all.places.empty(),
          "who is not bound has no places");
    check(all.first.bind == omp::bind_false || !all.places.empty(), "who is bound has places");
}

void check_numbers(const omp::process_variables& all) {
    check(all.first.threads >= 1 && all.first.threads <= INT_MAX, "a team has a thread");
    check(all.first.thread_limit >= 1, "the limit lets one thread be");
    for (const std::uint32_t each : all.threads_by_level) {
        check(each >= 1 && each <= INT_MAX, "so has a nested one");
    }
    check(all.threads_by_level.size() != 1, "one number is no list");
    check(all.threads_by_level.empty() || all.threads_by_level[0] == all.first.threads,
          "the list begins with it");
    check(all.first.chunk >= 0 && all.first.chunk <= INT_MAX, "a chunk is not negative");
    const std::uint32_t kind = all.first.schedule & ~std::uint32_t{omp::schedule_monotonic};
    check(kind >= omp::schedule_static && kind <= omp::schedule_auto, "the schedule is one");
    check(kind == omp::schedule_static || all.first.chunk >= 1, "a dynamic chunk is not empty");
    check(all.spin_ns >= 0, "nobody spins for less than no time");
    check(all.first.default_device >= 0 && all.teams >= 0 && all.teams_thread_limit >= 0,
          "none is negative");
    check(all.max_task_priority >= 0 && all.processors >= 1, "none is negative");
    check(all.first.allocator >= 1 && all.first.allocator <= 8, "the allocator is one");
}

void check_format() {
    const char* format = std::getenv("OMP_AFFINITY_FORMAT");
    std::array<char, 64> room;
    room.fill('~');
    const std::size_t length =
        omp_capture_affinity(room.data(), room.size() - 1, format == nullptr ? "" : format);
    const auto end = std::find(room.begin(), room.end(), '\0');
    check(end != room.end() && room.back() == '~', "it stays where it may write");
    check(static_cast<std::size_t>(end - room.begin()) <= length, "it says how long it would be");
}

}  // namespace

void try_bytes(std::span<const std::uint8_t> bytes) {
    set_variables(bytes);
    const omp::process_variables all = omp::read_variables();
    check_places(all);
    check_numbers(all);
    check_format();
    set_variables({});
}

}  // namespace lazult::fuzz
