// SPDX-License-Identifier: BSD-3-Clause
// What a unit waits for, in words, where no object of this floor stands for it. A door keeps a note
// on the stack of the unit that waits; debuggers find it there.
#pragma once

#include <string>

#include "lazult/sync/record_block.hpp"

namespace lazult::sync {

// `what`, and then `form`, in which the first % stands for the first number of the note, and the
// next % for the second one. A negative number is "any". Constants.
struct wait_words {
    const char* what;
    const char* form;
};

// The wait goes on while `self` is the note's own address.
struct wait_note {
    const wait_note* self;
    core::work_unit* unit;
    const wait_words* words;
    int first;
    int second;
};

std::string words_of_note(const wait_words& words, int first, int second);

}  // namespace lazult::sync
