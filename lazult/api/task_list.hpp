// SPDX-License-Identifier: BSD-3-Clause
// The tasks of a group, last in first out. The oldest few are in the group itself, later ones in
// segments ("chunks") of recycled memory.
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
        while (newest_ != nullptr) {
            give_block(std::exchange(newest_, newest_->below), sizeof(chunk));
        }
    }

    bool empty() const noexcept { return size() == 0; }
    std::size_t size() const noexcept { return below_ + in_segment(); }
    // False: the list has at most `tasks` tasks. `tasks` must be at least 60, the size of a chunk.
    bool may_be_longer_than(std::size_t tasks) const noexcept {
        return below_ > tasks - chunk_units;
    }

    // Makes room for one more task. Returns false when memory is exhausted. Of a long list it
    // removes some tasks that have ended, and calls free(first) with them, linked by
    // work_unit::next.
    template <class Free>
    LAZULT_ALWAYS_INLINE bool make_room(Free free) noexcept {
        if (has_room()) LAZULT_LIKELY {
            return true;
        }
        if (size() >= long_list) {
            free(take_finished());
        }
        return has_room() || grow();
    }
    // If the list has more than `longest` tasks, removes all that have ended, and returns true.
    // Does so again only when the list is twice as long as it was after the last time.
    template <class Free>
    bool shorten(std::size_t longest, Free free) noexcept {
        const bool looks = size() > longest && size() >= shortens_from_;
        if (looks) LAZULT_UNLIKELY {
            free(take_all_finished());
            shortens_from_ = 2 * size();
        }
        return looks;
    }
    // Returns how many tasks are suspended. An estimate while tasks run.
    LAZULT_NOINLINE std::size_t count_blocked() noexcept {
        note_count();
        std::size_t found = count_blocked_in(units_, newest_ == nullptr ? in_segment() : room);
        for (const chunk* c = newest_; c != nullptr; c = c->below) {
            found += count_blocked_in(c->units, c->count);
        }
        return found;
    }
    bool has_room() const noexcept { return next_ != end_; }
    void push_into_room(core::work_unit* u) noexcept { *next_++ = u; }

    // Takes the newest task. Returns nullptr when the list is empty.
    core::work_unit* pop() noexcept {
        if (next_ == first_of_segment()) LAZULT_UNLIKELY {
            if (!shrink()) {
                return nullptr;
            }
        }
        return *--next_;
    }

private:
    static constexpr std::size_t room = 4;
    static constexpr std::size_t chunk_units = 60;
    static constexpr std::size_t long_list = 4 * chunk_units;
    // two, so that the looks keep up with the chunks that are added
    static constexpr int chunks_per_look = 2;

    // A segment after the one in the group. `count` of the newest is out of date: see note_count().
    struct chunk {
        chunk* below;
        std::size_t count;
        core::work_unit* units[chunk_units];
    };
    static_assert(sizeof(chunk) <= largest_block);

    core::work_unit* const* first_of_segment() const noexcept {
        return newest_ == nullptr ? units_ : newest_->units;
    }
    std::size_t in_segment() const noexcept {
        return static_cast<std::size_t>(next_ - first_of_segment());
    }
    static std::size_t count_blocked_in(core::work_unit* const* units, std::size_t count) noexcept {
        return static_cast<std::size_t>(std::count_if(
            units, units + count,
            [](const core::work_unit* u) { return u->state() == core::life_state::blocked; }));
    }

    LAZULT_NOINLINE bool grow() noexcept {
        void* const memory = take_block(sizeof(chunk));
        if (memory == nullptr) {
            return false;
        }
        note_count();
        below_ += in_segment();
        auto* const added = new (memory) chunk;
        added->below = std::exchange(newest_, added);
        added->count = 0;
        use_newest();
        return true;
    }
    // Drops the newest segment, which is empty. Returns false if there is no task any more.
    LAZULT_NOINLINE bool shrink() noexcept {
        if (newest_ == nullptr) {
            return false;
        }
        give_block(std::exchange(newest_, newest_->below), sizeof(chunk));
        looked_at_ = &newest_;  // it may have pointed into the chunk that is gone
        use_newest();
        below_ -= in_segment();
        return in_segment() != 0 || shrink();
    }
    // Stores the number of tasks in the newest chunk. Chunks below it know theirs. The segment in
    // the group needs no number: if there is a chunk, that segment is full.
    void note_count() noexcept {
        if (newest_ != nullptr) {
            newest_->count = in_segment();
        }
    }
    void use_newest() noexcept {
        next_ = newest_ == nullptr ? units_ + room : newest_->units + newest_->count;
        end_ = newest_ == nullptr ? units_ + room : newest_->units + chunk_units;
    }

    // Takes the tasks that have ended out of the next few chunks.
    LAZULT_NOINLINE core::work_unit* take_finished() noexcept {
        return take_finished_of_chunks([this](int looks) {
            looked_at_ = *looked_at_ == nullptr ? &newest_ : looked_at_;
            return looks != chunks_per_look && newest_ != nullptr;
        });
    }
    LAZULT_NOINLINE core::work_unit* take_all_finished() noexcept {
        looked_at_ = &newest_;
        return take_finished_of_chunks([this](int) { return *looked_at_ != nullptr; });
    }
    // Looks at chunks while goes_on(number of chunks so far) returns true.
    template <class Condition>
    core::work_unit* take_finished_of_chunks(Condition goes_on) noexcept {
        if (newest_ == nullptr) {
            return nullptr;
        }
        note_count();
        below_ += in_segment();  // it counts all tasks while the chunks change
        core::work_unit* found = nullptr;
        for (int looks = 0; goes_on(looks); ++looks) {
            found = take_finished_of_next(found);
        }
        use_newest();
        below_ -= in_segment();
        return found;
    }
    core::work_unit* take_finished_of_next(core::work_unit* found) noexcept {
        chunk* const c = *looked_at_;
        found = take_finished_of(*c, found);
        if (empties_into_below(*c)) {
            *looked_at_ = c->below;
            give_block(c, sizeof(chunk));
        } else {
            looked_at_ = &c->below;
        }
        return found;
    }

    // Moves the tasks of a chunk into the one below, if they fit. Else few tasks could keep many
    // chunks, and there would be too many to look at.
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
        below_ -= c.count - left;
        c.count = left;
        return found;
    }

    core::work_unit* units_[room];
    core::work_unit** next_ = units_;        // where the next task goes, in the newest segment
    core::work_unit** end_ = units_ + room;  // the end of the newest segment
    chunk* newest_ = nullptr;                // null: the newest segment is `units_`
    chunk** looked_at_ = &newest_;           // the link to the chunk to look at next
    std::size_t below_ = 0;                  // the number of tasks in older segments
    std::size_t shortens_from_ = 0;
};

}  // namespace lazult::api
