/* SPDX-License-Identifier: BSD-3-Clause */
/* Context switch for the System V x86-64 ABI. Layouts: frame.h. Interface:
 * lazult/arch/context.hpp.
 *
 * The last instruction of a switch is chosen for the return predictor. From unit to unit, and at
 * the end of a unit, it is a `ret`: both units stand at the same call, so the prediction is right,
 * and the predictor's stack stays balanced for the returns that follow. To and from a scheduler's
 * loop it is a jump through a register: the calls differ, so a `ret` would be mispredicted each
 * time (8.3 ns against 2.5 ns measured on Zen 3), and the loop makes no returns that an unbalanced
 * predictor could harm. lazult_call_saved and lazult_call_on pair call with ret.
 *
 * MXCSR and the x87 control word are callee-saved by the ABI in their control bits; the exception
 * flags in MXCSR are not. A switch away from a unit stores the words. A scheduler has the
 * process's default words, so a switch away from a scheduler copies the defaults. Fresh stacks
 * start with the defaults. The processor decides how a switch puts the target's words in force
 * (control_words.cpp measures). Where a load that changes MXCSR is cheap, the switch always loads:
 * comparing would cost 5 cycles more (Zen 5), because it reads what was just stored. Where such a
 * load is expensive (70 cycles on Sapphire Rapids), the switch loads only if a control bit
 * differs. Exception flags are not compared: they differ after any inexact operation.
 *
 * A switch from a unit changes rsp to the target's stack, and then writes the context to `save`;
 * the frame is complete by then. Another thread may resume the unit as soon as that thread reads
 * the context (work_unit::has_left()). x86-64 makes stores visible in program order. If rsp still
 * pointed to the old stack, a signal handler could run there while the other thread uses it.
 *
 * Unwind information is right at every instruction. Between the change of rsp and the restoring of
 * the registers, the frame description is that of the target's frame. It need not change, because
 * all saved frames have one layout. */

#include "lazult/arch/x86_64/frame.h"

#ifdef __CET__
#define LANDING endbr64
#else
#define LANDING
#endif

        .text

        .macro FUNCTION name
        .globl  \name
        .type   \name, @function
        .p2align 5
\name:
        .cfi_startproc
        LANDING
        .endm

        .macro END name
        .cfi_endproc
        .size   \name, . - \name
        .endm

        .macro PUSH reg
        pushq   %\reg
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset \reg, 0
        .endm

        .macro POP reg
        popq    %\reg
        .cfi_adjust_cfa_offset -8
        .cfi_restore \reg
        .endm

        /* Saves the registers below the caller's return address. */
        .macro SAVE_REGISTERS
        PUSH    rbp
        PUSH    rbx
        PUSH    r12
        PUSH    r13
        PUSH    r14
        PUSH    r15
        .endm

        /* Saves a unit: the registers, and the unit's own control words. */
        .macro SAVE
        SAVE_REGISTERS
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr LAZULT_FRAME_MXCSR(%rsp)
        fnstcw  LAZULT_FRAME_FPUCW(%rsp)
        .endm

        /* Saves a host: the registers, and the default control words. The words in force may be
         * others, because a unit that the host called may have left them. */
        .macro SAVE_HOST
        SAVE_REGISTERS
        pushq   lazult_default_words(%rip)
        .cfi_adjust_cfa_offset 8
        .endm

        /* The next two macros put the words in force into r13d and r14d, if LOAD_WORDS will compare
         * them. Use them when the caller's own r13 and r14 are saved, or when the caller's frame
         * is not described any more. */
        .macro NOTE_SAVED_WORDS
        cmpb    $0, lazult_compares_words(%rip)
        je      9f
        movl    LAZULT_FRAME_MXCSR(%rsp), %r13d
        movzwl  LAZULT_FRAME_FPUCW(%rsp), %r14d
9:
        .endm

        .macro NOTE_WORDS mxcsr=r13, fpucw=r14
        cmpb    $0, lazult_compares_words(%rip)
        je      9f
        stmxcsr -8(%rsp)
        fnstcw  -4(%rsp)
        movl    -8(%rsp), %\mxcsr\()d
        movzwl  -4(%rsp), %\fpucw\()d
