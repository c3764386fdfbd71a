// SPDX-License-Identifier: BSD-3-Clause
// What one suspended ULT waits for. The record is on the ULT's own stack; poller.hpp describes its
// life.
#pragma once

#include "lazult/core/core.hpp"
#include "library/mpi_api.hpp"

#include <cstdint>

namespace lazult::mpi {

enum class wait_kind : std::uint8_t {
    all,      // all requests are done
    any,      // at least one request is done
    message,  // a message has come that MPI_Probe would find
    moment,   // a delay is over: the ULT is resumed, and tests again
};

struct alignas(base::cache_line) wait_record {
    wait_record* next = nullptr;  // in the inbox, then in the list of waits that were found over
    core::work_unit* unit = nullptr;
    wait_kind kind = wait_kind::moment;
    int count = 0;
    int at = 0;  // index. all: the requests before it are done. any: the next look begins there
    MPI_Request* requests = nullptr;
    int source = 0;
    int tag = 0;
    std::int64_t due_ns = 0;    // moment: when a poll resumes the ULT
    std::int64_t while_ns = 0;  // moment: the delay that ends at due_ns
    MPI_Comm comm = MPI_COMM_NULL;

    static wait_record for_all(MPI_Request* requests, int count) noexcept {
        return {.kind = wait_kind::all, .count = count, .requests = requests};
    }
    static wait_record for_any(MPI_Request* requests, int count) noexcept {
        return {.kind = wait_kind::any, .count = count, .requests = requests};
    }
    static wait_record for_message(int source, int tag, MPI_Comm comm) noexcept {
        return {.kind = wait_kind::message, .source = source, .tag = tag, .comm = comm};
    }
    static wait_record for_moment() noexcept { return {}; }
};

}  // namespace lazult::mpi
