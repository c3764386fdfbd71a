// SPDX-License-Identifier: BSD-3-Clause
// Tasks that a thread keeps without records: each is a function, its arguments and its creator.
//
// Other threads cannot start kept tasks. They are in an array, the newest last. A taskwait calls
// the kept children of the task that waits. When some 64 of the newest are children of one task,
// that task stops, and a unit made for this runs them, so that the task goes on if a child blocks.
// A kept task runs as an undeferred one does: on a spare record of the thread, and counted in its
// parent only. Barriers need no more, because the parent completes after its kept tasks, or these
// get records before.
//
// Kept tasks get records and go to the queue, where other units and other threads find them,
// - when the thread may run something else, because their creator waits or yields,
// - when their creator ends, or changes a control variable,
// - when a unit that runs some of them has blocked,
// - the oldest ones when the queue holds fewer tasks than the other threads may want.
//
// The units of one thread use the array by turns, so there is no lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "model/task.hpp"

namespace lazult::omp {

struct kept_call {
    static constexpr std::size_t max_bytes = 48;  // bytes of arguments
    static constexpr std::size_t alignment = 16;

    std::uintptr_t creator;  // address of its record; bit 0 is set if the task is untied
    region_function function;
    alignas(alignment) std::byte arguments[max_bytes];

    unsigned flags() const noexcept { return creator & task_untied; }
    task* parent() const noexcept { return reinterpret_cast<task*>(creator & ~std::uintptr_t{1}); }
    bool is_child_of(const task& of) const noexcept {
        return (creator ^ reinterpret_cast<std::uintptr_t>(&of)) <= 1;
    }
};

class kept_calls {
public:
    static constexpr std::size_t batch = 64;
    static constexpr std::size_t least_capacity = 64 * batch;
    static constexpr std::size_t most = 256 * least_capacity;

    kept_calls() = default;
    ~kept_calls() { std::free(memory_); }
    kept_calls(const kept_calls&) = delete;
    kept_calls& operator=(const kept_calls&) = delete;

    // Lets creators add tasks. Returns false if there is no memory.
    bool open() noexcept {
        if (memory_ == nullptr) {
            memory_ = allocate(capacity_ = least_capacity);
            if (memory_ == nullptr) {
                return false;
            }
            top_ = first_ = memory_ + 1;
        }
        limit_ = top_;
        return raise_limit();
    }
    void close() noexcept { limit_ = nullptr; }
    bool is_open() const noexcept { return limit_ != nullptr; }

    bool is_empty() const noexcept { return top_ == first_; }
    bool can_add() const noexcept { return top_ < limit_; }
    kept_call& add() noexcept { return *top_++; }
    // Returns whether the newest task is a child of `of`; false if there is none (see allocate()).
    bool has_child_of(const task& of) const noexcept { return top_[-1].is_child_of(of); }
    // Takes the newest task. The reference is valid until another task is added.
    kept_call& take() noexcept { return *--top_; }

    // Returns how many of the newest tasks are children of `of`, counted up to `batch`.
    std::size_t children_of(const task& of) const noexcept {
        std::size_t count = 0;
        while (count < batch && top_[-1 - static_cast<std::ptrdiff_t>(count)].is_child_of(of)) {
            ++count;
        }
        return count;
    }
    // Lets creators add `batch` more tasks. Returns false if there is no memory for these, which is
    // 64 MiB at most. Deep trees may need that much; their stacks need more.
    bool raise_limit() noexcept {
        if (top_ >= end() && !grow()) {
            return false;
        }
        limit_ = std::min(std::max(limit_, top_) + batch, end());
        return true;
    }
    // If no task is left, starts at the front of the memory again.
    void lower_limit() noexcept {
        if (is_empty() && is_open()) {
            begin_anew();
            limit_ = first_ + batch;
        }
    }
    std::size_t size() const noexcept { return static_cast<std::size_t>(top_ - first_); }
    // Takes the `count` oldest tasks, in order. `take` gets each, and must not add tasks.
    template <class Take>
    void take_oldest(std::size_t count, Take take) {
        const kept_call* const end = first_ + count;
        const kept_call* each = std::exchange(first_, first_ + count);
        if (is_empty()) {
            begin_anew();
            lower_limit();
        }
        for (; each != end; ++each) {
            take(*each);
        }
        first_[-1].creator = 0;
    }
    // Frees the memory if it has grown and holds nothing.
    void shrink() noexcept {
        if (capacity_ != least_capacity && is_empty() && memory_ != nullptr) {
            std::free(std::exchange(memory_, nullptr));
            top_ = first_ = &nobodys + 1;
            close();
        }
    }

private:
    static inline constinit kept_call nobodys{};

    kept_call* end() const noexcept { return memory_ + 1 + capacity_; }

    // Precondition: no task is left.
    void begin_anew() noexcept { top_ = first_ = memory_ + 1; }

    static kept_call* allocate(std::size_t capacity) noexcept {
        auto* const made = static_cast<kept_call*>(
            std::aligned_alloc(base::cache_line, (capacity + 1) * sizeof(kept_call)));
        if (made != nullptr) {
            made->creator = 0;
        }
        return made;
    }

    // Makes room at the end of full memory: moves the tasks to its front, or to larger memory.
    bool grow() noexcept {
        kept_call* const begin = memory_ + 1;
        if (static_cast<std::size_t>(first_ - begin) >= capacity_ / 2) {
            move_to(begin);
            return true;
        }
        kept_call* const larger = capacity_ == most ? nullptr : allocate(2 * capacity_);
        if (larger == nullptr) {
            return false;
        }
        move_to(larger + 1);
        std::free(std::exchange(memory_, larger));
        capacity_ *= 2;
        return true;
    }

    // Moves the tasks to `begin`, without overlap. None can be added before raise_limit().
    void move_to(kept_call* begin) noexcept {
        limit_ = top_ = std::copy(first_, top_, begin);
        first_ = begin;
    }

    kept_call* top_ = &nobodys + 1;
    kept_call* limit_ = nullptr;  // creators must not add beyond this; nullptr: closed
    kept_call* first_ = &nobodys + 1;
    kept_call* memory_ = nullptr;
    std::size_t capacity_ = least_capacity;
};
static_assert(sizeof(kept_call) == base::cache_line);

}  // namespace lazult::omp
