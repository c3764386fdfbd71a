// SPDX-License-Identifier: BSD-3-Clause
// Where MPI's own code runs. MPI libraries are written for the stacks of OS threads: MPICH's copies of typed data alone take
// 128 KiB, twice a ULT's stack. So each stream has one large stack for calls into MPI. Nothing suspends on it: a unit that is
// within MPI counts as a tasklet, and a callback of the user's that would wait there is told so.
#pragma once

#include "door.hpp"

namespace lazult::mpi {

// Calls call(closure) on this stream's large stack; where the caller is, if that is there, or no stream, or without memory.
void call_deep(void (*call)(void*), void* closure) noexcept;

// What the MPI call returns.
template <class Call>
int deep(Call&& call) {
    struct closure {
        Call& call;
        int code;
    } mine{call, 0};
    call_deep(
        [](void* c) {
            auto& its = *static_cast<closure*>(c);
            its.code = its.call();
        },
        &mine);
    return mine.code;
}

}  // namespace lazult::mpi
