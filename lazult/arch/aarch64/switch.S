/* SPDX-License-Identifier: BSD-3-Clause */
/* Context switch for AAPCS64. Layouts: frame.h. Interface: lazult/arch/context.hpp.
 *
 * A called function gets its return address in x30, and the compiler spills that anywhere. So
 * lazult_call_saved and lazult_call_on keep the return slot as a word of their own at a known
 * place. After the call they load that word and branch to it. lazult_redirect_return rewrites the
 * word.
 *
 * FPCR is read at every switch and written only if the target's value differs. */

#include "lazult/arch/aarch64/frame.h"

        .text

        .macro FUNCTION name
        .globl  \name
        .type   \name, %function
        .p2align 4
\name:
        .cfi_startproc
        hint    #34                     /* bti c */
        .endm

        .macro END name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro SAVE_PAIR first, second, offset
        stp     \first, \second, [sp, #\offset]
        .cfi_rel_offset \first, \offset
        .cfi_rel_offset \second, \offset + 8
        .endm

        .macro LOAD_PAIR first, second, offset
        ldp     \first, \second, [sp, #\offset]
        .cfi_restore \first
        .cfi_restore \second
        .endm

        /* Saves the caller's frame at sp. x9 holds the caller's FPCR afterwards. */
        .macro SAVE
        sub     sp, sp, #LAZULT_FRAME_SIZE
        .cfi_adjust_cfa_offset LAZULT_FRAME_SIZE
        SAVE_PAIR x29, x30, LAZULT_FRAME_X29
        SAVE_PAIR x19, x20, LAZULT_FRAME_X19
        SAVE_PAIR x21, x22, LAZULT_FRAME_X21
        SAVE_PAIR x23, x24, LAZULT_FRAME_X23
        SAVE_PAIR x25, x26, LAZULT_FRAME_X25
        SAVE_PAIR x27, x28, LAZULT_FRAME_X27
        SAVE_PAIR d8, d9, LAZULT_FRAME_D8
        SAVE_PAIR d10, d11, LAZULT_FRAME_D10
        SAVE_PAIR d12, d13, LAZULT_FRAME_D12
        SAVE_PAIR d14, d15, LAZULT_FRAME_D14
        mrs     x9, fpcr
        str     x9, [sp, #LAZULT_FRAME_FPCR]
        .endm

        .macro RESTORE_PAIRS
        LOAD_PAIR x19, x20, LAZULT_FRAME_X19
        LOAD_PAIR x21, x22, LAZULT_FRAME_X21
        LOAD_PAIR x23, x24, LAZULT_FRAME_X23
        LOAD_PAIR x25, x26, LAZULT_FRAME_X25
        LOAD_PAIR x27, x28, LAZULT_FRAME_X27
        LOAD_PAIR d8, d9, LAZULT_FRAME_D8
        LOAD_PAIR d10, d11, LAZULT_FRAME_D10
        LOAD_PAIR d12, d13, LAZULT_FRAME_D12
        LOAD_PAIR d14, d15, LAZULT_FRAME_D14
        LOAD_PAIR x29, x30, LAZULT_FRAME_X29
        add     sp, sp, #LAZULT_FRAME_SIZE
        .cfi_adjust_cfa_offset -LAZULT_FRAME_SIZE
        .endm

        .macro RESTORE_FPCR_AND_PAIRS
        mrs     x9, fpcr
        ldr     x10, [sp, #LAZULT_FRAME_FPCR]
        cmp     x9, x10
        b.eq    1f
        msr     fpcr, x10
1:      RESTORE_PAIRS
        .endm

        /* Each of the next two macros continues the frame at sp. RUN_FLOW and switches between
         * units return; switches to and from a host jump: see x86_64/switch.S. A branch through
         * x16 passes BTI and is not predicted as a return. */
        .macro RESTORE_AND_RETURN
        RESTORE_FPCR_AND_PAIRS
        ret
        .endm

        .macro RESTORE_AND_JUMP
        RESTORE_FPCR_AND_PAIRS
        mov     x16, x30
        br      x16
        .endm

        .macro FRAME_AT_SP
        .cfi_def_cfa sp, LAZULT_FRAME_SIZE
        .cfi_rel_offset x29, LAZULT_FRAME_X29
        .cfi_rel_offset x30, LAZULT_FRAME_X30
        .cfi_rel_offset x19, LAZULT_FRAME_X19
        .cfi_rel_offset x20, LAZULT_FRAME_X19 + 8
        .cfi_rel_offset x21, LAZULT_FRAME_X21
        .cfi_rel_offset x22, LAZULT_FRAME_X21 + 8
        .cfi_rel_offset x23, LAZULT_FRAME_X23
        .cfi_rel_offset x24, LAZULT_FRAME_X23 + 8
        .cfi_rel_offset x25, LAZULT_FRAME_X25
        .cfi_rel_offset x26, LAZULT_FRAME_X25 + 8
        .cfi_rel_offset x27, LAZULT_FRAME_X27
        .cfi_rel_offset x28, LAZULT_FRAME_X27 + 8
        .cfi_rel_offset d8, LAZULT_FRAME_D8
        .cfi_rel_offset d9, LAZULT_FRAME_D8 + 8
        .cfi_rel_offset d10, LAZULT_FRAME_D10
        .cfi_rel_offset d11, LAZULT_FRAME_D10 + 8
        .cfi_rel_offset d12, LAZULT_FRAME_D12
        .cfi_rel_offset d13, LAZULT_FRAME_D12 + 8
        .cfi_rel_offset d14, LAZULT_FRAME_D14
        .cfi_rel_offset d15, LAZULT_FRAME_D14 + 8
        .endm

        /* Clobbers x9 and x10. */
        .macro DEFAULT_FPCR
        adrp    x9, lazult_default_fpcr
        ldr     x9, [x9, :lo12:lazult_default_fpcr]
        mrs     x10, fpcr
        cmp     x9, x10
        b.eq    3f
        msr     fpcr, x9
3:
        .endm

        .macro OUTERMOST
        .cfi_undefined x30
        .endm

        /* Calls after(argument), in x2 and x3, unless x2 is null. */
        .macro AFTER
        cbz     x2, 7f
        mov     x0, x3
        blr     x2
7:
        .endm

        /* Sets sp to the stack at x1, then writes the context to x0. Another thread may resume
         * the unit as soon as it reads the context (work_unit::has_left()), so the store
         * releases the saved frame. If sp still pointed to the old stack, a signal handler could
         * run there while the other thread uses that stack. */
        .macro CHANGE_STACKS
        mov     x11, sp
        mov     sp, x1
        stlr    x11, [x0]
        .endm

        /* Does what CHANGE_STACKS does, for a fresh stack. */
        .macro CHANGE_TO_FRESH_STACK
        mov     x11, sp
        mov     sp, x1
        OUTERMOST
        stlr    x11, [x0]
        .endm

/* void lazult_switch_to_host(context* save, context to, after, argument) */
FUNCTION lazult_switch_to_host
        SAVE
        CHANGE_STACKS
        AFTER
        RESTORE_AND_JUMP
END lazult_switch_to_host

/* void lazult_switch_from_host(context* save, context to, after, argument) */
FUNCTION lazult_switch_from_host
        b       lazult_switch_to_host
END lazult_switch_from_host

/* void lazult_jump(context to, after, argument) */
FUNCTION lazult_jump
        mov     sp, x0
        FRAME_AT_SP
        cbz     x1, 7f
        mov     x0, x2
        blr     x1
7:      RESTORE_AND_JUMP
END lazult_jump

        /* On a fresh stack: calls the entry function of the record at x19, with self in x0. When it
         * returns, continues the context that it returned. */
        .macro RUN_FLOW
        mov     x29, xzr
        ldr     x16, [x19, #LAZULT_ENTRY_RECORD_ENTRY]
        blr     x16
        mov     sp, x0
        FRAME_AT_SP
        cbz     x1, 6f
        mov     x0, x1
        ldr     x16, [x19, #LAZULT_ENTRY_RECORD_LEFT]
        blr     x16
6:      RESTORE_AND_RETURN
        .endm

/* void lazult_switch(context* save, context to, after, argument, entry_record, self):
 * with an entry record, `to` is the top of a fresh stack. x86_64/switch.S says why both are one
 * function. */
FUNCTION lazult_switch
        SAVE
        cbnz    x4, 8f
        CHANGE_STACKS
        AFTER
        .cfi_remember_state
        RESTORE_AND_RETURN
        .cfi_restore_state
8:      DEFAULT_FPCR
        CHANGE_TO_FRESH_STACK
        mov     x19, x4
        mov     x20, x5
        AFTER
        mov     x0, x20
        RUN_FLOW
END lazult_switch

/* void lazult_start(context* save, top, entry_record, self, after, argument) */
FUNCTION lazult_start
        SAVE
        DEFAULT_FPCR
        CHANGE_TO_FRESH_STACK
        mov     x19, x2
        mov     x20, x3
        cbz     x4, 7f
        mov     x0, x5
        blr     x4
7:      mov     x0, x20
        RUN_FLOW
END lazult_start

/* void lazult_start_from_host(context* save, top, entry_record, self) */
FUNCTION lazult_start_from_host
        mov     x4, xzr
        b       lazult_start
END lazult_start_from_host

/* void lazult_start_over(top, entry_record, self, after, argument) */
FUNCTION lazult_start_over
        mov     sp, x0
        OUTERMOST
        mov     x19, x1
        mov     x20, x2
        cbz     x3, 7f
        mov     x0, x4
        blr     x3
7:      mov     x0, x20
        RUN_FLOW
END lazult_start_over

/* void lazult_call_saved(context* save, top, entry, self) */
FUNCTION lazult_call_saved
        SAVE
        mov     x11, sp
        str     x11, [x0]
        str     x11, [x1, #LAZULT_ENTRY_CALLER]
        adr     x12, .Lsaved_return
        str     x12, [x1, #LAZULT_ENTRY_RETURN]
        add     sp, x1, #LAZULT_ENTRY_CALLER
        /* CFA = *(sp) + frame size: DW_OP_breg31 0, DW_OP_deref, DW_OP_plus_uconst 176 */
        .cfi_escape 0x0f, 0x06, 0x8f, 0x00, 0x06, 0x23, 0xb0, 0x01
        mov     x0, x3
        blr     x2
        ldr     x16, [sp, #8]
        br      x16
.Lsaved_return:
        hint    #36                     /* bti j */
        ldr     x11, [sp]
        mov     sp, x11
        .cfi_def_cfa sp, LAZULT_FRAME_SIZE
        ldp     x29, x30, [sp, #LAZULT_FRAME_X29]
        .cfi_restore x29
        .cfi_restore x30
        add     sp, sp, #LAZULT_FRAME_SIZE
        .cfi_adjust_cfa_offset -LAZULT_FRAME_SIZE
        ret
END lazult_call_saved

/* void lazult_call_on(top, entry, self) */
FUNCTION lazult_call_on
        stp     x29, x30, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        mov     x11, sp
        str     x11, [x0, #LAZULT_ENTRY_CALLER]
        adr     x12, .Lon_return
        str     x12, [x0, #LAZULT_ENTRY_RETURN]
        add     sp, x0, #LAZULT_ENTRY_CALLER
        /* CFA = *(sp) + 16 */
        .cfi_escape 0x0f, 0x05, 0x8f, 0x00, 0x06, 0x23, 0x10
        mov     x0, x2
        blr     x1
        ldr     x16, [sp, #8]
        br      x16
.Lon_return:
        hint    #36                     /* bti j */
        ldr     x11, [sp]
        mov     sp, x11
        .cfi_def_cfa sp, 16
        ldp     x29, x30, [sp], #16
        .cfi_adjust_cfa_offset -16
        .cfi_restore x29
        .cfi_restore x30
        ret
END lazult_call_on

/* The target of a redirected return slot; x16 may be used. An unwinder still sees the return
 * point in x30. So lazult_redirect_return points the caller's word at a frame of zeros, where the
 * unwinder finds the end of the chain. */
        .type   lazult_redirected, %function
        .p2align 4
lazult_redirected:
        .cfi_startproc
        OUTERMOST
        nop
.Lredirected_return:
        hint    #36                     /* bti j */
        ldr     x19, [sp, #(LAZULT_ENTRY_END - LAZULT_ENTRY_CALLER)]
        mov     x0, xzr
        RUN_FLOW
        .cfi_endproc
        .size   lazult_redirected, . - lazult_redirected

/* void lazult_redirect_return(top, entry_record) */
FUNCTION lazult_redirect_return
        str     x1, [x0, #LAZULT_ENTRY_END]
        adrp    x11, lazult_no_caller
        add     x11, x11, :lo12:lazult_no_caller
        str     x11, [x0, #LAZULT_ENTRY_CALLER]
        adr     x11, .Lredirected_return
        str     x11, [x0, #LAZULT_ENTRY_RETURN]
        ret
END lazult_redirect_return

/* bool lazult_control_words_changed() */
FUNCTION lazult_control_words_changed
        adrp    x9, lazult_default_fpcr
        ldr     x9, [x9, :lo12:lazult_default_fpcr]
        mrs     x10, fpcr
        cmp     x9, x10
        cset    w0, ne
        ret
END lazult_control_words_changed

/* void lazult_reset_control_words() */
FUNCTION lazult_reset_control_words
        DEFAULT_FPCR
        ret
END lazult_reset_control_words

/* void lazult_adopt_control_words() */
FUNCTION lazult_adopt_control_words
        mrs     x10, fpcr
        adrp    x9, lazult_default_fpcr
        str     x10, [x9, :lo12:lazult_default_fpcr]
        ret
END lazult_adopt_control_words

/* Reading FPCR is cheap here, so a host's context is saved like a unit's. */
        .macro ALIAS name, target
        .globl  \name
        .type   \name, %function
        .set    \name, \target
        .endm

        ALIAS   lazult_call_saved_from_host, lazult_call_saved

        .data
        .p2align 3
lazult_default_fpcr:
        .xword  0

        .section .rodata
        .p2align 4
lazult_no_caller:
        .zero   LAZULT_FRAME_SIZE

        .section .note.GNU-stack, "", %progbits
