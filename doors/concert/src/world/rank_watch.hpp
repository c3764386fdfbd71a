// SPDX-License-Identifier: BSD-3-Clause
// Ends the job if another rank of the machine has ended without concert_finalize(), because no rank
// would come to quiescence. Not all launchers end such a job, and not all say why.
#pragma once

#include <mpi.h>

#include <thread>
#include <vector>

namespace lazult::concert {

// A thread sleeps until one of the other processes ends, which a file descriptor of each process
// shows (pidfd, Linux 5.3 and later; without it nothing is watched). The thread prints which rank
// that was, and ends the job.
class rank_watch {
public:
    ~rank_watch() { stop(); }

    // Called by all ranks that share a machine, together. `rank` is the rank in the world.
    void start(MPI_Comm machine, unsigned rank);
    // Called by all ranks before one of them ends, or the others take its end for a failure.
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
    int stop_ = -1;  // an eventfd by which stop() wakes the thread
    std::vector<watched> others_;
    std::thread thread_;
};

}  // namespace lazult::concert
