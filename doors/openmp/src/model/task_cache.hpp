// SPDX-License-Identifier: BSD-3-Clause
// Caches of task records. A thread takes records from slabs of its own cache, and the thread that
// ends a task returns the record to that cache. Records with larger arguments are allocated one by
// one; the thread that ends such a task may keep the record in its own cache.
#pragma once

#include <bit>

#include "model/task.hpp"

namespace lazult::omp {

// field      written by                read by    order
// free_      its units, by turns       the same   none needed
// for_calls_ its units, by turns       the same   none needed
// large_     its units, by turns       the same   none needed
// kept_      its units, by turns       the same   none needed
// remote_    other threads             the owner  see ds/mpsc_queue.hpp
struct task_cache {
    static constexpr std::size_t inline_bytes = 128;
    static constexpr std::size_t largest_kept = 8192;  // bytes of arguments
    // of larger records, in each thread
    static constexpr std::size_t most_kept_bytes = std::size_t{256} << 10;

    // Returns nullptr if memory is exhausted.
    task* allocate(std::size_t argument_bytes) noexcept {
        task* t = free_;
        if (t != nullptr && argument_bytes <= inline_bytes) LAZULT_LIKELY {
            free_ = t->next;
            return t;
        }
        return allocate_slowly(argument_bytes);
    }
    // Returns a record to its cache. `mine` is the calling thread's cache, or nullptr.
    static void release(task* t, task_cache* mine) noexcept {
        task_cache* const owner = t->owner;
        if (t->capacity > inline_bytes) LAZULT_UNLIKELY {
            release_large(t, mine);
        } else if (owner == mine) LAZULT_LIKELY {
            t->next = mine->free_;
            mine->free_ = t;
        } else {
            owner->remote_.push(t);
        }
    }
    // Takes a free record, or returns nullptr if none is ready; allocate() may still find one.
    task* take_free() noexcept {
        task* const t = free_;
        if (t != nullptr) LAZULT_LIKELY {
            free_ = t->next;
        }
        return t;
    }
    // As take_free(), for a task that its creator calls. One record is kept apart for these,
    // because to use the list would cost as much as all else in a small task.
    task* take_for_call() noexcept {
        task* const t = for_calls_;
        if (t != nullptr) LAZULT_LIKELY {
            for_calls_ = nullptr;
            return t;
        }
        return take_free();
    }
    // Returns the record of a called task. Called by the thread that took the record.
    void return_after_call(task* t) noexcept {
        if (for_calls_ == nullptr) LAZULT_LIKELY {
            for_calls_ = t;
        } else {
            release(t, this);
        }
    }
    std::size_t kept_bytes() const noexcept { return kept_; }

private:
    static constexpr std::size_t records_per_slab = 128;
    static constexpr std::size_t least_large = 2 * inline_bytes;
    static constexpr int large_classes =
        static_cast<int>(std::bit_width(largest_kept / least_large));

    // Returns the size class for so many bytes. The sizes of the classes double.
    static int class_of(std::size_t argument_bytes) noexcept {
        return static_cast<int>(std::bit_width((argument_bytes - 1) / least_large));
    }
    static std::size_t bytes_of(const task& t) noexcept { return sizeof(task) + t.capacity; }
    task* allocate_slowly(std::size_t argument_bytes) noexcept;
    task* allocate_large(std::size_t argument_bytes) noexcept;
    static void release_large(task* t, task_cache* mine) noexcept;
    static void free_large(task* t) noexcept;
    bool evict_for(std::size_t bytes, int kept_class) noexcept;
    bool carve() noexcept;

    task* free_ = nullptr;
    task* for_calls_ = nullptr;
    ds::mpsc_queue<task, &task::next> remote_;
    task* large_[large_classes] = {};
    std::size_t kept_ = 0;
};

}  // namespace lazult::omp
