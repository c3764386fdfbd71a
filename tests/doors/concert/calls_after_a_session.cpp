// SPDX-License-Identifier: BSD-3-Clause
// A session ends, by an exception of a handler, too: then a call of another rank's method fails
// with an error.
#include "harness.hpp"

#include <lazult_concert_objects.hpp>

#include <mpi.h>

#include <cstring>
#include <stdexcept>

using namespace lazult;
using namespace lazult::testing;

namespace {

long twice(long n) { return 2 * n; }

void call_is_refused(int there) {
    try {
        concert::run(concert::on(there), twice, 1L);
    } catch (const lazult::error& e) {
        CHECK(e.code() == errc::not_supported);
        CHECK(std::strstr(e.what(), "there is no session") != nullptr);
        return;
    }
    CHECK(false);
}

// The last messages are taken by concert_finalize().
bool end_throws(int there, int handler) {
    CHECK(concert_send(there, handler, nullptr, 0) == CONCERT_OK);
    try {
        CHECK(concert_finalize() == CONCERT_OK);
    } catch (const std::runtime_error&) {
        return true;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    for (const bool throws : {false, true}) {
        CHECK(concert_init() == CONCERT_OK);
        const int there = (concert_rank() + 1) % concert_size();
        CHECK(concert::run(concert::on(there), twice, 21L) == 42);
        // The collective call below serves no calls of ranks that come later.
        CHECK(concert_quiesce() == CONCERT_OK);
        int handler = -1;
        const concert_handler run = throws
                                        ? concert_handler([](int, const void*, std::size_t, void*) {
                                              throw std::runtime_error("on purpose");
                                          })
                                        : [](int, const void*, std::size_t, void*) {};
        CHECK(concert_register("may throw", run, nullptr, &handler) == CONCERT_OK);
        CHECK(end_throws(there, handler) == throws);
        call_is_refused(there);
    }
    MPI_Finalize();
    return 0;
}
