/* SPDX-License-Identifier: BSD-3-Clause */
/* The generic implementation runs on some processor too, and must keep that one's registers. */
#if defined(__x86_64__)
#include "../x86_64/registers.S"
#elif defined(__aarch64__)
#include "../aarch64/registers.S"
#else
#error "write tests/arch/<architecture>/registers.S for this processor"
#endif
