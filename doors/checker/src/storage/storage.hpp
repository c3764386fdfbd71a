// SPDX-License-Identifier: BSD-3-Clause
// The thread-local storage of the OS threads on which ULTs have run: where it is, and what is in
// it.
#pragma once

#include <string>
#include <vector>

#include "storage/page_map.hpp"

namespace lazult::checker {

// The variables of one file, as one OS thread has them.
struct block {
    std::uintptr_t begin;
    std::uintptr_t end;
    std::uintptr_t file_base;  // where the file is loaded
    std::string file;          // its path; empty: the program
};

// An OS thread on which ULTs have run. Records are never freed, so histories may refer to threads
// that have ended.
//
// field          written by                      read by                       order
// blocks         the thread itself, under the    the thread itself; others     the lock's
//                lock                            under the lock
// the others     the thread itself, before the   anybody                       the lock's
//                record is listed
struct os_thread {
    int system_number = 0;
    int rank = -1;  // of the stream that it was then
    std::vector<block> blocks;
};

// Pages that may hold storage of any OS thread in the list.
extern page_map storage_pages;

// The calling OS thread's record; nullptr before enter_this_thread(), and when the thread ends.
os_thread* this_os_thread() noexcept;
// Lists the calling OS thread and its blocks. Returns nullptr when memory is exhausted, or when the
// thread is about to end.
os_thread* enter_this_thread() noexcept;
// Lists blocks that the calling thread has got since: those of libraries loaded by dlopen().
void look_for_new_blocks() noexcept;
bool is_in_own_storage(std::uintptr_t address) noexcept;

// What lies at an address in another OS thread's storage.
struct finding {
    const os_thread* owner = nullptr;
    block where{};
    std::uintptr_t offset = 0;  // in the block
};
// Returns a finding without an owner if no listed thread but the caller has this address.
finding find_owner(std::uintptr_t address) noexcept;

}  // namespace lazult::checker
