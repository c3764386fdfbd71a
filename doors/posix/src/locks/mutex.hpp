// SPDX-License-Identifier: BSD-3-Clause
// Mutexes of the C library, as ULTs lock them. The C library notes the OS thread that holds a
// recursive or error-checking mutex, but a ULT may move, and shares its thread with others. So for
// a mutex that a ULT holds, the owner is no thread's number, and the ULT is noted where the C
// library keeps what only robust mutexes need.
//
// Robust mutexes and those with priority protocols belong to OS threads in the kernel's own books,
// and recursive ones that processes share belong to threads of any of these. They block the thread.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "lazult/sync/sync.hpp"

namespace lazult::posix {

// Whether a ULT may hold it.
bool suits_units(const pthread_mutex_t& m) noexcept;

// For a ULT. Return 0, or what pthread_mutex_lock() and the others return.
int try_lock_as(core::work_unit& self, pthread_mutex_t* m) noexcept;
int lock_as(core::work_unit& self, pthread_mutex_t* m, std::int64_t deadline_ns);

// For any caller; `self` is null in an OS thread, and for a mutex that does not suit ULTs.
int unlock_as(core::work_unit* self, pthread_mutex_t* m) noexcept;

// As the C library does it.
int lock_as_thread(pthread_mutex_t* m) noexcept;
int unlock_as_thread(pthread_mutex_t* m) noexcept;

}  // namespace lazult::posix