9:
        .endm

        /* Puts the words at `mxcsr` and `fpucw` in force. If it compares, it compares them with
         * r13d and r14d. */
        .macro LOAD_WORDS mxcsr, fpucw
        cmpb    $0, lazult_compares_words(%rip)
        je      8f
        xorl    \mxcsr, %r13d
        xorw    \fpucw, %r14w
        andl    $LAZULT_MXCSR_CONTROL, %r13d
        orl     %r14d, %r13d
        jz      9f
8:      ldmxcsr \mxcsr
        fldcw   \fpucw
9:
        .endm

        .macro RESTORE_REGISTERS
        LOAD_WORDS LAZULT_FRAME_MXCSR(%rsp), LAZULT_FRAME_FPUCW(%rsp)
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        POP     r15
        POP     r14
        POP     r13
        POP     r12
        POP     rbx
        POP     rbp
        .endm

        /* The next two macros continue the frame at rsp. */
        .macro RESTORE_AND_RETURN
        RESTORE_REGISTERS
        ret
        .endm

        .macro RESTORE_AND_JUMP
        RESTORE_REGISTERS
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        .cfi_register rip, rcx
        jmpq    *%rcx
        .endm

        .macro DEFAULT_CONTROL_WORDS
        LOAD_WORDS lazult_default_words+LAZULT_FRAME_MXCSR(%rip), \
                   lazult_default_words+LAZULT_FRAME_FPUCW(%rip)
        .endm

        /* Frame description of a function that is entered on a fresh stack and has no caller. */
        .macro OUTERMOST
        .cfi_undefined rip
        .cfi_undefined rbp
        .endm

        /* Calls after(argument), in rdx and rcx, unless rdx is null. */
        .macro AFTER
        testq   %rdx, %rdx
        jz      7f
        movq    %rcx, %rdi
        callq   *%rdx
7:
        .endm

/* void lazult_switch_to_host(context* save, context to, after, argument) */
FUNCTION lazult_switch_to_host
        SAVE
        NOTE_SAVED_WORDS
        movq    %rsp, %rax
        movq    %rsi, %rsp
        movq    %rax, (%rdi)
        AFTER
        RESTORE_AND_JUMP
END lazult_switch_to_host

/* void lazult_switch_from_host(context* save, context to, after, argument) */
FUNCTION lazult_switch_from_host
        SAVE_HOST
        NOTE_WORDS
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        AFTER
        RESTORE_AND_JUMP
END lazult_switch_from_host

/* void lazult_jump(context to, after, argument) */
FUNCTION lazult_jump
        NOTE_WORDS r8, r9
        movq    %rdi, %rsp
        .cfi_def_cfa_offset LAZULT_FRAME_SIZE
        .cfi_rel_offset r15, LAZULT_FRAME_R15
        .cfi_rel_offset r14, LAZULT_FRAME_R14
        .cfi_rel_offset r13, LAZULT_FRAME_R13
        .cfi_rel_offset r12, LAZULT_FRAME_R12
        .cfi_rel_offset rbx, LAZULT_FRAME_RBX
        .cfi_rel_offset rbp, LAZULT_FRAME_RBP
        movl    %r8d, %r13d
        movl    %r9d, %r14d
        testq   %rsi, %rsi
        jz      7f
        movq    %rdx, %rdi
        callq   *%rsi
