// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::os {

// Whether membarrier() reached the other threads of the process when it was first asked. False on
// kernels before 4.14 and under qemu-user.
bool membarrier_available() noexcept;

// A full barrier in every running thread of the process. False, and nothing done, where the kernel
// refuses it: also later than at the first time, when the process has put itself into a sandbox.
bool membarrier() noexcept;

// The same without membarrier, far slower: the calling thread moves to every processor that the
// process may use, one after the other. Where it arrives, the kernel has switched away from what
// ran there, by a full barrier; and a thread that moves to a processor that was visited before is
// switched as well. So it does not matter where threads run, which signals they block, and whether
// the library knows them. Signals would have to be handled by each thread; changed page protections
// interrupt nobody where the processor tells the others by itself (AArch64, AMD's INVLPGB). Threads
// in another cpuset are not reached. Where moving is refused as well it waits for ten milliseconds:
// no processor keeps a store to itself for so long, though no manual promises that.
void reach_every_processor() noexcept;

}  // namespace lazult::os
