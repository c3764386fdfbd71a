// SPDX-License-Identifier: BSD-3-Clause
// Helper threads: OS threads that make MPI calls for ULTs if the calls have no nonblocking form.
// Each call that is under way has a thread of its own, because a call may depend on a later call on
// another communicator. The threads stay until MPI_Finalize.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "lazult/core/core.hpp"

namespace lazult::mpi {

// An MPI call that helpers make.
struct helped_call {
    void (*make)(void* closure);
    const char* name;
};

class helper_crew {
public:
    // Called by a ULT that may suspend. Suspends the ULT while a helper makes the call. Returns
    // false, without effect, if there is no helper and none can be started. Keeps the reference.
    bool run(const helped_call& call, void* closure);
    // Waits for the calls that are under way, and ends the threads.
    void stop() noexcept;

private:
    struct job {
        const helped_call* call;
        void* closure;
        core::work_unit* unit;
        job* next;
    };

    bool book() noexcept;
    static void publish(void* submitted) noexcept;
    static const core::told_suspension told;
    void submit(job& submitted) noexcept;
    void work() noexcept;
    job* take(std::unique_lock<std::mutex>& hold);

    std::mutex lock_;
    std::condition_variable changed_;
    std::vector<std::thread> threads_;
    job* first_ = nullptr;
    job** end_ = &first_;
    std::size_t booked_ = 0;  // calls that have booked a thread and have not returned
    bool stopping_ = false;
};

helper_crew& helpers() noexcept;

}  // namespace lazult::mpi
