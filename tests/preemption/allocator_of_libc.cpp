// SPDX-License-Identifier: BSD-3-Clause
// malloc() keeps small blocks in a cache of the OS thread, without a lock. A ULT that is preempted
// there leaves the cache half changed to the next ULT of its stream.
#include <cstdlib>

#include "tests/preemption/example.hpp"

namespace {

void allocate(int unit) {
    constexpr int most = 8;
    for (int i = 0; i < 300'000; ++i) {
        int* blocks[most];
        for (auto& block : blocks) {
            block = static_cast<int*>(std::malloc(40));
            *const_cast<volatile int*>(block) = unit;
        }
        for (auto& block : blocks) {
            if (*const_cast<volatile int*>(block) != unit) {
                preemption::fail("malloc() gave one block to two ULTs\n");
            }
            std::free(block);
        }
        if (i % 1000 == 0) {
            preemption::tick();
        }
    }
}

void program() { preemption::run_units(4, allocate); }

}  // namespace

int main() { return preemption::show({"in malloc()", preemption::deferral::none, program}); }
