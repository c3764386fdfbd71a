// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/thread_states.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lazult::os {
namespace {

// The contents of a small file in /proc.
class small_file {
public:
    explicit small_file(const char* name) noexcept {
        const int file = ::open(name, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        const ssize_t got = ::read(file, text_.data(), text_.size() - 1);
        ::close(file);
        if (got > 0) {
            text_[static_cast<std::size_t>(got)] = '\0';
            is_there_ = true;
        }
    }
    bool is_there() const noexcept { return is_there_; }
    const char* text() const noexcept { return text_.data(); }

    // Returns the text behind `word`, or nullptr.
    const char* behind(const char* word) const noexcept {
        const char* at = std::strstr(text_.data(), word);
        return at == nullptr ? nullptr : at + std::strlen(word);
    }

private:
    std::array<char, 4096> text_{};
    bool is_there_ = false;
};

small_file file_of_thread(int id, const char* name) noexcept {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", id, name);
    return small_file(path.data());
}

// Returns true if other processes may share this memory, because they may wake a waiter there.
bool is_shared(std::uintptr_t address) noexcept {
    FILE* maps = std::fopen("/proc/self/maps", "re");
    if (maps == nullptr) {
        return true;
    }
    bool shared = true;
    std::array<char, 512> line;
    while (std::fgets(line.data(), line.size(), maps) != nullptr) {
        unsigned long low = 0;
        unsigned long high = 0;
        std::array<char, 8> rights{};
        if (std::sscanf(line.data(), "%lx-%lx %7s", &low, &high, rights.data()) == 3 &&
            low <= address && address < high) {
            shared = rights[3] != 'p';
            break;
        }
    }
    std::fclose(maps);
    return shared;
}

// Returns true if the thread sleeps for good. `line` is /proc/.../syscall: the number of the system
// call and its arguments in hexadecimal, "running", or -1 if the thread is blocked outside of one.
bool waits_for_good(const char* line) noexcept {
    long number = 0;
    std::array<unsigned long, 4> argument{};
    if (std::sscanf(line, "%ld %lx %lx %lx %lx", &number, argument.data(), &argument[1],
                    &argument[2], &argument[3]) != 5 ||
        number != SYS_futex) {
        return false;
    }
    constexpr unsigned long flags = FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME;
    const unsigned long command = argument[1] & ~flags;
    const bool is_wait = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET;
    const bool has_deadline = argument[3] != 0;
    return is_wait && !has_deadline &&
           ((argument[1] & FUTEX_PRIVATE_FLAG) != 0 || !is_shared(argument[0]));
}

std::uint64_t number_behind(const small_file& file, const char* word) noexcept {
    const char* at = file.behind(word);
    return at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
}

// Returns nothing if the system does not tell. A thread that has ended counts as running.
std::optional<thread_look> look_at(int id) noexcept {
    const small_file status = file_of_thread(id, "status");
    const small_file call = file_of_thread(id, "syscall");
    if (status.is_there() && !call.is_there()) {
        return std::nullopt;
    }
    // "\nvoluntary", because "nonvoluntary" ends with the same word
    return thread_look{id, call.is_there() && waits_for_good(call.text()),
                       number_behind(status, "\nvoluntary_ctxt_switches:") +
                           number_behind(status, "nonvoluntary_ctxt_switches:")};
}

std::vector<int> other_threads() {
    std::vector<int> all;
    DIR* tasks = ::opendir("/proc/self/task");
    if (tasks == nullptr) {
        return all;
    }
    const auto mine = static_cast<int>(::syscall(SYS_gettid));
    // No other thread has this folder.
    while (const dirent* entry = ::readdir(tasks)) {  // NOLINT(concurrency-mt-unsafe)
        const int id = std::atoi(entry->d_name);
        if (id != 0 && id != mine) {
            all.push_back(id);
        }
    }
    ::closedir(tasks);
    std::sort(all.begin(), all.end());
    return all;
}

constexpr std::uint64_t bit_of(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }

}  // namespace

std::vector<thread_look> look_at_other_threads() {
    std::vector<thread_look> all;
    for (const int id : other_threads()) {
        const std::optional<thread_look> one = look_at(id);
        if (!one) {
            return {};
        }
        all.push_back(*one);
    }
    return all;
}

// The state is the letter behind the thread's name, which stands in brackets.
bool waits_in_kernel(int id) noexcept {
    const small_file stat = file_of_thread(id, "stat");
    const char* const name_ends = std::strrchr(stat.text(), ')');
    return stat.is_there() && name_ends != nullptr &&
           (name_ends[1] == ' ' && (name_ends[2] == 'S' || name_ends[2] == 'D'));
}

bool may_be_woken_by_signals() noexcept {
    const small_file status("/proc/self/status");
    const char* caught = status.behind("\nSigCgt:");
    if (caught == nullptr) {
        return true;
    }
    // 32 and 33 are used by the C library
    constexpr std::uint64_t harmless = bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGILL) |
                                       bit_of(SIGFPE) | bit_of(SIGABRT) | bit_of(SIGTRAP) |
                                       bit_of(SIGSYS) | bit_of(SIGURG) | bit_of(32) | bit_of(33);
    return (std::strtoull(caught, nullptr, 16) & ~harmless) != 0;
}

bool read_memory(const void* from, void* to, std::size_t bytes) noexcept {
    const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    if (memory < 0) {
        return false;
    }
    const ssize_t got =
        ::pread(memory, to, bytes, static_cast<off_t>(reinterpret_cast<std::uintptr_t>(from)));
    ::close(memory);
    return got == static_cast<ssize_t>(bytes);
}

}  // namespace lazult::os
