// SPDX-License-Identifier: BSD-3-Clause
// Constructs that a thread comes to while another construct is still in their slot. The threads
// that it would wait for may wait for it, in a way of the program's own. Or they may never come,
// because their region was cancelled. So it does not wait for long: the construct gets memory of
// its own, in a list of the team's.
//
// One compare and exchange of the slot's departures, under the lock of the list, decides in which
// of the two the construct is. The construct may get memory of its own as long as a thread is still
// to leave the slot, and not any more when the slot is free.
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

// none: the construct is in its slot, or will be, or there is no memory for it elsewhere.
entered_extra enter_extra(thread& t, std::uint64_t number) noexcept;
// Of the thread's construct, which is one of these.
void leave_extra(thread& t) noexcept;
// With nobody in a construct of the team.
void free_extras(team& region) noexcept;

}  // namespace lazult::omp
