// SPDX-License-Identifier: BSD-3-Clause
// What one suspended ULT waits for. The record is on the ULT's own stack; poller.hpp describes its
// life.
#pragma once

#include "adapt/call_place.hpp"

#include "lazult/sync/sync.hpp"

#include <cstdint>

namespace lazult::mpi {

enum class wait_kind : std::uint8_t {
    all,      // all requests are done
    any,      // at least one request is done
    message,  // a message has come that MPI_Probe would find
    moment,   // a delay is over: the ULT is resumed, and tests again
};

// The fields that a kind does not use are not set. The note is for debuggers and traces, and says
// which message is probed for.
struct alignas(base::cache_line) wait_record {
    sync::wait_note note;
    wait_record* next;  // in the inbox, then in the list of waits that were found over
    MPI_Comm comm;
    int count;  // of requests
    int at;     // index. all: the requests before it are done. any: the next look begins there
    MPI_Request* requests;
    wait_kind kind;
    std::int64_t due_ns;    // moment: when a poll resumes the ULT
    std::int64_t while_ns;  // moment: the delay that ends at due_ns

    // A request that the door has made in place of a call.
    static wait_record for_call(const call_place& where, MPI_Request* request) noexcept {
        return {where, wait_kind::all, request, 1};
    }
    template <call_name name>
    static wait_record for_all(MPI_Request* requests, int count) noexcept {
        return {place_of_requests<name>(count), wait_kind::all, requests, count};
    }
    template <call_name name>
    static wait_record for_any(MPI_Request* requests, int count) noexcept {
        return {place_of_requests<name>(count), wait_kind::any, requests, count};
    }
    template <call_name name>
    static wait_record for_message(int source, int tag, MPI_Comm comm) noexcept {
        return {call_place::of<name>(comm, message_from{source, tag}), wait_kind::message};
    }
    template <call_name name>
    static wait_record for_moment() noexcept {
        wait_record made(call_place::of<name>(MPI_COMM_NULL, no_message{}), wait_kind::moment);
        made.while_ns = 0;
        return made;
    }

    int source() const noexcept { return note.first; }
    int tag() const noexcept { return note.second; }

private:
    wait_record(const call_place& where, wait_kind until) noexcept : comm(where.comm), kind(until) {
        note.words = where.words;
        note.first = where.first;
        note.second = where.second;
    }
    wait_record(const call_place& where, wait_kind until, MPI_Request* some, int number) noexcept
        : wait_record(where, until) {
        count = number;
        requests = some;
    }
    template <call_name name>
    static call_place place_of_requests(int count) noexcept {
        return call_place::of<name>(MPI_COMM_NULL, some_requests{count});
    }
};

}  // namespace lazult::mpi
