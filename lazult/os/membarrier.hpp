// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::os {

// Returns true if membarrier() reached the other threads of the process when it was first tried.
// False on kernels before 4.14 and under qemu-user.
bool membarrier_available() noexcept;

// Executes a full barrier in every running thread of the process. Returns false, without any effect
// on other threads, if the kernel refuses. That may begin later, if the process enters a sandbox.
bool membarrier() noexcept;

// Does what membarrier() does, far slower, without that call: the calling thread moves to every
// processor that the process may use, one after the other. Where it arrives, the kernel switches
// away from the running thread, with a full barrier. A thread that moves to a processor that was
// visited before is switched, too. So it does not matter where threads run, which signals they
// block, and whether the library knows them. Threads in another cpuset are not reached. Two other
// ways do not work: each thread would have to handle a signal, and changed page protections do not
// interrupt where processors flush remote TLBs by themselves (AArch64, AMD's INVLPGB). If moving is
// refused as well, it sleeps for ten milliseconds: no processor delays a store for so long, though
// no manual promises that.
void reach_every_processor() noexcept;

}  // namespace lazult::os
