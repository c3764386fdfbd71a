// SPDX-License-Identifier: BSD-3-Clause
// Which form a blocking collective call takes: MPI's blocking one, or the nonblocking one and a
// wait. MPI does not match the two, so all ranks of a communicator take the same one for each call,
// whether a ULT or a plain thread calls on each rank.
//
// A communicator begins with the blocking form: a plain thread makes the call itself, at MPI's own
// speed; a ULT has a helper make it. Before its calls number 1, 2, 4, ... 128, and before each
// 256th, the ranks agree, by a sum over them, whether a ULT has made one of its calls anywhere; the
// caller of that very call counts. If so all calls from that one on are nonblocking. So the form of
// a call follows from its number and from what was agreed, and these are the same on all ranks, as
// MPI has them make the same calls in the same order.
//
// Intercommunicators are always nonblocking. On a communicator of one rank nobody waits for
// anybody, and any form does.
//
// MPI makes the order of calls on one communicator the program's duty. So one call at a time uses a
// record, and the thread of the next call is ordered after that of the last one. The words are
// atomics because a thread that calls on another communicator may look at a record.
//
// field         | written by        | read by    | order
// comm_         | claim, give_up    | record_of  | release / acquire: the rest is set
// the rest      | the caller        | the same   | relaxed: the program orders its calls
#pragma once

#include "lazult/ds/ds.hpp"
#include "library/mpi_api.hpp"

#include <cstdint>

namespace lazult::mpi {

class call_record {
public:
    // Whether the next call is of the blocking form; nothing may come between this and note(). An
    // error of MPI's in *code.
    bool is_next_blocking(bool is_unit, int* code) noexcept {
        if (kind_.load(std::memory_order_relaxed) == nonblocking) LAZULT_LIKELY {
            return false;
        }
        if (is_unit) {
            has_units_.store(true, std::memory_order_relaxed);
        }
        const std::uint64_t number = made_.load(std::memory_order_relaxed) + 1;
        if (number == agree_at_.load(std::memory_order_relaxed)) LAZULT_UNLIKELY {
            *code = agree(number, is_unit);
        }
        return kind_.load(std::memory_order_relaxed) != nonblocking;
    }
    // What came of a blocking one. An argument that MPI refuses is no call: other ranks do not make
    // one.
    void note(int code) noexcept {
        if (code == MPI_SUCCESS || was_made(code)) LAZULT_LIKELY {
            made_.store(made_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
    }
    // It has one rank.
    bool is_alone() const noexcept { return kind_.load(std::memory_order_relaxed) == alone; }

    bool is_of(MPI_Comm comm) const noexcept {
        return comm_.load(std::memory_order_acquire) == comm;  // pairs with: claim()
    }
    void claim(MPI_Comm comm, bool is_inter, int size) noexcept;
    void give_up() noexcept;

private:
    enum kind : std::uint8_t { blocking, nonblocking, alone };

    int agree(std::uint64_t number, bool is_unit) noexcept;
    static bool was_made(int code) noexcept;

    using atomics = ds::default_atomics;

    atomics::atomic<MPI_Comm> comm_{MPI_COMM_NULL};
    atomics::atomic<kind> kind_{nonblocking};
    atomics::atomic<bool> has_units_{false};
    atomics::atomic<std::uint64_t> made_{0};
    atomics::atomic<std::uint64_t> agree_at_{0};
};

// The record of a communicator on which calls may take the blocking form. nullptr: they never do.
call_record* record_of(MPI_Comm comm) noexcept;

// When the door opens, and when it closes.
void open_records() noexcept;
void close_records() noexcept;

}  // namespace lazult::mpi
