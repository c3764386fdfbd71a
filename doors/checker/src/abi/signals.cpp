// SPDX-License-Identifier: BSD-3-Clause
// The C library's functions that set signal handlers, so that the checker knows when one runs.
#include <csignal>

#include "abi/next.hpp"
#include "reentry/handlers.hpp"

namespace {

using namespace lazult::checker;

constinit next_function<int(int, const struct sigaction*, struct sigaction*)> real_sigaction{
    "sigaction"};

bool is_function(const struct sigaction& action) noexcept {
    return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

// A handler of one parameter ignores the others.
struct sigaction with_wrapper(const struct sigaction& wanted) noexcept {
    struct sigaction result = wanted;
    result.sa_sigaction = run_handler;
    result.sa_flags |= SA_SIGINFO;
    return result;
}

}  // namespace

extern "C" {

int sigaction(int number, const struct sigaction* wanted, struct sigaction* before) noexcept {
    if (number <= 0 || number >= NSIG) {
        return real_sigaction.get()(number, wanted, before);
    }
    const handler own = handler_of(number);
    struct sigaction changed{};
    if (wanted != nullptr && is_function(*wanted)) {
        keep_handler(number, {wanted->sa_sigaction, (wanted->sa_flags & SA_SIGINFO) != 0});
        changed = with_wrapper(*wanted);
        wanted = &changed;
    }
    const int result = real_sigaction.get()(number, wanted, before);
    if (result == 0 && before != nullptr && before->sa_sigaction == run_handler) {
        before->sa_sigaction = own.function;
        before->sa_flags =
            own.takes_information ? before->sa_flags : before->sa_flags & ~SA_SIGINFO;
    }
    return result;
}

// As the C library's: the handler stays, and calls go on after it.
sighandler_t signal(int number, sighandler_t wanted) noexcept {
    struct sigaction action{};
    struct sigaction before{};
    action.sa_handler = wanted;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaddset(&action.sa_mask, number);
    return ::sigaction(number, &action, &before) != 0 ? SIG_ERR : before.sa_handler;
}

}  // extern "C"
