// SPDX-License-Identifier: BSD-3-Clause
// A program's own allocator, with a list of free blocks for each OS thread, as many libraries of
// headers have. It is inlined, holds no lock and calls nothing, so no deferral knows of it.
#include <array>

#include "tests/preemption/example.hpp"

namespace {

struct block {
    block* next = nullptr;
    volatile int owner = -1;
};

thread_local block* free_blocks = nullptr;
std::array<block, 64> memory;

void put(block* freed) {
    freed->next = free_blocks;
    free_blocks = freed;
}
block* take() {
    block* const taken = free_blocks;
    if (taken != nullptr) {
        free_blocks = taken->next;
    }
    return taken;
}

void allocate(int unit) {
    for (int i = 0; i < 20'000'000; ++i) {
        block* const mine = take();
        if (mine == nullptr) {
            preemption::fail("blocks are lost\n");
        }
        mine->owner = unit;
        if (mine->owner != unit) {
            preemption::fail("one block belongs to two ULTs\n");
        }
        put(mine);
        if (i % 10'000 == 0) {
            preemption::tick();
        }
    }
}

// The list belongs to the stream's OS thread, so the first ULT fills it.
void program() {
    preemption::run_units(4, [](int unit) {
        if (unit == 0) {
            for (block& each : memory) {
                put(&each);
            }
        }
        allocate(unit);
    });
}

}  // namespace

int main() {
    return preemption::show({"in the program's allocator", preemption::deferral::locks, program});
}
