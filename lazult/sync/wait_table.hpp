// SPDX-License-Identifier: BSD-3-Clause
// Sizes, offsets and names by which a debugger finds out what a suspended unit waits for. tools/gdb
// finds the table by the name of its symbol. In the process, wait_description.cpp does the same
// search. Add new fields at the end, and raise the version.
#pragma once

#include <cstdint>

namespace lazult::sync {

struct wait_table {
    std::uint64_t version;
    // Records of waiters (waiter.hpp), on the waiting unit's stack: size, alignment, and offsets.
    std::uint64_t record_bytes;
    std::uint64_t record_alignment;
    std::uint64_t record_next;
    std::uint64_t record_prev;
    std::uint64_t record_unit;
    std::uint64_t record_kind;
    std::uint64_t record_object;
    // Mutexes (mutex.hpp): the offset of the owner.
    std::uint64_t mutex_owner;
    // Timers (timer_heap.hpp), on the same stack: size, alignment, offsets, and the value of
    // `state` in an armed timer.
    std::uint64_t timer_bytes;
    std::uint64_t timer_alignment;
    std::uint64_t timer_unit;
    std::uint64_t timer_state;
    std::uint64_t timer_armed;
    // By kind; nullptr where there is none. One of them is the end of a unit.
    const char* const* names;
    std::uint64_t name_count;
    std::uint64_t end_of_unit;
    // From version 3 on: a timer's deadline (CLOCK_MONOTONIC) and links.
    std::uint64_t timer_deadline;
    std::uint64_t timer_child;
    std::uint64_t timer_sibling;
    std::uint64_t timer_before;
    // Memory of further records (record_block.hpp): offsets, and the value of the mark.
    std::uint64_t block_mark;
    std::uint64_t block_unit;
    std::uint64_t block_begin;
    std::uint64_t block_bytes;
    const char* block_mark_value;
    // Notes of waits (wait_note.hpp), and their words.
    std::uint64_t note_self;
    std::uint64_t note_unit;
    std::uint64_t note_words;
    std::uint64_t note_first;
    std::uint64_t note_second;
    std::uint64_t words_what;
    std::uint64_t words_form;
};

}  // namespace lazult::sync

extern "C" {
extern const lazult::sync::wait_table lazult_wait_table [[gnu::visibility("default")]];
}
