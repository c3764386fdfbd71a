// SPDX-License-Identifier: BSD-3-Clause
// An exception leaves the block of a handler: nothing is delivered from then on, and collective
// calls say so.
#include "harness.hpp"

#include <mpi.h>

#include <cstring>
#include <stdexcept>

using namespace lazult;
using namespace lazult::testing;

namespace {

void expect_stopped(int result) {
    CHECK(result == CONCERT_ERR_STATE);
    CHECK(std::strstr(concert_last_error(), "catch exceptions outside of the session") != nullptr);
}

void leave_a_block(int& calls) {
    const concert::handler<> counts("counts", [&](int) { ++calls; });
    counts.send(concert_rank());
    throw std::runtime_error("on its way out");
}

}  // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    CHECK(concert_init() == CONCERT_OK);
    concert_queue* queue = nullptr;
    const concert_options options = concert::default_options();
    CHECK(concert_queue_create(&options, &queue) == CONCERT_OK);
    int calls = 0;
    try {
        leave_a_block(calls);
        CHECK(false);
    } catch (const std::runtime_error&) {
    }
    CHECK(concert_flush() == CONCERT_OK);
    CHECK(concert_extract(1) == 0);
    CHECK(concert_queue_extract(queue, 1) == 0);
    expect_stopped(concert_quiesce());
    expect_stopped(concert_queue_free(queue));
    expect_stopped(concert_finalize());
    CHECK(calls == 0);
    passed("after_an_exception");
    std::fflush(stdout);
    MPI_Finalize();
    return 0;
}
