// SPDX-License-Identifier: BSD-3-Clause
// A handler goes while messages for it are under way: an error says so, and nobody calls what is
// gone. ends_badly.py expects it.
#include "harness.hpp"

using namespace lazult;

int main() {
    concert::session world;
    {
        const concert::handler<int> gone("gone", [](int, int) { std::printf("came through\n"); });
        gone.send((world.rank() + 1) % world.size(), 1);
        concert::flush();
    }
    world.quiesce();
    std::printf("rank %d came through\n", world.rank());
    return 0;
}
