/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdio.h>

int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += 14;
    printf("%d\n", sum);
    return omp_get_max_threads() < 1;
}
