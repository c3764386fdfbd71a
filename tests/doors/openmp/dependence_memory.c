// SPDX-License-Identifier: BSD-3-Clause
// What is kept of addresses in depend clauses goes with the region; and many readers of one address
// are no burden for the next one.
#include <malloc.h>
#include <omp.h>

#include "check.h"

enum { addresses = 1000, rounds = 200, readers = 100000 };

static char memory[addresses * rounds];

static void use(char* first) {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < addresses; ++i) {
#pragma omp task depend(inout : first[i])
        first[i] = 1;
    }
}

static void read_often(void) {
    int value = 1;
    long sum = 0;
#pragma omp parallel num_threads(1)
    {
        for (int i = 0; i < readers; ++i) {
#pragma omp task depend(in : value) shared(sum, value)
            sum += value;
        }
#pragma omp task depend(out : value) shared(sum, value)
        {
            CHECK(sum == readers);
            value = 2;
        }
#pragma omp taskwait
        CHECK(value == 2);
    }
}

int main(void) {
    use(memory);
    use(memory + addresses);
    const size_t before = mallinfo2().uordblks;
    for (int i = 2; i < rounds; ++i) {
        use(memory + i * addresses);
    }
    CHECK(mallinfo2().uordblks < before + (4 << 20));
    read_often();
    return 0;
}
