// SPDX-License-Identifier: BSD-3-Clause
// Notices that another rank of the machine has ended without concert_finalize(): nobody would ever
// come to quiescence. Launchers mostly end such a job themselves; not all do, and not all say why.
#pragma once

#include <mpi.h>

#include <thread>
#include <vector>

namespace lazult::concert {

// A thread sleeps until one of the processes ends, which the system tells by a descriptor of each
// (Linux 5.3 and later; without that nothing is watched). It says which rank that was, and ends the
// job.
class rank_watch {
public:
    rank_watch() = default;
    ~rank_watch() { stop(); }
    rank_watch(const rank_watch&) = delete;
    rank_watch& operator=(const rank_watch&) = delete;

    // Collective, by the ranks that share a machine. `rank`: in the whole world.
    void start(MPI_Comm machine, unsigned rank);
    // No rank may end in good order before all have called it.
    void stop() noexcept;

private:
    struct watched {
        int descriptor;
        int process;
        unsigned rank;
    };

    void open(const std::vector<long>& all, std::size_t self);
    void watch() noexcept;
    [[noreturn]] void end_job(const watched& dead) noexcept;

    unsigned rank_ = 0;
    int stop_ = -1;  // an event
    std::vector<watched> others_;
    std::thread thread_;
};

}  // namespace lazult::concert
