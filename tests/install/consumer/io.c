/* SPDX-License-Identifier: BSD-3-Clause */
#include <lazult/io.h>
#include <stdio.h>

int main(void) {
    int ends[2];
    char answer[2];
    if (lazult_io_pipe(ends, 0) != 0 || lazult_io_write(ends[1], "42", 2, NULL) != 2 ||
        lazult_io_read(ends[0], answer, 2, NULL) != 2) {
        return 1;
    }
    printf("%.2s\n", answer);
    return 0;
}
