// SPDX-License-Identifier: BSD-3-Clause
// Worksharing constructs that a thread reaches while an earlier construct is still in their slot.
// The thread must not wait long for the slot: the threads that are in the earlier construct may be
// waiting for this thread by means of the program, or never leave, because their region was
// cancelled. So the new construct gets memory of its own, in a list of the team.
//
// A construct is either in its slot or in the list: one compare and exchange of work_share::left,
// under the list's lock, decides. The construct may move to the list while a thread has yet to
// leave the slot, and no longer when the slot is free.
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

// field       written by             read by    order
// next        under share_lock       the same   the lock's
// all others  as in work_share.hpp
struct extra_share {
    work_share share;
    std::uint64_t number = 0;
    extra_share* next = nullptr;
};

enum class entered_extra : std::uint8_t { none, as_first, as_later };

// Enters construct `number` in the list. Returns `none` if it is in its slot or will be, or if
// there is no memory for it.
entered_extra enter_extra(thread& t, std::uint64_t number) noexcept;
// Leaves the thread's construct, which is in the list.
void leave_extra(thread& t) noexcept;
// Frees the list. No thread may be in a construct of the team.
void free_extras(team& region) noexcept;

}  // namespace lazult::omp
