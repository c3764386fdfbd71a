// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/guard.hpp"

#include "lazult/os/memory.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>
#include <span>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lazult::os {
namespace {

// From Linux 6.13. Headers of current C libraries do not define these names yet.
constexpr int madv_guard_install = 102;
constexpr int madv_guard_remove = 103;

// A value that a program is unlikely to write as a pointer, a small number or text.
constexpr std::uint64_t canary_word = 0x9E5AF00DC0DE57A9U;

std::span<std::uint64_t> words(void* page, std::size_t bytes) noexcept {
    return {static_cast<std::uint64_t*>(page), bytes / sizeof(std::uint64_t)};
}

// Returns true if a write to the page would fault. Lets the kernel write there, which returns
// EFAULT. Not a call by which the kernel reads: valgrind would read there too, and die.
bool faults(void* page) noexcept {
    return ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, page) == -1 && errno == EFAULT;
}

// Tries a guard. A successful madvise proves nothing, because qemu-user ignores every advice.
bool probe_madvise_guard() noexcept {
    const std::size_t bytes = page_size();
    void* page = reserve(bytes, bytes);
    if (page == nullptr) {
        return false;
    }
    const bool works = ::madvise(page, bytes, madv_guard_install) == 0 && faults(page) &&
                       ::madvise(page, bytes, madv_guard_remove) == 0 && !faults(page);
    release(page, bytes);
    return works;
}

bool madvise_guard(void* page, std::size_t bytes) noexcept {
    return best_guard_method() == guard_method::madvise &&
           ::madvise(page, bytes, madv_guard_install) == 0;
}

// Each guard by mprotect splits a mapping, which makes two more. An eighth of the mappings that a
// process may have is left for other uses. If none were left, no more stacks and no more memory for
// the program could be mapped, and canaries would not help then.
std::size_t most_mprotect_guards() noexcept {
    static const std::size_t most = [] {
        const std::size_t mappings = most_mappings();
        return mappings == 0 ? std::numeric_limits<std::size_t>::max()
                             : (mappings - mappings / 8) / 2;
    }();
    return most;
}

std::atomic<std::size_t> mprotect_guards{0};

bool mprotect_guard(void* page, std::size_t bytes) noexcept {
    // relaxed: a counter that publishes no data
    if (mprotect_guards.fetch_add(1, std::memory_order_relaxed) < most_mprotect_guards() &&
        ::mprotect(page, bytes, PROT_NONE) == 0) {
        return true;
    }
    mprotect_guards.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

guard_method plant_canary(void* page, std::size_t bytes) noexcept {
    std::ranges::fill(words(page, bytes), canary_word);
    return guard_method::canary;
}

}  // namespace

const char* name(guard_method method) noexcept {
    switch (method) {
        case guard_method::madvise: return "madvise";
        case guard_method::mprotect: return "mprotect";
        case guard_method::canary: return "canary";
        case guard_method::none: return "none";
    }
    return "unknown";
}

guard_method best_guard_method() noexcept {
    static const bool available = probe_madvise_guard();
    return available ? guard_method::madvise : guard_method::mprotect;
}

guard_method install_guard(void* page, std::size_t bytes, guard_method wanted) noexcept {
    if (wanted == guard_method::none) {
        return wanted;
    }
    if (wanted == guard_method::madvise && madvise_guard(page, bytes)) {
        return wanted;
    }
    if (wanted != guard_method::canary && mprotect_guard(page, bytes)) {
        return guard_method::mprotect;
    }
    return plant_canary(page, bytes);
}

void remove_guard(void* page, std::size_t bytes, guard_method installed) noexcept {
    if (installed == guard_method::madvise) {
        ::madvise(page, bytes, madv_guard_remove);
    } else if (installed == guard_method::mprotect) {
        ::mprotect(page, bytes, PROT_READ | PROT_WRITE);
        forget_guard(installed);
    }
}

void forget_guard(guard_method installed) noexcept {
    if (installed == guard_method::mprotect) {
        mprotect_guards.fetch_sub(1, std::memory_order_relaxed);
    }
}

bool canary_intact(const void* page, std::size_t bytes) noexcept {
    const auto all = words(const_cast<void*>(page), bytes);
    return std::ranges::all_of(all, [](std::uint64_t word) { return word == canary_word; });
}

}  // namespace lazult::os
