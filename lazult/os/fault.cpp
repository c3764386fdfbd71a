// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/fault.hpp"

#include "lazult/base/base.hpp"
#include "lazult/os/guard.hpp"
#include "lazult/os/memory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>

#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace lazult::os {
namespace {

// field     | written by                        | read by         | memory order
// describe  | install_fault_handler             | on_fault        | release, acquire
// previous  | install, before on_fault is set   | on_fault        | the sigaction system call
//           |                                   |                 | orders them
// installed | install                           | install         | under `changing`
struct handled_signal {
    int number;
    struct sigaction previous;
    bool installed;
};

constinit std::mutex changing;

[[gnu::constructor]] void hold_faults_lock() {
    base::hold_across_fork(base::fork_lock::faults, changing);
}

constinit std::atomic<fault_describer> describe{nullptr};
static_assert(std::atomic<fault_describer>::is_always_lock_free);
constinit std::array<handled_signal, 2> handled{{{SIGSEGV, {}, false}, {SIGBUS, {}, false}}};

// True if an instruction caused the signal, false if kill() or the like sent it.
bool is_fault(const siginfo_t& info) noexcept { return info.si_code > 0; }

void write_text(const char* text, std::size_t length) noexcept {
    while (::write(STDERR_FILENO, text, length) < 0 && errno == EINTR) {
    }
}

void report(void* address) noexcept {
    std::array<char, 1024> text;
    // pairs with: install_fault_handler(), store of describe
    const fault_describer describer = describe.load(std::memory_order_acquire);
    if (describer == nullptr || !describer(address, text.data(), text.size() - 1)) {
        return;
    }
    std::size_t length = ::strnlen(text.data(), text.size() - 1);
    if (length == 0 || text[length - 1] != '\n') {
        text[length++] = '\n';
    }
    write_text(text.data(), length);
}

// Restores the default action. After a fault, returning from on_fault executes the instruction
// again, which then dumps core like any segmentation fault. A signal that was sent is sent again.
void take_default_action(int number, const siginfo_t& info) noexcept {
    ::signal(number, SIG_DFL);
    if (!is_fault(info)) {
        ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), number);
    }
}

// Calls the previous handler with the mask and the flags with which the kernel would call it.
void call_previous(const struct sigaction& previous, int number, siginfo_t* info,
                   void* context) noexcept {
    if ((previous.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
        ::signal(number, SIG_DFL);
    }
    ::pthread_sigmask(SIG_BLOCK, &previous.sa_mask, nullptr);
    if ((previous.sa_flags & SA_NODEFER) != 0) {
        sigset_t own;
        ::sigemptyset(&own);
        ::sigaddset(&own, number);
        ::pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
    }
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(number, info, context);
    } else {
        previous.sa_handler(number);
    }
}

void chain(const struct sigaction& previous, int number, siginfo_t* info, void* context) noexcept {
    const bool plain = (previous.sa_flags & SA_SIGINFO) == 0;
    if (plain && previous.sa_handler == SIG_IGN && !is_fault(*info)) {
        return;
    }
    // A fault that is ignored takes the default action, in the kernel too.
    if (plain && (previous.sa_handler == SIG_DFL || previous.sa_handler == SIG_IGN)) {
        take_default_action(number, *info);
        return;
    }
    call_previous(previous, number, info, context);
}

void on_fault(int number, siginfo_t* info, void* context) noexcept {
    const base::errno_guard kept;
    if (is_fault(*info)) {
        report(info->si_addr);
    }
    chain(handled[number == SIGSEGV ? 0 : 1].previous, number, info, context);
}

void install(handled_signal& signal) noexcept {
    // Reads `previous` before it sets ours, so that a fault in between finds it complete.
    ::sigaction(signal.number, nullptr, &signal.previous);
    struct sigaction ours{};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    signal.installed = ::sigaction(signal.number, &ours, nullptr) == 0;
}

// The stack has room for the kernel's frame, which AVX-512 and AMX make large, and for handlers.
std::size_t kernel_frame() noexcept {
    return std::max<std::size_t>(::getauxval(AT_MINSIGSTKSZ), 2048);
}
std::size_t wanted_fault_stack() noexcept {
    const std::size_t bytes = kernel_frame() + (std::size_t{64} << 10);
    return (bytes + page_size() - 1) / page_size() * page_size();
}
constexpr std::size_t least_room_for_handlers = std::size_t{8} << 10;

// The alternate signal stack of one thread. Only that thread uses this object.
struct fault_stack {
    int depth = 0;
    std::byte* mapping = nullptr;  // null while the thread's earlier alternate stack is used
    guard_method guard = guard_method::none;
    stack_t earlier{};
};
constinit thread_local fault_stack mine;

bool is_large_enough(const stack_t& stack) noexcept {
    return (stack.ss_flags & SS_DISABLE) == 0 &&
           stack.ss_size >= kernel_frame() + least_room_for_handlers;
}

void give_back(std::byte* mapping) noexcept {
    remove_guard(mapping, page_size(), mine.guard);
    release(mapping, wanted_fault_stack() + page_size());
}

// Makes a stack with a guard page below it, because a handler may overflow, too.
bool make_fault_stack() noexcept {
    const std::size_t usable = wanted_fault_stack();
    auto* mapping = static_cast<std::byte*>(reserve(usable + page_size(), page_size()));
    if (mapping == nullptr) {
        return false;
    }
    mine.guard = install_guard(mapping, page_size(), best_guard_method());
    stack_t stack{};
    stack.ss_sp = mapping + page_size();
    stack.ss_size = usable;
    if (::sigaltstack(&stack, nullptr) != 0) {
        give_back(mapping);
        return false;
    }
    mine.mapping = mapping;
    return true;
}

// Restores the earlier alternate stack, unless other code has set another one meanwhile.
void drop_fault_stack() noexcept {
    stack_t current{};
    ::sigaltstack(nullptr, &current);
    if (current.ss_sp == mine.mapping + page_size()) {
        ::sigaltstack(&mine.earlier, nullptr);
    }
    give_back(mine.mapping);
    mine.mapping = nullptr;
}

}  // namespace

void install_fault_handler(fault_describer describer) noexcept {
    const std::scoped_lock lock(changing);
    // pairs with: report(), load of describe
    describe.store(describer, std::memory_order_release);
    for (handled_signal& signal : handled) {
        // Never a second time: if another handler is in place now, it may chain to ours, and ours
        // would then chain to it, for ever.
        if (!signal.installed) {
            install(signal);
        }
    }
}

bool enter_fault_stack() noexcept {
    if (mine.depth == 0) {
        ::sigaltstack(nullptr, &mine.earlier);
        if (!is_large_enough(mine.earlier) && !make_fault_stack()) {
            return false;
        }
    }
    ++mine.depth;
    return true;
}

void leave_fault_stack() noexcept {
    if (mine.depth > 0 && --mine.depth == 0 && mine.mapping != nullptr) {
        drop_fault_stack();
    }
}

}  // namespace lazult::os
