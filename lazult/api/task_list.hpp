// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a group, last in first out: a few in the group itself, more in recycled blocks.
#pragma once

#include <cstddef>

#include "lazult/api/blocks.hpp"
#include "lazult/core/core.hpp"

namespace lazult::api {

class task_list {
public:
    task_list() noexcept = default;
    task_list(const task_list&) = delete;
    task_list& operator=(const task_list&) = delete;
    ~task_list() {
        if (spare_ != nullptr) {
            give_block(spare_, sizeof(chunk));
        }
    }

    bool empty() const noexcept { return count_ == 0 && full_ == nullptr; }

    // False when memory is exhausted.
    bool push(core::work_unit* u) noexcept {
        const bool has_room = make_room();
        if (has_room) LAZULT_LIKELY {
            push_into_room(u);
        }
        return has_room;
    }
    // The same in two steps, of which the second cannot fail.
    bool make_room() noexcept { return count_ != room || grow(); }
    void push_into_room(core::work_unit* u) noexcept { units_[count_++] = u; }

    // nullptr when empty.
    core::work_unit* pop() noexcept {
        if (count_ == 0) LAZULT_UNLIKELY {
            if (full_ == nullptr) {
                return nullptr;
            }
            shrink();
        }
        return units_[--count_];
    }

private:
    static constexpr std::size_t room = 4;
    static constexpr std::size_t chunk_units = 60;

    // What overflowed, a whole first[] at a time.
    struct chunk {
        chunk* below;
        std::size_t count;
        core::work_unit* units[chunk_units];
    };
    static_assert(sizeof(chunk) <= largest_block && chunk_units % room == 0);

    LAZULT_NOINLINE bool grow() noexcept {
        if (full_ == nullptr || full_->count == chunk_units) {
            void* memory = spare_ != nullptr ? spare_ : take_block(sizeof(chunk));
            if (memory == nullptr) {
                return false;
            }
            spare_ = nullptr;
            full_ = new (memory) chunk{full_, 0, {}};
        }
        for (core::work_unit* u : units_) {
            full_->units[full_->count++] = u;
        }
        count_ = 0;
        return true;
    }

    LAZULT_NOINLINE void shrink() noexcept {
        for (std::size_t i = room; i-- != 0;) {
            units_[i] = full_->units[--full_->count];
        }
        count_ = room;
        if (full_->count == 0) {
            chunk* emptied = full_;
            full_ = emptied->below;
            if (spare_ != nullptr) {
                give_block(spare_, sizeof(chunk));
            }
            spare_ = emptied;
        }
    }

    std::size_t count_ = 0;
    core::work_unit* units_[room];
    chunk* full_ = nullptr;
    chunk* spare_ = nullptr;
};

}  // namespace lazult::api
