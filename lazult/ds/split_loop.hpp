// SPDX-License-Identifier: BSD-3-Clause
// Divides the chunks of a loop among threads that all know the number of chunks, so that no thread
// has to announce the loop. Each thread begins with an equal range, in words of its own, and takes
// chunks from other threads' ranges when its own is empty.
//
// The last chunk is in no range. A thread takes it when all ranges are empty, and takes nothing
// after it. The reason is lastprivate: code compiled by gcc writes the variable if the last
// iteration that the thread ran is the last one of the loop.
//
// A thread may leave the loop too early. That happens if it looks while other threads hold stolen
// chunks that they have not yet put into their ranges, or while another thread seizes such chunks.
// That only costs time, and these moments last for a few instructions.
//
// Each thread counts the loops for itself, and all threads get the same numbers. Loop n uses the
// words of slot n modulo the number of slots. These words may hold an earlier loop, which all
// threads have left and which has another tag. Therefore a thread that last knew (by a barrier)
// that all others had left their loops may then enter at most as many loops as there are slots.
//
// An old tag is never mistaken for a new one: each loop leaves its tag in words of each thread,
// because no range is empty at first. If a loop is given up, its words must be ended: see end().
//
// field  | written by                 | read by   | order
// left   | see split_range.hpp        |           |
// taken  | taker of the last chunk    | others    | relaxed: that it is taken, and no data
#pragma once

#include "lazult/ds/split_range.hpp"

#include <algorithm>
#include <cstdint>

namespace lazult::ds {

inline constexpr std::uint32_t split_slots = 4;

// The ranges of one thread, one for each slot.
template <class Atomics = default_atomics>
struct alignas(base::cache_line) split_parts {
    static constexpr std::uint32_t slots = split_slots;
    split_range<Atomics> left[slots];

    // Call this before loops are numbered from the start again. No other thread may be in a loop.
    void forget() noexcept {
        for (split_range<Atomics>& each : left) {
            each.forget();
        }
    }
};

// For each slot, the tag of the last loop in which the last chunk was taken. All threads share this
// object. It is best placed in a line that a thread writes anyhow when it leaves a loop.
template <class Atomics = default_atomics>
struct split_ends {
    typename Atomics::template atomic<std::uint64_t> taken[split_slots] = {};

    // Call this before loops are numbered from the start again. No other thread may be in a loop.
    void forget() noexcept {
        for (auto& each : taken) {
            each.store(0, std::memory_order_relaxed);
        }
    }
};

// How often a thief looks at another thread's range before it asks the owner (if more than `few`
// chunks are left, it asks at once), and before it seizes the range.
struct split_patience {
    std::uint32_t few;
    std::uint32_t to_ask;
    std::uint32_t to_seize;
};

// A thread's view of one loop.
template <class Atomics = default_atomics>
class split_loop {
public:
    using parts = split_parts<Atomics>;
    using ends = split_ends<Atomics>;
    using range = split_range<Atomics>;
    using piece = typename range::piece;

    // Returns true if every thread gets at least one chunk to begin with, and the numbers fit.
    static constexpr bool is_possible(std::uint64_t chunks, std::uint32_t threads) noexcept {
        return chunks > threads && chunks < range::largest;
    }

    split_loop() = default;
    // `is_shared`, the same in all threads, makes all ranges shared from the beginning. It is for
    // threads that may lose their processor in the middle of a loop.
    split_loop(std::uint64_t number, std::uint32_t chunks, std::uint32_t threads, std::uint32_t me,
               bool is_shared = false) noexcept
        : is_shared_(is_shared),
          tag_(static_cast<std::uint16_t>(1 + number / parts::slots % range::tags)),
          slot_(static_cast<std::uint32_t>(number % parts::slots)),
          chunks_(chunks),
          threads_(threads),
          me_(me),
          left_(is_shared ? piece{} : initial(me)) {}

    // Returns the caller's next chunks, or an empty piece: so_many(chunks left) chunks of its own,
    // or one chunk of another thread's. `around` has
    //   parts_of(i)     returns the parts of thread i
    //   ends()          returns the ends that all threads share
    //   all_come()      returns whether all threads come to the loop, and run what they have
    //   is_alone()      returns whether all other threads are known to have left the loop
    //   pause()         runs between looks at another thread's range
    //   wait()          waits for a thread that is a few instructions from being done
    template <class Around, class SoMany>
    LAZULT_ALWAYS_INLINE piece take(parts& own, Around& around, SoMany so_many) noexcept {
        const piece got = own.left[slot_].take(tag_, left_, so_many, [&] { around.wait(); });
        return !got.empty() ? got : take_more(own, around, so_many);
    }

