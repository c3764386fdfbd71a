// SPDX-License-Identifier: BSD-3-Clause
// A ring of io_uring for one thread, set up as cheaply as the kernel allows.
#pragma once

#include "bench/io/system.hpp"

#include <liburing.h>

namespace lazult::bench {

// Belongs to the thread that constructs it.
class ring {
public:
    explicit ring(unsigned entries) {
        constexpr unsigned cheapest =
            IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_COOP_TASKRUN;
        if (io_uring_queue_init(entries, &ring_, cheapest) == 0) {
            return;
        }
        const int error = io_uring_queue_init(entries, &ring_, 0);
        if (error < 0) {
            give_up("io_uring_queue_init", -error);
        }
    }
    ~ring() { io_uring_queue_exit(&ring_); }
    ring(const ring&) = delete;
    ring& operator=(const ring&) = delete;

    io_uring_sqe& next_entry() {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        while (entry == nullptr) {
            io_uring_submit(&ring_);
            entry = io_uring_get_sqe(&ring_);
        }
        return *entry;
    }

    // Submits what was prepared, waits for a completion, and calls handle(user data, result) for
    // each that is there.
    template <class Handle>
    void turn(Handle handle) {
        const int error = io_uring_submit_and_wait(&ring_, 1);
        if (error < 0 && error != -EINTR && error != -EBUSY) {
            give_up("io_uring_submit_and_wait", -error);
        }
        unsigned head = 0;
        unsigned count = 0;
        io_uring_cqe* done = nullptr;
        io_uring_for_each_cqe(&ring_, head, done) {
            handle(io_uring_cqe_get_data(done), done->res);
            ++count;
        }
        io_uring_cq_advance(&ring_, count);
    }

private:
    io_uring ring_{};
};

}  // namespace lazult::bench
