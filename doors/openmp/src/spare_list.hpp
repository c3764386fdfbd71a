// SPDX-License-Identifier: BSD-3-Clause
// Lists of unused objects, to be used again: the last one first. The objects are never destroyed,
// because records of tasks and ready units may still point into their memory.
#pragma once

#include <mutex>

#include "door.hpp"

namespace lazult::omp {

// A list for one thread, or for use under a lock of its owner. `next` is the member of T that links
// the objects.
template <class T, T* T::* next>
class spare_stack {
public:
    T* pop() noexcept {
        T* const found = first_;
        if (found != nullptr) {
            first_ = found->*next;
        }
        return found;
    }
    void push(T* one) noexcept {
        one->*next = first_;
        first_ = one;
    }

private:
    T* first_ = nullptr;
};

// A list that all threads may use.
//
// field  written by  read by    order
// all    under lock  the same   the lock's
template <class T, T* T::* next>
class spare_list {
public:
    // Returns nullptr if the list is empty.
    T* take() noexcept {
        const std::lock_guard hold(lock_);
        return all_.pop();
    }
    void keep(T* one) noexcept {
        const std::lock_guard hold(lock_);
        all_.push(one);
    }

private:
    spin_lock lock_;
    spare_stack<T, next> all_;
};

}  // namespace lazult::omp
