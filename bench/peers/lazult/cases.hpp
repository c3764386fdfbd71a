// SPDX-License-Identifier: BSD-3-Clause
// Lazult's cases, through the C++ door.
#pragma once

#include "../case.h"

#include <vector>

using case_list = std::vector<peers_case>;

case_list forking_cases();
case_list switching_cases();
case_list waiting_cases();
case_list loop_cases();
case_list graph_cases();

// In a unit: the first one of a case raises the flag, where that is asked for.
inline void begin_unit(bool first) {
    if (first && raises_inexact != 0) {
        bench_raise_inexact();
    }
}
