// SPDX-License-Identifier: BSD-3-Clause
// One rank dies while the others send to it and wait for it: ends_badly.py expects the job to end.
#include "harness.hpp"

#include <csignal>

using namespace lazult;

int main() {
    concert::session world;
    const concert::handler<int> nothing("nothing", [](int, int) {});
    for (int i = 0; i < 1000; ++i) {
        nothing.send((world.rank() + 1) % world.size(), i);
        if (world.rank() == 1 && i == 500) {
            std::raise(SIGKILL);
        }
    }
    world.quiesce();
    std::printf("rank %d came through\n", world.rank());
    return 0;
}
