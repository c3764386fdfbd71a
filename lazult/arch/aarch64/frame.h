/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of a suspended context on AArch64, shared by switch.S and frame.cpp (which asserts it). */
#ifndef LAZULT_ARCH_AARCH64_FRAME_H
#define LAZULT_ARCH_AARCH64_FRAME_H

#define LAZULT_FRAME_X29 0
#define LAZULT_FRAME_X30 8
#define LAZULT_FRAME_X19 16
#define LAZULT_FRAME_X21 32
#define LAZULT_FRAME_X23 48
#define LAZULT_FRAME_X25 64
#define LAZULT_FRAME_X27 80
#define LAZULT_FRAME_D8 96
#define LAZULT_FRAME_D10 112
#define LAZULT_FRAME_D12 128
#define LAZULT_FRAME_D14 144
#define LAZULT_FRAME_FPCR 160
#define LAZULT_FRAME_SIZE 176

/* Offsets from the top of a called stack: the entry record that runs if the return was redirected,
 * the return slot, the caller's stack pointer. */
#define LAZULT_ENTRY_END -16
#define LAZULT_ENTRY_RETURN -24
#define LAZULT_ENTRY_CALLER -32

/* Offsets in struct entry_record, lazult/arch/context.hpp. */
#define LAZULT_ENTRY_RECORD_ENTRY 0
#define LAZULT_ENTRY_RECORD_LEFT 8

#endif