7:      RESTORE_AND_JUMP
END lazult_jump

        /* On a fresh stack: calls the entry function of the record at rbx, with self in rdi. When
         * it returns, continues the context that it returned. The stack has no caller till then. */
        .macro RUN_FLOW
        xorl    %ebp, %ebp
        callq   *LAZULT_ENTRY_RECORD_ENTRY(%rbx)
        NOTE_WORDS
        movq    %rax, %rsp
        .cfi_restore rip
        .cfi_restore rbp
        .cfi_def_cfa rsp, LAZULT_FRAME_SIZE
        .cfi_rel_offset rip, LAZULT_FRAME_RIP
        .cfi_rel_offset r15, LAZULT_FRAME_R15
        .cfi_rel_offset r14, LAZULT_FRAME_R14
        .cfi_rel_offset r13, LAZULT_FRAME_R13
        .cfi_rel_offset r12, LAZULT_FRAME_R12
        .cfi_rel_offset rbx, LAZULT_FRAME_RBX
        .cfi_rel_offset rbp, LAZULT_FRAME_RBP
        testq   %rdx, %rdx
        jz      6f
        movq    %rdx, %rdi
        callq   *LAZULT_ENTRY_RECORD_LEFT(%rbx)
6:      RESTORE_AND_RETURN
        .endm

/* void lazult_switch(context* save, context to, after, argument, entry_record, self):
 * with an entry record, `to` is the top of a fresh stack. Both cases are one function so that all
 * units make the same call: whether a unit gave way to a fresh or to a resumed unit, it continues
 * at the same return address, and the return predictor is right. */
FUNCTION lazult_switch
        SAVE
        NOTE_SAVED_WORDS
        movq    %rsp, %rax
        testq   %r8, %r8
        jnz     6f
        movq    %rsi, %rsp
        movq    %rax, (%rdi)
        AFTER
        .cfi_remember_state
        RESTORE_AND_RETURN
        .cfi_restore_state
6:      DEFAULT_CONTROL_WORDS
        movq    %rsi, %rsp
        OUTERMOST
        movq    %rax, (%rdi)
        movq    %r8, %rbx
        movq    %r9, %r12
        AFTER
        movq    %r12, %rdi
        RUN_FLOW
END lazult_switch

/* void lazult_start(context* save, top, entry_record, self, after, argument) */
FUNCTION lazult_start
        SAVE
        NOTE_SAVED_WORDS
        movq    %rsp, %rax
        DEFAULT_CONTROL_WORDS
        movq    %rsi, %rsp
        OUTERMOST
        movq    %rax, (%rdi)
        movq    %rdx, %rbx
        movq    %rcx, %r12
        testq   %r8, %r8
        jz      7f
        movq    %r9, %rdi
        callq   *%r8
7:      movq    %r12, %rdi
        RUN_FLOW
END lazult_start

/* void lazult_start_from_host(context* save, top, entry_record, self) */
FUNCTION lazult_start_from_host
        SAVE_HOST
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        OUTERMOST
        movq    %rdx, %rbx
        movq    %rcx, %rdi
        RUN_FLOW
END lazult_start_from_host

/* void lazult_start_over(top, entry_record, self, after, argument) */
FUNCTION lazult_start_over
        movq    %rdi, %rsp
        OUTERMOST
        movq    %rsi, %rbx
        movq    %rdx, %r12
        testq   %rcx, %rcx
        jz      7f
        movq    %r8, %rdi
        callq   *%rcx
7:      movq    %r12, %rdi
        RUN_FLOW
END lazult_start_over

        .macro CALL_SAVED save
        \save
        movq    %rsp, (%rdi)
        movq    %rsp, LAZULT_ENTRY_CALLER(%rsi)
        leaq    LAZULT_ENTRY_CALLER(%rsi), %rsp
        /* CFA = *(rsp) + frame size: DW_OP_breg7 0, DW_OP_deref, DW_OP_plus_uconst 64 */
        .cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, LAZULT_FRAME_SIZE
        movq    %rcx, %rdi
        callq   *%rdx
        movq    (%rsp), %rsp
        .cfi_def_cfa rsp, LAZULT_FRAME_SIZE
        addq    $LAZULT_FRAME_RIP, %rsp
        .cfi_def_cfa rsp, 8
        .cfi_restore rbp
        .cfi_restore rbx
        .cfi_restore r12
        .cfi_restore r13
        .cfi_restore r14
        .cfi_restore r15
        ret
        .endm

