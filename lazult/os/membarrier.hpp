// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace lazult::os {

// Whether membarrier() reaches the other threads of the process. The answer never changes: both sides of an
// asymmetric barrier ask it. False on kernels before 4.14 and under qemu-user.
bool membarrier_available() noexcept;

// A full barrier in every running thread of the process. Where it is not available it is one in the calling
// thread only, and the light side must be a full barrier of its own.
void membarrier() noexcept;

}  // namespace lazult::os
