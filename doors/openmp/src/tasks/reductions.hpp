// SPDX-License-Identifier: BSD-3-Clause
// Task reductions. The program describes its variables in arrays of words, which it links.
//
//   0  number of variables                 4    address of the next array, or 0
//   1  bytes for each thread               6    end of the memory
//   2  alignment; later the memory's       7..  for each variable: its address, its offset in a
//      address                                  thread's bytes, and a word that is not used
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
// The variable that an address names, or of which a copy has the address.
struct found_variable {
    const std::uintptr_t* array = nullptr;
    const std::uintptr_t* variable = nullptr;  // nullptr: the address is within a copy
    std::uintptr_t offset = 0;                 // in a thread's bytes
};

// Looks in this group, and then in those around it.
found_variable find_reduction(const taskgroup* group, std::uintptr_t address);

// Allocates memory for the copies of so many threads, all zeros.
void register_reductions(std::uintptr_t* arrays, std::uint32_t threads);
// Makes `arrays` use the memory that another thread registered for the same construct.
void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* registered) noexcept;
void free_reductions(std::uintptr_t* arrays) noexcept;
// Leaves the memory to the team: in a cancelled region other threads may still use it, and perhaps
// never come here.
void abandon_reductions(team& all, const std::uintptr_t* arrays);

// Called by each thread in a worksharing construct with task reductions: by the first one before
// publish_share(), by the others after enter_share().
void enter_share_reductions(thread& t, std::uintptr_t* arrays, bool is_first);

}  // namespace lazult::omp
