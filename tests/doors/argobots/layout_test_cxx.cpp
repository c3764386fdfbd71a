// SPDX-License-Identifier: BSD-3-Clause
// The same numbers as C++ sees them.
#define _Static_assert static_assert
#define _Alignof alignof
#include "layout_test.c"
