/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked, and not started: ranks are tested elsewhere. */
#include <lazult_concert.h>
#include <stdio.h>

int main(void) {
    printf("%p\n", (void*)concert_quiesce);
    return 0;
}
