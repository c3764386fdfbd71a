/* SPDX-License-Identifier: BSD-3-Clause */
/* Gives every callee-saved register but the frame pointer a value that no other place in the
 * program gives it. */
#ifndef LAZULT_TEST_FILL_REGISTERS_H
#define LAZULT_TEST_FILL_REGISTERS_H

[[gnu::always_inline]] inline void fill_registers() {
    asm volatile(
        "adr x19, .\n\tadr x20, .\n\tadr x21, .\n\tadr x22, .\n\tadr x23, .\n\tadr x24, .\n\tadr "
        "x25, .\n\tadr x26, .\n\tadr x27, .\n\tadr x28, .\n\tfmov d8, x19\n\tfmov d9, x20\n\tfmov "
        "d10, x21\n\tfmov d11, x22\n\tfmov d12, x23\n\tfmov d13, x24\n\tfmov d14, x25\n\tfmov d15, "
        "x26" ::
            : "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "d8", "d9",
              "d10", "d11", "d12", "d13", "d14", "d15");
}

#endif
