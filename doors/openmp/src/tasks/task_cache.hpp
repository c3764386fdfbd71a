// SPDX-License-Identifier: BSD-3-Clause
// Memory of task records: each OpenMP thread carves its own, and gets it back from whoever ends the task.
#pragma once

#include "tasks/task.hpp"

namespace lazult::omp {

// field    who writes                who reads  order
// free_    its flows, by turns       the same   none needed
// remote_  anybody else              the owner  see ds/mpsc_queue.hpp
struct task_cache {
    // nullptr when memory is exhausted.
    task* allocate(std::size_t argument_bytes) noexcept {
        task* t = free_;
        if (t != nullptr && argument_bytes <= inline_bytes) LAZULT_LIKELY {
            free_ = t->next;
            return t;
        }
        return allocate_slowly(argument_bytes);
    }
    static void release(task* t, task_cache* mine) noexcept {
        task_cache* const owner = t->owner;
        if (t->capacity > inline_bytes) LAZULT_UNLIKELY {
            free_large(t);
        } else if (owner == mine) LAZULT_LIKELY {
            t->next = mine->free_;
            mine->free_ = t;
        } else {
            owner->remote_.push(t);
        }
    }

private:
    static constexpr std::size_t inline_bytes = 128;
    static constexpr std::size_t records_per_slab = 128;
    task* allocate_slowly(std::size_t argument_bytes) noexcept;
    static void free_large(task* t) noexcept;
    bool carve() noexcept;

    task* free_ = nullptr;
    ds::mpsc_queue<task, &task::next> remote_;
};

}  // namespace lazult::omp
