// SPDX-License-Identifier: BSD-3-Clause
// Task reductions. The program describes its variables in arrays of words, which it links:
//
//   0 number of variables   1 bytes for each thread   2 alignment, and then the memory   4 the next
//                                                                                        array, or
//                                                                                        0
//   6 end of the memory     7.. for each variable: its address, its offset in a thread's bytes, and
//                           a word of ours
#pragma once

#include "teams/team.hpp"

namespace lazult::omp {

// Memory for so many threads, all zeros.
void register_reductions(std::uintptr_t* arrays, std::uint32_t threads);
// The memory that another thread registered for the same construct.
void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* registered) noexcept;
void free_reductions(std::uintptr_t* arrays) noexcept;

// By a thread in a worksharing construct with task reductions, between enter_share() and
// publish_share(), or after it.
void enter_share_reductions(thread& t, std::uintptr_t* arrays, bool is_first);

}  // namespace lazult::omp
