/* SPDX-License-Identifier: BSD-3-Clause */
/* void lazult_test_hold_registers(const uint64_t* in, uint64_t* out, void (*function)(void*),
 * void* argument) Calls function(argument) with in[0..5] in the callee-saved registers, and
 * stores what they hold afterwards. */

        .text
        .globl  lazult_test_hold_registers
        .type   lazult_test_hold_registers, @function
lazult_test_hold_registers:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        pushq   %rsi
        .cfi_adjust_cfa_offset 8
        movq    (%rdi), %rbx
        movq    8(%rdi), %rbp
        movq    16(%rdi), %r12
        movq    24(%rdi), %r13
        movq    32(%rdi), %r14
        movq    40(%rdi), %r15
        movq    %rcx, %rdi
        callq   *%rdx
        popq    %rsi
        .cfi_adjust_cfa_offset -8
        movq    %rbx, (%rsi)
        movq    %rbp, 8(%rsi)
        movq    %r12, 16(%rsi)
        movq    %r13, 24(%rsi)
        movq    %r14, 32(%rsi)
        movq    %r15, 40(%rsi)
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        ret
        .cfi_endproc
        .size   lazult_test_hold_registers, . - lazult_test_hold_registers

        .section .rodata
        .globl  lazult_test_register_count
        .type   lazult_test_register_count, @object
        .p2align 2
lazult_test_register_count:
        .long   6
        .size   lazult_test_register_count, 4

/* uint64_t lazult_test_control_words(): MXCSR's control bits, and the x87 control word in the
 * upper half void lazult_test_set_control_words(uint64_t) */
        .text
        .globl  lazult_test_control_words
        .type   lazult_test_control_words, @function
lazult_test_control_words:
        .cfi_startproc
        movq    $0, -8(%rsp)
        stmxcsr -8(%rsp)
        fnstcw  -4(%rsp)
        movq    -8(%rsp), %rax
        andq    $~0x3f, %rax
        ret
        .cfi_endproc
        .size   lazult_test_control_words, . - lazult_test_control_words

        .globl  lazult_test_set_control_words
        .type   lazult_test_set_control_words, @function
lazult_test_set_control_words:
        .cfi_startproc
        movq    %rdi, -8(%rsp)
        ldmxcsr -8(%rsp)
        fldcw   -4(%rsp)
        ret
        .cfi_endproc
        .size   lazult_test_set_control_words, . - lazult_test_set_control_words

/* Rounding down and up; to zero with denormals flushed and single precision; traps; denormals
 * and double precision. MXCSR alone: denormals are flushed, or taken for zero. The x87 word
 * alone: double precision. */
        .section .rodata
        .globl  lazult_test_words
        .type   lazult_test_words, @object
        .p2align 3
lazult_test_words:
        .long   0x3f80, 0x077f
        .long   0x5f80, 0x0b7f
        .long   0xffc0, 0x0c7f
        .long   0x1900, 0x0372
        .long   0x9fc0, 0x027f
        .long   0x9f80, 0x037f
        .long   0x1fc0, 0x037f
        .long   0x1f80, 0x027f
        .size   lazult_test_words, . - lazult_test_words
        .globl  lazult_test_word_count
        .type   lazult_test_word_count, @object
        .p2align 2
lazult_test_word_count:
        .long   8
        .size   lazult_test_word_count, 4

        .section .note.GNU-stack, "", @progbits
