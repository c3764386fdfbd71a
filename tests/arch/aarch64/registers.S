/* SPDX-License-Identifier: BSD-3-Clause */
/* void lazult_test_hold_registers(const uint64_t* in, uint64_t* out, void (*function)(void*),
 * void* argument) Calls function(argument) with in[0..17] in x19-x28 and d8-d15, and stores what
 * they hold afterwards. */

        .text
        .globl  lazult_test_hold_registers
        .type   lazult_test_hold_registers, %function
lazult_test_hold_registers:
        .cfi_startproc
        stp     x29, x30, [sp, #-176]!
        .cfi_def_cfa_offset 176
        .cfi_offset x29, -176
        .cfi_offset x30, -168
        stp     x19, x20, [sp, #16]
        stp     x21, x22, [sp, #32]
        stp     x23, x24, [sp, #48]
        stp     x25, x26, [sp, #64]
        stp     x27, x28, [sp, #80]
        .cfi_offset x19, -160
        .cfi_offset x20, -152
        .cfi_offset x21, -144
        .cfi_offset x22, -136
        .cfi_offset x23, -128
        .cfi_offset x24, -120
        .cfi_offset x25, -112
        .cfi_offset x26, -104
        .cfi_offset x27, -96
        .cfi_offset x28, -88
        stp     d8, d9, [sp, #96]
        stp     d10, d11, [sp, #112]
        stp     d12, d13, [sp, #128]
        stp     d14, d15, [sp, #144]
        str     x1, [sp, #160]
        ldp     x19, x20, [x0]
        ldp     x21, x22, [x0, #16]
        ldp     x23, x24, [x0, #32]
        ldp     x25, x26, [x0, #48]
        ldp     x27, x28, [x0, #64]
        ldp     d8, d9, [x0, #80]
        ldp     d10, d11, [x0, #96]
        ldp     d12, d13, [x0, #112]
        ldp     d14, d15, [x0, #128]
        mov     x0, x3
        blr     x2
        ldr     x1, [sp, #160]
        stp     x19, x20, [x1]
        stp     x21, x22, [x1, #16]
        stp     x23, x24, [x1, #32]
        stp     x25, x26, [x1, #48]
        stp     x27, x28, [x1, #64]
        stp     d8, d9, [x1, #80]
        stp     d10, d11, [x1, #96]
        stp     d12, d13, [x1, #112]
        stp     d14, d15, [x1, #128]
        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldp     x29, x30, [sp], #176
        .cfi_def_cfa_offset 0
        .cfi_restore x29
        .cfi_restore x30
        ret
        .cfi_endproc
        .size   lazult_test_hold_registers, . - lazult_test_hold_registers

        .section .rodata
        .globl  lazult_test_register_count
        .type   lazult_test_register_count, %object
        .p2align 2
lazult_test_register_count:
        .long   18
        .size   lazult_test_register_count, 4

/* uint64_t lazult_test_control_words(): FPCR
 * void lazult_test_set_control_words(uint64_t) */
        .text
        .globl  lazult_test_control_words
        .type   lazult_test_control_words, %function
lazult_test_control_words:
        mrs     x0, fpcr
        ret
        .size   lazult_test_control_words, . - lazult_test_control_words

        .globl  lazult_test_set_control_words
        .type   lazult_test_set_control_words, %function
lazult_test_set_control_words:
        msr     fpcr, x0
        ret
        .size   lazult_test_set_control_words, . - lazult_test_set_control_words

/* Rounding up, down and to zero; flushed denormals; these with default NaNs and the alternative
 * half precision. */
        .section .rodata
        .globl  lazult_test_words
        .type   lazult_test_words, %object
        .p2align 3
lazult_test_words:
        .xword  0x00400000, 0x00800000, 0x00c00000, 0x01000000, 0x07c00000
        .size   lazult_test_words, . - lazult_test_words
        .globl  lazult_test_word_count
        .type   lazult_test_word_count, %object
        .p2align 2
lazult_test_word_count:
        .word   5
        .size   lazult_test_word_count, 4

        .section .note.GNU-stack, "", %progbits
