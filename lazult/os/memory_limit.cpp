// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/memory_limit.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lazult/os/memory.hpp"

namespace lazult::os {
namespace {

constexpr std::size_t kib = 1024;

class file {
public:
    explicit file(const char* path) noexcept : number_(::open(path, O_RDONLY | O_CLOEXEC)) {}
    ~file() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    file(const file&) = delete;
    file& operator=(const file&) = delete;

    // Reads as much as fits. Returns an empty text at the end, or if the file does not exist.
    std::string_view read(std::array<char, 2048>& into) const noexcept {
        const ssize_t length = number_ < 0 ? 0 : ::read(number_, into.data(), into.size());
        return {into.data(), length < 0 ? 0 : static_cast<std::size_t>(length)};
    }

private:
    int number_;
};

std::size_t leading_number(std::string_view text) noexcept {
    std::size_t number = 0;
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    for (const char c : text) {
        if (c < '0' || c > '9') {
            break;
        }
        number = number * 10 + static_cast<std::size_t>(c - '0');
    }
    return number;
}

// Returns the number behind `name` in a file of lines "name number unit"; 0 if `name` is not there.
std::size_t number_behind(const char* path, std::string_view name) noexcept {
    std::array<char, 2048> text;
    const std::string_view all = file(path).read(text);
    const std::size_t at = all.find(name);
    return at == all.npos ? 0 : leading_number(all.substr(at + name.size()));
}

std::size_t limit_of(__rlimit_resource_t what) noexcept {
    rlimit limit{};
    return ::getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ? SIZE_MAX
                                                                             : limit.rlim_cur;
}

// Returns true if `more` would lead above the limit; the system refuses just that.
bool exceeds(std::size_t used, std::size_t more, std::size_t limit) noexcept {
    return used > limit || more > limit - used;
}

bool is_addresses(std::size_t bytes, memory_shortage& found) noexcept {
    const std::size_t limit = limit_of(RLIMIT_AS);
    const std::size_t used = number_behind("/proc/self/status", "VmSize:") * kib;
    if (limit == SIZE_MAX || !exceeds(used, bytes, limit)) {
        return false;
    }
    found.limit = memory_limit::addresses;
    std::snprintf(found.text, sizeof found.text,
                  "ulimit -v (RLIMIT_AS) allows %zu KiB of addresses, %zu are mapped", limit / kib,
                  used / kib);
    found.cure = "raise it";
    return true;
}

bool is_data(std::size_t bytes, memory_shortage& found) noexcept {
    const std::size_t limit = limit_of(RLIMIT_DATA);
    const std::size_t used = number_behind("/proc/self/status", "VmData:") * kib;
    if (limit == SIZE_MAX || !exceeds(used, bytes, limit)) {
        return false;
    }
    found.limit = memory_limit::data;
    std::snprintf(found.text, sizeof found.text,
                  "ulimit -d (RLIMIT_DATA) allows %zu KiB of data, %zu are mapped", limit / kib,
                  used / kib);
    found.cure = "raise it";
    return true;
}

std::size_t count_mappings() noexcept {
    const file all("/proc/self/maps");
    std::array<char, 2048> text;
    std::size_t lines = 0;
    for (std::string_view part = all.read(text); !part.empty(); part = all.read(text)) {
        lines += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    }
    return lines;
}

// Leaves a margin of 4, because a mapping that is split becomes two or three.
bool is_mappings(memory_shortage& found) noexcept {
    const std::size_t limit = most_mappings();
    const std::size_t used = count_mappings();
    if (limit == 0 || used + 4 < limit) {
        return false;
    }
    found.limit = memory_limit::mappings;
    std::snprintf(found.text, sizeof found.text,
                  "vm.max_map_count allows %zu mappings, and there are %zu", limit, used);
    found.cure = "raise it, or use LAZULT_GUARD=canary";
    return true;
}

bool is_commitments(std::size_t bytes, memory_shortage& found) noexcept {
    constexpr std::size_t strict = 2;
    std::array<char, 2048> text;
    if (leading_number(file("/proc/sys/vm/overcommit_memory").read(text)) != strict) {
        return false;
    }
    const std::size_t limit = number_behind("/proc/meminfo", "CommitLimit:") * kib;
    const std::size_t used = number_behind("/proc/meminfo", "Committed_AS:") * kib;
    if (!exceeds(used, bytes, limit)) {
        return false;
    }
    found.limit = memory_limit::commitments;
    std::snprintf(
        found.text, sizeof found.text,
        "vm.overcommit_memory is 2, and %zu of %zu KiB are promised to the machine's processes",
        used / kib, limit / kib);
    found.cure = "set it to 0, or raise vm.overcommit_ratio";
    return true;
}

std::size_t number_of_group(std::string_view group, const char* name) noexcept {
    char path[512];
    std::snprintf(path, sizeof path, "/sys/fs/cgroup%.*s/%s", static_cast<int>(group.size()),
                  group.data(), name);
    std::array<char, 2048> text;
    return leading_number(file(path).read(text));
}

// Returns true if the cgroup's memory.max leaves no room for `bytes` more. A cgroup also counts
// the memory that the kernel uses for its processes: page tables, mappings, threads.
bool is_control_group(std::size_t bytes, memory_shortage& found) noexcept {
    std::array<char, 2048> text;
    std::string_view group = file("/proc/self/cgroup").read(text);
    constexpr std::string_view unified = "0::";
    const std::size_t at = group.find(unified);
    if (at == group.npos) {
        return false;
    }
    group.remove_prefix(at + unified.size());
    group = group.substr(0, group.find('\n'));
    const std::size_t limit = number_of_group(group == "/" ? "" : group, "memory.max");
    const std::size_t used = number_of_group(group == "/" ? "" : group, "memory.current");
    if (limit == 0 || !exceeds(used, bytes, limit)) {
        return false;
    }
    found.limit = memory_limit::control_group;
    std::snprintf(found.text, sizeof found.text,
                  "the cgroup's memory.max allows %zu KiB, and %zu are in use", limit / kib,
                  used / kib);
    found.cure = "raise it";
    return true;
}

}  // namespace

memory_shortage find_memory_shortage(std::size_t bytes) noexcept {
    const int error_number = errno;
    memory_shortage found;
    if (!is_addresses(bytes, found) && !is_data(bytes, found) && !is_commitments(bytes, found) &&
        !is_mappings(found) && !is_control_group(bytes, found)) {
        std::snprintf(found.text, sizeof found.text, "the system gives no %zu KiB more",
                      bytes / kib);
        found.cure = "free memory";
    }
    errno = error_number;
    return found;
}

// When a new thread first allocates, glibc maps so much for a moment. In that moment there may have
// been no room for another thread's stack, though there is room now.
constexpr std::size_t most_of_an_arena = std::size_t{128} << 20;

memory_shortage find_thread_shortage() noexcept {
    const int error_number = errno;
    pthread_attr_t usual;
    std::size_t stack = std::size_t{8} << 20;
    if (::pthread_getattr_default_np(&usual) == 0) {
        ::pthread_attr_getstacksize(&usual, &stack);
        ::pthread_attr_destroy(&usual);
    }
    memory_shortage found = find_memory_shortage(stack);
    if (found.limit == memory_limit::unknown) {
        is_addresses(stack + most_of_an_arena, found);
    }
    if (found.limit == memory_limit::unknown) {
        std::snprintf(found.text, sizeof found.text, "the system gives no more OS threads");
        found.cure =
            "raise the limit on threads (ulimit -u, kernel.threads-max, the cgroup's pids.max)";
    }
    errno = error_number;
    return found;
}

}  // namespace lazult::os
