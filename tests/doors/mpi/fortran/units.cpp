// SPDX-License-Identifier: BSD-3-Clause
// ULTs for the Fortran programs.
#include <lazult/lazult.hpp>

// Calls body(1) to body(*n), each in a ULT of its own, and waits for them.
extern "C" void in_units(void (*body)(int*), const int* n) {
    const lazult::runtime running;
    lazult::task_group all;
    for (int i = 1; i <= *n; ++i) {
        all.run([body, i] {
            int mine = i;
            body(&mine);
        });
    }
    all.wait();
}
