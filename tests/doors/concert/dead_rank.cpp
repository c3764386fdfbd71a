// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 ends, as the argument says, while the others wait for it in a quiesce, look for messages
// again and again, or do neither: dead_rank.py expects that they end, and say why.
#include "harness.hpp"

#include <csignal>
#include <cstring>
#include <thread>

#include <unistd.h>

using namespace lazult;

int main(int argc, char** argv) {
    concert::session world;
    bool has_come = false;
    const concert::handler<> come("come", [&](int) { has_come = true; });
    world.quiesce();
    if (world.rank() == 1) {
        if (argc > 1 && std::strcmp(argv[1], "killed") == 0) {
            std::raise(SIGKILL);
        }
        ::_exit(0);
    }
    if (world.rank() == 0) {
        world.quiesce();
    } else if (world.rank() == 2) {
        while (!has_come) {
            concert::extract();
        }
    } else {
        std::this_thread::sleep_for(std::chrono::minutes(1));
    }
    std::printf("rank %d came through\n", world.rank());
    return 0;
}
