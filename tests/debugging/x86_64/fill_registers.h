/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives every callee-saved register a value that no other place in the program gives it. */
#ifndef LAZULT_TEST_FILL_REGISTERS_H
#define LAZULT_TEST_FILL_REGISTERS_H

[[gnu::always_inline]] inline void fill_registers() {
    asm volatile(
        "leaq 1f(%%rip), %%rbx\n\tleaq 1f+1(%%rip), %%rbp\n\tleaq 1f+2(%%rip), %%r12\n\t"
        "leaq 1f+3(%%rip), %%r13\n\tleaq 1f+4(%%rip), %%r14\n\tleaq 1f+5(%%rip), %%r15\n1:" ::
            : "rbx", "rbp", "r12", "r13", "r14", "r15");
}

#endif
