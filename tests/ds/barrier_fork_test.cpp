// SPDX-License-Identifier: BSD-3-Clause
// A process that forks while another thread finds that the kernel refuses membarrier.
#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <thread>

#include "lazult/ds/ds.hpp"

namespace {

using lazult::ds::std_atomics;

constexpr int skipped = 77;
std::atomic<bool> is_losing{false};

// The thread that reaches all others by the slow way stays in it.
void stay(int) {
    is_losing = true;
    for (;;) {
        ::pause();
    }
}

bool refuse_membarrier_and_trap_moves() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

// The exit code of a child that does this; the signal's number plus 128 when one ends it.
template <class Child>
int forked(unsigned seconds, Child run) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(seconds);
        ::_exit(run());
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int fork_while_it_is_lost() {
    ::signal(SIGSYS, stay);
    if (!std_atomics::light_barrier_is_free() || !refuse_membarrier_and_trap_moves()) {
        return skipped;
    }
    std::thread([] { std_atomics::heavy_barrier(); }).detach();
    while (!is_losing.load()) {
        std::this_thread::yield();
    }
    return forked(5, [] {
        std_atomics::heavy_barrier();
        return std_atomics::light_barrier_is_free() ? 1 : 0;
    });
}

TEST(barrier_of_process, a_child_that_was_forked_while_it_was_being_lost_waits_for_nobody) {
    if (lazult::probe::tsan) {
        GTEST_SKIP() << "ThreadSanitizer takes no note of synchronisation in a child of a process "
                        "that has threads";
    }
    const int outcome = forked(20, fork_while_it_is_lost);
    if (outcome == skipped) {
        GTEST_SKIP() << "this system has no membarrier, or no seccomp filters";
    }
    EXPECT_EQ(outcome, 0) << "142: it hangs";
}

}  // namespace
