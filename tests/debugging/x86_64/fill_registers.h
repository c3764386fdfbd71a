/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives every callee-saved register a value that no other place in the program gives it; and
 * says whether switches compare the control words, which switch.S asks at the program's start. */
#ifndef LAZULT_TEST_FILL_REGISTERS_H
#define LAZULT_TEST_FILL_REGISTERS_H

#include "lazult/arch/x86_64/control_words.hpp"

extern "C" void lazult_choose_how_words_are_loaded() noexcept {
    lazult::arch::lazult_compares_words = COMPARES_WORDS;
}

[[gnu::always_inline]] inline void fill_registers() {
    asm volatile(
        "leaq 1f(%%rip), %%rbx\n\tleaq 1f+1(%%rip), %%rbp\n\tleaq 1f+2(%%rip), %%r12\n\t"
        "leaq 1f+3(%%rip), %%r13\n\tleaq 1f+4(%%rip), %%r14\n\tleaq 1f+5(%%rip), %%r15\n1:" ::
            : "rbx", "rbp", "r12", "r13", "r14", "r15");
}

#endif
