// SPDX-License-Identifier: BSD-3-Clause
// OS threads that make those MPI calls for ULTs that have no nonblocking form. There is one for
// each call that is under way: a call that blocks may depend on one that came later, on another
// communicator. They stay until MPI_Finalize.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "lazult/core/core.hpp"

namespace lazult::mpi {

class helper_crew {
public:
    // By a ULT that may suspend: a helper calls call(closure), while the ULT is suspended. False,
    // and nothing done, when there is no helper and can be none.
    bool run(void (*call)(void*), void* closure);
    // Waits for calls under way.
    void stop() noexcept;

private:
    struct job {
        void (*call)(void*);
        void* closure;
        core::work_unit* unit;
        helper_crew* crew;
        job* next;
    };

    bool book() noexcept;
    static void publish(void* submitted) noexcept;
    void submit(job& submitted) noexcept;
    void work() noexcept;
    job* take(std::unique_lock<std::mutex>& hold);

    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<std::thread> threads_;
    job* first_ = nullptr;
    job** end_ = &first_;
    std::size_t booked_ = 0;  // calls that are under way or will be: each has its thread
    bool stopping_ = false;
};

helper_crew& helpers() noexcept;

}  // namespace lazult::mpi
