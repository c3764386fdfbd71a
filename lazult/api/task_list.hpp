// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a group, last in first out: a few in the group itself, more in recycled blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

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

    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return count_ + in_chunks_; }

    // Makes room for one more. False when memory is exhausted. If the list is long, some of the tasks that have ended leave it.
    // free(first) gets them, linked by work_unit::next.
    template <class Free>
    LAZULT_ALWAYS_INLINE bool make_room(Free free) noexcept {
        if (has_room()) LAZULT_LIKELY {
            return true;
        }
        if (in_chunks_ >= long_list && is_full()) {
            free(take_finished());
        }
        return grow();
    }
    // If the list is longer than that, all tasks that have ended leave it. It does nothing if it did so at more than half the length.
    // Returns whether it has looked through the list.
    template <class Free>
    bool shorten(std::size_t longest, Free free) noexcept {
        const bool looks = size() > longest && size() >= shortens_from_;
        if (looks) LAZULT_UNLIKELY {
            free(take_all_finished());
            shortens_from_ = 2 * size();
        }
        return looks;
    }
    // How many tasks wait for something. An estimate while tasks run.
    LAZULT_NOINLINE std::size_t count_blocked() const noexcept {
        const auto waits = [](const core::work_unit* u) { return u->state() == core::life_state::blocked; };
        auto found = std::count_if(units_, units_ + count_, waits);
        for (const chunk* c = full_; c != nullptr; c = c->below) {
            found += std::count_if(c->units, c->units + c->count, waits);
        }
        return static_cast<std::size_t>(found);
    }
    bool has_room() const noexcept { return count_ != room; }
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
    static constexpr std::size_t long_list = 4 * chunk_units;
    static constexpr int chunks_per_look = 2;  // so that the looks keep up with the chunks that are added

    // Of what overflowed.
    struct chunk {
        chunk* below;
        std::size_t count;
        core::work_unit* units[chunk_units];
    };
    static_assert(sizeof(chunk) <= largest_block && chunk_units >= room);

    bool is_full() const noexcept { return full_ == nullptr || full_->count + room > chunk_units; }

    LAZULT_NOINLINE bool grow() noexcept {
        if (is_full()) {
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
        in_chunks_ += room;
        count_ = 0;
        return true;
    }

    LAZULT_NOINLINE void shrink() noexcept {
        const std::size_t moved = std::min(room, full_->count);
        for (std::size_t i = moved; i-- != 0;) {
            units_[i] = full_->units[--full_->count];
        }
        count_ = moved;
        in_chunks_ -= moved;
        looked_at_ = &full_;  // the link that it is may go
        if (full_->count == 0) {
            drop(&full_);
        }
    }

    void drop(chunk** link) noexcept {
        chunk* const emptied = *link;
        *link = emptied->below;
        if (spare_ != nullptr) {
            give_block(spare_, sizeof(chunk));
        }
        spare_ = emptied;
    }

    // Out of the next few chunks.
    LAZULT_NOINLINE core::work_unit* take_finished() noexcept {
        core::work_unit* found = nullptr;
        for (int i = 0; i < chunks_per_look && full_ != nullptr; ++i) {
            looked_at_ = *looked_at_ == nullptr ? &full_ : looked_at_;
            found = take_finished_of_next(found);
        }
        return found;
    }
    LAZULT_NOINLINE core::work_unit* take_all_finished() noexcept {
        core::work_unit* found = nullptr;
        for (looked_at_ = &full_; *looked_at_ != nullptr;) {
            found = take_finished_of_next(found);
        }
        return found;
    }
    core::work_unit* take_finished_of_next(core::work_unit* found) noexcept {
        chunk* const c = *looked_at_;
        found = take_finished_of(*c, found);
        if (empties_into_below(*c)) {
            drop(looked_at_);
        } else {
            looked_at_ = &c->below;
        }
        return found;
    }

    // Few tasks must not keep many chunks: there would be too many to look at.
    static bool empties_into_below(chunk& c) noexcept {
        if (c.count != 0) {
            if (c.below == nullptr || c.count + c.below->count > chunk_units) {
                return false;
            }
            std::copy_n(c.units, c.count, c.below->units + c.below->count);
            c.below->count += c.count;
        }
        return true;
    }

    core::work_unit* take_finished_of(chunk& c, core::work_unit* found) noexcept {
        const auto leaves = [&found](core::work_unit* u) {
            const bool has_ended = u->join.is_finished();
            if (has_ended) {
                u->next = std::exchange(found, u);
            }
            return has_ended;
        };
        core::work_unit** const end = std::remove_if(c.units, c.units + c.count, leaves);
        const auto left = static_cast<std::size_t>(end - c.units);
        in_chunks_ -= c.count - left;
        c.count = left;
        return found;
    }

    std::size_t count_ = 0;
    core::work_unit* units_[room];
    chunk* full_ = nullptr;
    chunk* spare_ = nullptr;
    chunk** looked_at_ = &full_;  // where the next look for what has ended begins
    std::size_t in_chunks_ = 0;
    std::size_t shortens_from_ = 0;
};

}  // namespace lazult::api
