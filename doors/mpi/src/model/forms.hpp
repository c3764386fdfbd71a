// SPDX-License-Identifier: BSD-3-Clause
// The form of a blocking collective call: MPI's blocking function, or the nonblocking one and a
// wait. MPI does not match the two forms. So all ranks of a communicator take the same form for
// each call, whether a ULT or a plain thread calls on a rank.
//
// A communicator begins with the blocking form: a plain thread makes the call itself, at MPI's own
// speed; a ULT has a helper make it. Before calls number 1, 2, 4, ... 128, and before each 256th
// after that, the ranks agree, by a reduction, whether a ULT has made a call on any rank. The
// caller of the call that is due counts. If a ULT has, the call that is due and all later ones are
// nonblocking. So the form of a call follows from its number and from what was agreed. Both are the
// same on all ranks, because MPI has all ranks make the same calls in the same order.
//
// Calls on intercommunicators are always nonblocking. On a communicator of one rank either form
// does, because no rank waits for another.
//
// MPI makes it the program's duty to order the calls on one communicator. So one call at a time
// uses a record, and happens before the next call. The fields are atomics because a thread that
// calls on another communicator may look at the record.
//
// field         | written by        | read by    | order
// comm_         | claim, give_up    | record_of  | release / acquire: the other fields are set
// other fields  | the caller        | the caller | relaxed: the program orders its calls
#pragma once

#include "lazult/ds/ds.hpp"
#include "library/mpi_api.hpp"

#include <cstdint>

namespace lazult::mpi {

class call_record {
public:
    // Returns true if the next call takes the blocking form. `is_unit` says whether the caller is a
    // ULT. The caller makes the call next, and then note() if true was returned. *code is set to
    // MPI's error if the ranks could not agree.
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
    // Counts a blocking call, of which `code` is the result. A call whose arguments MPI refused
    // does not count, because the other ranks do not make that call.
    void note(int code) noexcept {
        if (code == MPI_SUCCESS || was_made(code)) LAZULT_LIKELY {
            made_.store(made_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
    }
    // Returns true if the communicator has one rank.
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

// Returns the record of a communicator, or nullptr if no call on it takes the blocking form.
call_record* record_of(MPI_Comm comm) noexcept;

// Make and free the key of the attribute that holds records: when the door opens, and closes.
void open_records() noexcept;
void close_records() noexcept;

}  // namespace lazult::mpi
