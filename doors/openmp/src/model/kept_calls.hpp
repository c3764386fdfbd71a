// SPDX-License-Identifier: BSD-3-Clause
// Tasks that a thread has created and keeps without records: a function, its arguments and its
// creator.
//
// Nobody else can start them. They stand in an array, the newest last. A taskwait calls those of
// the task that waits. When the newest 64 are children of one task, it stops, and a unit of their
// own runs them, so that it goes on if one of them blocks. Each runs like a task that is not
// deferred: on a record that the thread has ready, and counted in its parent alone. That is enough
// for barriers, as the parent completes after them, or they get records before.
//
// They get records and go to the queue, where all units of the thread look, and other threads,
// - when the thread may run something else than their creator: it waits, or gives way,
// - when their creator ends, or changes a control variable,
// - when a unit that runs some of them has blocked,
// - the oldest ones when the queue holds fewer than the other threads may want.
//
// The units of one thread use this by turns.
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

    std::uintptr_t creator;  // its record's address; the lowest bit says that the task is untied
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

    // Creators may add some. False when there is no memory.
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
    // The newest one. Before the first one stands one that is nobody's.
    bool has_child_of(const task& of) const noexcept { return top_[-1].is_child_of(of); }
    // It stays where it is until another one is added.
    kept_call& take() noexcept { return *--top_; }

    // How many of the newest ones are that task's, as far as they matter.
    std::size_t children_of(const task& of) const noexcept {
        std::size_t count = 0;
        while (count < batch && top_[-1 - static_cast<std::ptrdiff_t>(count)].is_child_of(of)) {
            ++count;
        }
        return count;
    }
    // Deep trees have few children of each task, and their stacks take more memory than this. False
    // when that is in use: 64 MiB, or what there is.
    bool raise_limit() noexcept {
        if (top_ >= end() && !grow()) {
            return false;
        }
        limit_ = std::min(std::max(limit_, top_) + batch, end());
        return true;
    }
    // When none is left, they begin at the front of the memory again.
    void lower_limit() noexcept {
        if (is_empty() && is_open()) {
            begin_anew();
            limit_ = first_ + batch;
        }
    }
    std::size_t size() const noexcept { return static_cast<std::size_t>(top_ - first_); }
    // The oldest ones, in this order. `take` must not add any. They stay where they are until the
    // next one is added.
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

    // None is left.
    void begin_anew() noexcept { top_ = first_ = memory_ + 1; }

    static kept_call* allocate(std::size_t capacity) noexcept {
        auto* const made = static_cast<kept_call*>(
            std::aligned_alloc(base::cache_line, (capacity + 1) * sizeof(kept_call)));
        if (made != nullptr) {
            made->creator = 0;
        }
        return made;
    }

    // The memory is full up to its end.
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

    // The new place must not overlap the old one. Afterwards there is no room until the limit is
    // raised.
    void move_to(kept_call* begin) noexcept {
        limit_ = top_ = std::copy(first_, top_, begin);
        first_ = begin;
    }

    kept_call* top_ = &nobodys + 1;
    kept_call* limit_ = nullptr;  // creators look here again where it is reached; nullptr: closed
    kept_call* first_ = &nobodys + 1;
    kept_call* memory_ = nullptr;
    std::size_t capacity_ = least_capacity;
};
static_assert(sizeof(kept_call) == base::cache_line);

}  // namespace lazult::omp
