// SPDX-License-Identifier: BSD-3-Clause
// The chunks of a loop, divided among threads that all know how many there are, so that nobody tells the others about the loop:
// each thread begins with an equal range, in a word of its own, and takes others' when it has none left.
//
// The last chunk is nobody's until all ranges are empty, and who takes it takes nothing after it: programs that gcc compiled know
// by the last iteration that a thread ran whether a lastprivate variable is that thread's. A thread that looks while others
// have their loot in hand, and not in their ranges, goes to the loop's end too early: it costs time, for so few instructions.
//
// Loops are numbered, by each thread for itself, and alike. The n-th uses the words of slot n modulo their number. What is in
// them is of a loop that everybody has left, and has another tag: so a thread may have entered as many loops as there are
// slots since it last knew that all others had left theirs (a barrier). Each loop leaves its own tag in all of its words, for no
// range is empty at first: no tag of long ago comes back. But where a loop is given up, its words are to be ended.
//
// field | who writes                           | who reads | order
// left  | see split_range.hpp                  |           |
// last  | who takes the last chunk: in the last thread's parts, whose line the others look at anyhow | others | relaxed: who has it, and no data
#pragma once

#include "lazult/ds/split_range.hpp"

#include "lazult/base/base.hpp"

#include <algorithm>
#include <cstdint>

namespace lazult::ds {

// Of one thread, for all loops.
template <class Atomics = default_atomics>
struct alignas(base::cache_line) split_parts {
    static constexpr std::uint32_t slots = 4;
    split_range<Atomics> left[slots];
    typename Atomics::template atomic<std::uint64_t> last[slots] =
        {};  // the tag of the loop whose last chunk is taken

    // Before numbers begin anew. Nobody else is there.
    void forget() noexcept {
        for (std::uint32_t i = 0; i < slots; ++i) {
            left[i].forget();
            last[i].store(0, std::memory_order_relaxed);
        }
    }
};

// A thread's view of one loop. `parts_of(i)` are thread i's.
template <class Atomics = default_atomics>
class split_loop {
public:
    using parts = split_parts<Atomics>;
    using piece = typename split_range<Atomics>::piece;

    // Every thread has something to begin with.
    static constexpr bool is_possible(std::uint64_t chunks, std::uint32_t threads) noexcept {
        return chunks > threads && chunks < split_range<Atomics>::largest;
    }

    split_loop() = default;
    split_loop(std::uint64_t number, std::uint32_t chunks, std::uint32_t threads, std::uint32_t me) noexcept
        : tag_(static_cast<std::uint16_t>(1 + number / parts::slots % tags)),
          slot_(static_cast<std::uint32_t>(number % parts::slots)),
          chunks_(chunks),
          threads_(threads),
          me_(me),
          least_((chunks - 1) / threads),
          larger_((chunks - 1) % threads) {}

    // The caller's next chunks, or none: of its own so_many(those left), of others' one.
    template <class PartsOf, class SoMany>
    piece take(PartsOf parts_of, SoMany so_many) noexcept {
        if (has_last_) {
            return {};
        }
        if (const piece own = parts_of(me_).left[slot_].take(tag_, initial(me_), so_many); !own.empty()) {
            return own;
        }
        for (std::uint32_t i = 1; i < threads_; ++i) {
            const std::uint32_t victim = me_ + i < threads_ ? me_ + i : me_ + i - threads_;
            if (const piece got = parts_of(victim).left[slot_].steal(tag_, initial(victim)); !got.empty()) {
                return begin_stolen(parts_of(me_), got);
            }
        }
        return take_last(parts_of(threads_ - 1));
    }

    bool has_last() const noexcept { return has_last_; }

    // By the owner: of a loop that is given up, nothing is left.
    void end(parts& own) const noexcept {
        own.left[slot_].set(tag_, {});
        own.last[slot_].store(tag_, std::memory_order_relaxed);
    }

private:
    static constexpr std::uint64_t tags = 65535;  // all but split_range's no_tag

    piece initial(std::uint32_t number) const noexcept {
        const std::uint32_t begin = number * least_ + std::min(number, larger_);
        return {begin, begin + least_ + (number < larger_ ? 1 : 0)};
    }

    // The first of what it got at once, so that each theft is a step forward.
    piece begin_stolen(parts& own, piece got) const noexcept {
        own.left[slot_].set(tag_, {got.begin + 1, got.end});
        return {got.begin, got.begin + 1};
    }

    piece take_last(parts& of_last) noexcept {
        auto& last = of_last.last[slot_];
        if (last.load(std::memory_order_relaxed) == tag_ ||
            last.exchange(tag_, std::memory_order_relaxed) == tag_) {
            return {};
        }
        has_last_ = true;
        return {chunks_ - 1, chunks_};
    }

    std::uint16_t tag_ = 0;
    bool has_last_ = false;
    std::uint32_t slot_ = 0;
    std::uint32_t chunks_ = 0;
    std::uint32_t threads_ = 0;
    std::uint32_t me_ = 0;
    std::uint32_t least_ = 0;
    std::uint32_t larger_ = 0;
};

}  // namespace lazult::ds
