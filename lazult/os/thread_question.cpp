// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/thread_question.hpp"

#include "lazult/base/base.hpp"

#include <atomic>
#include <csignal>
#include <cstring>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lazult/os/clock.hpp"

namespace lazult::os {
namespace {

constexpr int signal_number = SIGURG;

// A ticket in the high bits, and the state of its question in the two lowest bits:
//   open -> answering    the handler, if its signal carries this ticket
//   answering -> over    the handler
//   open -> over         the asker, when the time is up
//   over -> open         the asker, with the next ticket
enum : std::uint32_t { over = 0, open = 1, answering = 2, one_ticket = 4 };
constinit std::atomic<std::uint32_t> turn{over};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

// The asker writes these while no thread answers; the handler reads them.
constinit thread_question asked = nullptr;
constinit void* asked_about = nullptr;
constinit struct sigaction previous{};

void call_previous(int number, siginfo_t* info, void* context) noexcept {
    if ((previous.sa_flags & SA_SIGINFO) != 0) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
}

// Returns true if the signal belongs to the question that is open now. A late signal of an earlier
// question carries another ticket.
bool is_of_open_question(const siginfo_t& info, std::uint32_t now) noexcept {
    return info.si_code == SI_QUEUE && info.si_pid == ::getpid() &&
           (now & (one_ticket - 1)) == open &&
           static_cast<std::uint32_t>(info.si_value.sival_int) == now;
}

void on_signal(int number, siginfo_t* info, void* context) noexcept {
    const base::errno_guard kept;
    std::uint32_t seen = turn.load(std::memory_order_relaxed);
    if (!is_of_open_question(*info, seen)) {
        call_previous(number, info, context);
        // acquire pairs with: ask_thread(), store of turn
    } else if (turn.compare_exchange_strong(seen, seen - open + answering,
                                            std::memory_order_acquire, std::memory_order_relaxed)) {
        asked(asked_about);
        // pairs with: is_answered(), load of turn
        turn.store(seen - open, std::memory_order_release);
    }
}

bool is_our_handler(const struct sigaction& action) noexcept {
    return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == on_signal;
}

// Runs before each question, because the program may have set another handler meanwhile.
bool install() noexcept {
    struct sigaction current{};
    ::sigaction(signal_number, nullptr, &current);
    if (is_our_handler(current)) {
        return true;
    }
    static bool once = false;
    if (once) {
        return false;  // the other handler may chain to ours; two that chain to each other loop
    }
    once = true;
    previous = current;
    struct sigaction ours{};
    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    ::sigemptyset(&ours.sa_mask);
    return ::sigaction(signal_number, &ours, nullptr) == 0;
}

bool send(int id, std::uint32_t ticket) noexcept {
    siginfo_t info;
    std::memset(&info, 0, sizeof info);
    info.si_signo = signal_number;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value.sival_int = static_cast<int>(ticket);
    return ::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), id, signal_number, &info) == 0;
}

bool is_answered() noexcept {
    // acquire pairs with: on_signal(), store of turn: the answer
    return (turn.load(std::memory_order_acquire) & (one_ticket - 1)) == over;
}

// Takes the question back and returns false. If the thread is answering at this moment, waits for
// the answer and returns true.
bool withdraw(std::uint32_t mine) noexcept {
    std::uint32_t seen = mine;
    if (turn.compare_exchange_strong(seen, mine - open, std::memory_order_relaxed,
                                     std::memory_order_relaxed)) {
        return false;
    }
    while (!is_answered()) {
        ::sched_yield();
    }
    return true;
}

}  // namespace

bool ask_thread(int id, thread_question question, void* argument,
                std::int64_t timeout_ns) noexcept {
    if (!install()) {
        return false;
    }
    asked = question;
    asked_about = argument;
    const std::uint32_t mine = turn.load(std::memory_order_relaxed) + one_ticket + open;
    turn.store(mine, std::memory_order_release);  // pairs with: on_signal(), CAS of turn
    if (!send(id, mine)) {
        return withdraw(mine);
    }
    const std::int64_t deadline = now_ns() + timeout_ns;
    while (!is_answered()) {
        if (now_ns() >= deadline) {
            return withdraw(mine);
        }
        const timespec nap{0, 200'000};
        ::nanosleep(&nap, nullptr);
    }
    return true;
}

}  // namespace lazult::os