    // Returns true if the caller took the loop's last chunk.
    bool has_last() const noexcept { return has_last_; }

    // Called by the owner when the loop is given up: no chunk of it is left afterwards.
    void end(parts& own, ends& of_all) const noexcept {
        own.left[slot_].end(tag_);
        of_all.taken[slot_].store(tag_, std::memory_order_relaxed);
    }

private:
    // The range of chunks with which the thread `number` begins.
    piece initial(std::uint32_t number) const noexcept {
        const std::uint32_t least = (chunks_ - 1) / threads_;
        const std::uint32_t larger = (chunks_ - 1) % threads_;
        const std::uint32_t begin = number * least + std::min(number, larger);
        return {begin, begin + least + (number < larger ? 1 : 0)};
    }

    template <class Around, class SoMany>
    LAZULT_NOINLINE piece take_more(parts& own, Around& around, SoMany so_many) noexcept {
        if (has_last_) {
            return {};
        }
        share(own.left[slot_], initial(me_));
        const piece got = own.left[slot_].take_shared(tag_, so_many);
        return !got.empty() ? got : take_others(own, around);
    }

    // A thread takes the last chunk only after it has seen no chunk left in any range. Chunks that
    // run already may be unfinished, and those that the top of this file names may be missed.
    template <class Around>
    piece take_others(parts& own, Around& around) noexcept {
        auto& taken = around.ends().taken[slot_];
        const bool all_come = around.all_come();
        if (all_come && taken.load(std::memory_order_relaxed) == tag_) {
            return {};
        }
        for (std::uint32_t i = 1; i < threads_ && !(all_come && around.is_alone()); ++i) {
            const std::uint32_t victim = me_ + i < threads_ ? me_ + i : me_ + i - threads_;
            const piece got = rob(around, around.parts_of(victim).left[slot_], initial(victim));
            if (!got.empty()) {
                return begin_stolen(own, got);
            }
        }
        return take_last(taken);
    }

    // Takes chunks from another thread's range. If the range is shared, it steals at once. If few
    // chunks are left, it looks for a while first, because the owner may finish them soon. Then it
    // asks the owner to share the range. If the owner does not answer for a while, it seizes it.
    template <class Around>
    piece rob(Around& around, range& theirs, piece initial) const noexcept {
        constexpr split_patience patience = Around::patience;
        share(theirs, initial);
        for (std::uint32_t looks = 0; looks <= 2 * patience.to_seize + 1; ++looks) {
            const auto seen = theirs.look(tag_, initial);
            if (seen.left.empty()) {
                return {};
            }
            if (seen.now == range::state::shared) {
                return theirs.steal(tag_);
            }
            const bool asks = seen.left.size() > patience.few || looks >= patience.to_ask;
            if (seen.now == range::state::owned && asks) {
                theirs.ask(tag_);
            } else if (seen.now == range::state::asked && looks >= patience.to_seize) {
                return theirs.seize(tag_, initial);
            }
            around.pause();
        }
        return {};
    }

    void share(range& some, piece initial) const noexcept {
        if (is_shared_) {
            some.share(tag_, initial);
        }
    }

    // Runs the first stolen chunk, so that each theft is progress, and puts the other chunks into
    // the thief's own range.
    piece begin_stolen(parts& own, piece got) const noexcept {
        own.left[slot_].set(tag_, {got.begin + 1, got.end});
        return {got.begin, got.begin + 1};
    }

    template <class Taken>
    piece take_last(Taken& taken) noexcept {
        if (taken.exchange(tag_, std::memory_order_relaxed) == tag_) {
            return {};
        }
        has_last_ = true;
        return {chunks_ - 1, chunks_};
    }

    bool is_shared_ = false;
    bool has_last_ = false;
    std::uint16_t tag_ = 0;
    std::uint32_t slot_ = 0;
    std::uint32_t chunks_ = 0;
    std::uint32_t threads_ = 0;
    std::uint32_t me_ = 0;
    piece left_;  // what is left of this thread's range, while the range is not shared
};

}  // namespace lazult::ds
