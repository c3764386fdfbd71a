// SPDX-License-Identifier: BSD-3-Clause
// Nobody extracts: streams that idle send what waits for others, drive MPI and run handlers, and
// the program sees what came.
#include "harness.hpp"

#include <lazult/lazult.hpp>

using namespace lazult;
using namespace lazult::testing;

int main() {
    runtime streams({.streams = 2});
    concert::session world;
    concert::queue* current = nullptr;
    eventual<int>* came = nullptr;
    const concert::handler<int> answer("answer", [&](int, int value) { came->set(value); });
    const concert::handler<int> ask(
        "ask", [&](int source, int value) { answer.send(*current, source, value + 1); });
    with_each_queue(
        [&](concert::queue& queue, const configuration&) {
            current = &queue;
            world.quiesce();
            for (int round = 0; round < 10; ++round) {
                eventual<int> reply;
                came = &reply;
                ask.send(queue, (world.rank() + 1) % world.size(), round);
                CHECK(reply.wait() == round + 1);
            }
            world.quiesce();
        },
        [](concert_options& options) { options.extract_when_idle = 1; });
    passed("idle_streams");
    return 0;
}
