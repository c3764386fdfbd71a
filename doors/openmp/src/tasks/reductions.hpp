// SPDX-License-Identifier: BSD-3-Clause
// Task reductions. The program describes its variables in arrays of words, which it links:
//
//   0 number of variables   1 bytes for each thread   2 alignment, and then the memory   4 the next
//                                                                                        array, or
//                                                                                        0
//   6 end of the memory     7.. for each variable: its address, its offset in a thread's bytes, and
//                           a word of ours
#pragma once

#include "model/team.hpp"

namespace lazult::omp {

enum reduction_word : std::size_t {
    count_word = 0,
    bytes_word = 1,
    memory_word = 2,
    next_word = 4,
    end_word = 6,
    first_variable = 7
};
// What an address stands for: a variable, or a copy of one.
struct found_variable {
    const std::uintptr_t* array = nullptr;
    const std::uintptr_t* variable = nullptr;  // nullptr: it lies within one
    std::uintptr_t offset = 0;                 // in a thread's bytes
};

// Of the groups from this one outwards.
found_variable find_reduction(const taskgroup* group, std::uintptr_t address);

// Memory for so many threads, all zeros.
void register_reductions(std::uintptr_t* arrays, std::uint32_t threads);
// The memory that another thread registered for the same construct.
void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* registered) noexcept;
void free_reductions(std::uintptr_t* arrays) noexcept;
// Of a region that was cancelled: others may still use them, or will not come here.
void abandon_reductions(team& all, const std::uintptr_t* arrays);

// By a thread in a worksharing construct with task reductions, between enter_share() and
// publish_share(), or after it.
void enter_share_reductions(thread& t, std::uintptr_t* arrays, bool is_first);

}  // namespace lazult::omp
