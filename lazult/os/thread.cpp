// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/thread.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lazult/base/base.hpp"

namespace lazult::os {
namespace {

constexpr std::size_t main_stack_when_unlimited = std::size_t{8} << 20;

bool is_main_thread() noexcept { return ::syscall(SYS_gettid) == ::getpid(); }

// Without a limit glibc counts all down to the next mapping; later mappings take part of that.
std::size_t main_stack_limit() noexcept {
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return main_stack_when_unlimited;
    }
    return static_cast<std::size_t>(limit.rlim_cur);
}

// A processor set of any size, because cpu_set_t has 1024 bits, and larger machines exist.
class processor_set {
public:
    explicit processor_set(std::size_t capacity)
        : capacity_(capacity),
          bytes_(CPU_ALLOC_SIZE(capacity)),
          set_(CPU_ALLOC(capacity), free_set) {
        if (set_ != nullptr) {
            CPU_ZERO_S(bytes_, set_.get());
        }
    }

    bool read_process() noexcept {
        // The main thread's set stands for the process: launchers set it before main, and the
        // calling thread may be a stream that has bound itself.
        return set_ != nullptr && ::sched_getaffinity(::getpid(), bytes_, set_.get()) == 0;
    }
    bool read_calling_thread() noexcept {
        return set_ != nullptr && ::sched_getaffinity(0, bytes_, set_.get()) == 0;
    }
    bool bind_calling_thread() const noexcept {
        return set_ != nullptr && ::sched_setaffinity(0, bytes_, set_.get()) == 0;
    }
    void add(int processor) noexcept {
        if (set_ != nullptr && processor >= 0 && static_cast<std::size_t>(processor) < capacity_) {
            CPU_SET_S(static_cast<std::size_t>(processor), bytes_, set_.get());
        }
    }
    std::vector<int> members() const {
        std::vector<int> found;
        for (std::size_t i = 0; i < capacity_; ++i) {
            if (CPU_ISSET_S(i, bytes_, set_.get())) {
                found.push_back(static_cast<int>(i));
            }
        }
        return found;
    }

private:
    static void free_set(cpu_set_t* set) noexcept { CPU_FREE(set); }

    std::size_t capacity_;
    std::size_t bytes_;
    std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*) noexcept> set_;
};

// Stands in for the bounds if the system has no memory to tell them: every thread has this much.
stack_bounds surroundings() noexcept {
    constexpr std::size_t certain = 8192;
    auto* here = static_cast<std::byte*>(__builtin_frame_address(0));
    return {here - certain, here + sizeof(void*)};
}

}  // namespace

stack_bounds this_thread_stack() noexcept {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) {
        return surroundings();
    }
    void* low = nullptr;
    std::size_t size = 0;
    ::pthread_attr_getstack(&attributes, &low, &size);
    ::pthread_attr_destroy(&attributes);
    std::byte* high = static_cast<std::byte*>(low) + size;
    if (is_main_thread()) {
        size = std::min(size, main_stack_limit());
    }
    return {high - size, high};
}

void set_thread_name(const char* name) noexcept {
    std::array<char, 16> kept{};
    std::memcpy(kept.data(), name, ::strnlen(name, kept.size() - 1));
    ::pthread_setname_np(::pthread_self(), kept.data());
}

std::uint64_t thread_id() noexcept { return static_cast<std::uint64_t>(::syscall(SYS_gettid)); }

void yield_thread() noexcept { ::sched_yield(); }

void nap_thread() noexcept {
    const base::errno_guard keeps_errno;
    constexpr timespec nap{0, 50'000};
    ::nanosleep(&nap, nullptr);
}

std::vector<int> allowed_processors() {
    // The kernel refuses a set that is smaller than its own.
    for (std::size_t capacity = 1024; capacity <= std::size_t{1} << 20; capacity *= 2) {
        processor_set set(capacity);
        if (set.read_process()) {
            return set.members();
        }
    }
    return {0};
}

bool describes_processors() noexcept {
    return ::access("/sys/devices/system/cpu/cpu0/topology", F_OK) == 0 &&
           ::access("/sys/devices/system/cpu/cpu0/cache/index0", F_OK) == 0;
}

int count_allowed_processors() noexcept {
    try {
        return static_cast<int>(allowed_processors().size());
    } catch (const std::bad_alloc&) {
        return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    }
}

bool bind_this_thread(const std::vector<int>& system_processors) noexcept {
    if (system_processors.empty()) {
        return false;
    }
    processor_set set(
        static_cast<std::size_t>(std::max(*std::ranges::max_element(system_processors), 0)) + 1);
    for (int processor : system_processors) {
        set.add(processor);
    }
    return set.bind_calling_thread();
}

namespace {

// Throws std::bad_alloc.
void try_to_move_this_thread(int from, int steps) {
    constexpr std::size_t largest = 8192;  // more than any kernel is built for
    processor_set mine(largest);
    if (!mine.read_calling_thread()) {
        return;
    }
    const std::vector<int> all = mine.members();
    const auto here = std::find(all.begin(), all.end(), from);
    if (steps <= 0 || here == all.end() || all.size() == 1) {
        return;
    }
    const auto further = 1 + static_cast<std::size_t>(steps - 1) % (all.size() - 1);
    const auto there = static_cast<std::size_t>(here - all.begin()) + further;
    if (bind_this_thread(all[there % all.size()]) && !mine.bind_calling_thread()) {
        bind_this_thread(allowed_processors());  // a processor of the old set has gone offline
    }
}

}  // namespace

void move_this_thread(int from, int steps) noexcept {
    // without memory the thread stays where it is
    base::has_memory_for([=] { try_to_move_this_thread(from, steps); });
}

bool bind_this_thread(int system_processor) noexcept {
    if (system_processor < 0) {
        return false;
    }
    processor_set set(static_cast<std::size_t>(system_processor) + 1);
    set.add(system_processor);
    return set.bind_calling_thread();
}

int current_processor() noexcept { return ::sched_getcpu(); }

}  // namespace lazult::os
