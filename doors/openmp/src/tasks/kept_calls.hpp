// SPDX-License-Identifier: BSD-3-Clause
// Tasks that the one thread of a team has created and keeps without records: a function, its
// arguments and its creator.
//
// Nobody else can start them, and most of them are run soon. So they stand in an array, the newest
// last. A taskwait calls those of the task that waits. When the newest 64 are children of one task,
// it stops, and a flow of their own runs them, so that it goes on if one of them blocks. Each runs
// like a task that is not deferred: on a record that the thread has ready, and counted in its
// parent alone. That is enough for barriers, as the parent completes after them, or they get
// records before.
//
// They get records and go to the queue, where all flows of the thread look,
// - when the thread may run something else than their creator: it waits, or gives way,
// - when their creator ends, or changes a control variable,
// - when a flow that runs some of them has blocked.
//
// The flows of one thread use this by turns. In larger teams it is closed, and always empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tasks/task.hpp"

namespace lazult::omp {

struct kept_call {
    static constexpr std::size_t room = 48;  // bytes of arguments
    static constexpr std::size_t alignment = 16;

    std::uintptr_t creator;  // its record's address; the lowest bit says that the task is untied
    region_function function;
    alignas(alignment) std::byte arguments[room];

    unsigned flags() const noexcept { return creator & task_untied; }
    task* parent() const noexcept { return reinterpret_cast<task*>(creator & ~std::uintptr_t{1}); }
    bool is_child_of(const task& of) const noexcept {
        return (creator ^ reinterpret_cast<std::uintptr_t>(&of)) <= 1;
    }
};

class kept_calls {
public:
    static constexpr std::size_t batch = 64;
    static constexpr std::size_t most = 64 * batch;

    kept_calls() = default;
    ~kept_calls() { std::free(memory_); }
    kept_calls(const kept_calls&) = delete;
    kept_calls& operator=(const kept_calls&) = delete;

    // Creators may add some. False when there is no memory.
    bool open() noexcept {
        if (memory_ == nullptr && !allocate()) {
            return false;
        }
        limit_ = first_ + batch;
        return true;
    }
    void close() noexcept { limit_ = first_; }
    bool is_open() const noexcept { return limit_ != first_; }

    bool is_empty() const noexcept { return top_ == first_; }
    bool has_room() const noexcept { return top_ < limit_; }
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
    // Deep trees have few children of each task. False when all the memory is in use: 256 KiB.
    bool raise_limit() noexcept {
        limit_ = std::min(limit_ + batch, first_ + most);
        return has_room();
    }
    void lower_limit() noexcept {
        if (is_empty() && is_open()) {
            limit_ = first_ + batch;
        }
    }
    // All of them, the oldest first. They stay where they are until the next one is added.
    template <class Take>
    void take_all(Take take) {
        kept_call* const end = top_;
        top_ = first_;
        lower_limit();
        for (const kept_call* each = first_; each != end; ++each) {
            take(*each);
        }
    }

private:
    static inline constinit kept_call nobodys{};

    bool allocate() noexcept {
        constexpr std::size_t bytes = (most + 1) * sizeof(kept_call);
        auto* const made = static_cast<kept_call*>(std::aligned_alloc(base::cache_line, bytes));
        if (made == nullptr) {
            return false;
        }
        made->creator = 0;
        memory_ = made;
        top_ = limit_ = first_ = made + 1;
        return true;
    }

    kept_call* top_ = &nobodys + 1;
    kept_call* limit_ = &nobodys + 1;  // creators look here again where it is reached
    kept_call* first_ = &nobodys + 1;
    kept_call* memory_ = nullptr;
};
static_assert(sizeof(kept_call) == base::cache_line);

}  // namespace lazult::omp