/* void lazult_call_saved(context* save, top, entry, self) */
FUNCTION lazult_call_saved
        CALL_SAVED SAVE
END lazult_call_saved

/* void lazult_call_saved_from_host(context* save, top, entry, self) */
FUNCTION lazult_call_saved_from_host
        CALL_SAVED SAVE_HOST
END lazult_call_saved_from_host

/* void lazult_call_on(top, entry, self) */
FUNCTION lazult_call_on
        movq    %rsp, LAZULT_ENTRY_CALLER(%rdi)
        leaq    LAZULT_ENTRY_CALLER(%rdi), %rsp
        /* CFA = *(rsp) + 8 */
        .cfi_escape 0x0f, 0x05, 0x77, 0x00, 0x06, 0x23, 0x08
        movq    %rdx, %rdi
        callq   *%rsi
        movq    (%rsp), %rsp
        .cfi_def_cfa rsp, 8
        ret
END lazult_call_on

/* The target of a redirected return slot. The chain of callers ends here, because the caller's
 * stack may hold anything by now. Unwinders look up the return address minus one; the nop makes
 * that address belong to this description. */
        .type   lazult_redirected, @function
        .p2align 4
lazult_redirected:
        .cfi_startproc
        OUTERMOST
        nop
.Lredirected_return:
        movq    (LAZULT_ENTRY_END - LAZULT_ENTRY_CALLER)(%rsp), %rbx
        xorl    %edi, %edi
        RUN_FLOW
        .cfi_endproc
        .size   lazult_redirected, . - lazult_redirected

/* void lazult_redirect_return(top, entry_record) */
FUNCTION lazult_redirect_return
        movq    %rsi, LAZULT_ENTRY_END(%rdi)
        leaq    .Lredirected_return(%rip), %rax
        movq    %rax, LAZULT_ENTRY_RETURN(%rdi)
        ret
END lazult_redirect_return

/* bool lazult_control_words_changed(): the control words in force are not the defaults */
FUNCTION lazult_control_words_changed
        stmxcsr -8(%rsp)
        fnstcw  -4(%rsp)
        movl    -8(%rsp), %eax
        xorl    lazult_default_words + LAZULT_FRAME_MXCSR(%rip), %eax
        movzwl  -4(%rsp), %ecx
        andl    $LAZULT_MXCSR_CONTROL, %eax
        xorw    lazult_default_words + LAZULT_FRAME_FPUCW(%rip), %cx
        orl     %ecx, %eax
        setne   %al
        ret
END lazult_control_words_changed

/* void lazult_reset_control_words() */
FUNCTION lazult_reset_control_words
        ldmxcsr lazult_default_words + LAZULT_FRAME_MXCSR(%rip)
        fldcw   lazult_default_words + LAZULT_FRAME_FPUCW(%rip)
        ret
END lazult_reset_control_words

/* void lazult_adopt_control_words(): the caller's become the process's defaults */
FUNCTION lazult_adopt_control_words
        stmxcsr lazult_default_words + LAZULT_FRAME_MXCSR(%rip)
        andl    $LAZULT_MXCSR_CONTROL, lazult_default_words + LAZULT_FRAME_MXCSR(%rip)
        fnstcw  lazult_default_words + LAZULT_FRAME_FPUCW(%rip)
        ret
END lazult_adopt_control_words

        .data
        .hidden lazult_compares_words
        .globl  lazult_compares_words
        .type   lazult_compares_words, @object
        .size   lazult_compares_words, 1
lazult_compares_words:
        .byte   1

        /* Stands in this file because the linker drops an object of a static library that nothing
         * names. */
        .section .init_array, "aw", @init_array
        .p2align 3
        .quad   lazult_choose_how_words_are_loaded

        .data

        .p2align 3
        .hidden lazult_default_words
        .globl  lazult_default_words
        .type   lazult_default_words, @object
        .size   lazult_default_words, 8
lazult_default_words:
        .long   LAZULT_MXCSR_DEFAULT
        .long   LAZULT_FPUCW_DEFAULT

        .section .note.GNU-stack, "", @progbits
