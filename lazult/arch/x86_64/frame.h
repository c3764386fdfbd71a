/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout of a suspended context on x86-64, shared by switch.S and frame.cpp (which asserts it). */
#ifndef LAZULT_ARCH_X86_64_FRAME_H
#define LAZULT_ARCH_X86_64_FRAME_H

#define LAZULT_FRAME_MXCSR 0
#define LAZULT_FRAME_FPUCW 4
#define LAZULT_FRAME_R15 8
#define LAZULT_FRAME_R14 16
#define LAZULT_FRAME_R13 24
#define LAZULT_FRAME_R12 32
#define LAZULT_FRAME_RBX 40
#define LAZULT_FRAME_RBP 48
#define LAZULT_FRAME_RIP 56
#define LAZULT_FRAME_SIZE 64

/* Offsets from the top of a called stack: the entry record that runs if the return was redirected,
 * the caller's stack pointer, the return slot. */
#define LAZULT_ENTRY_END -8
#define LAZULT_ENTRY_CALLER -16
#define LAZULT_ENTRY_RETURN -24

/* Offsets in struct entry_record, lazult/arch/context.hpp. */
#define LAZULT_ENTRY_RECORD_ENTRY 0
#define LAZULT_ENTRY_RECORD_LEFT 8

/* The ABI's control words at program start, and the control bits of MXCSR, which a callee keeps. */
#define LAZULT_MXCSR_DEFAULT 0x1f80
#define LAZULT_MXCSR_CONTROL 0xffc0
#define LAZULT_FPUCW_DEFAULT 0x037f

#endif
