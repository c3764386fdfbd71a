// SPDX-License-Identifier: BSD-3-Clause
// The chunks of a loop, divided among threads that all know how many chunks there are. So no thread
// has to announce the loop to the others. Each thread begins with an equal range, in words of its
// own, and takes chunks from the others' ranges when it has none left.
//
// The last chunk belongs to nobody until all ranges are empty, and the thread that takes it takes
// nothing after it. The reason is lastprivate: in programs compiled by gcc, a thread concludes from
// the last iteration that it ran whether the variable is its own to write.
//
// A thread may go to the end of the loop too early: if it looks while other threads hold stolen
// chunks that are not in their ranges yet, or while a third thread seizes the last of these. That
// only costs time, and these moments last for a few instructions.
//
// Each thread numbers the loops for itself, and all threads come to the same numbers. Loop n uses
// the words of slot n modulo the number of slots. What these words hold is of a loop that all
// threads have left, and has another tag. Therefore a thread may enter at most as many loops as
// there are slots after it last knew that all others had left theirs (by a barrier).
//
// Each loop leaves its own tag in words of each thread, because no range is empty at first. So no
// tag of long ago comes back. But if a loop is given up, its words must be ended: see end().
//
// field  | written by                 | read by   | order
// left   | see split_range.hpp        |           |
// taken  | taker of the last chunk    | others    | relaxed: that it is taken, and no data
#pragma once

#include "lazult/ds/split_range.hpp"

#include "lazult/base/base.hpp"

#include <algorithm>
#include <cstdint>

namespace lazult::ds {

inline constexpr std::uint32_t split_slots = 4;

// Of one thread, for all loops.
template <class Atomics = default_atomics>
struct alignas(base::cache_line) split_parts {
    static constexpr std::uint32_t slots = split_slots;
    split_range<Atomics> left[slots];

    // Before numbers begin anew. Nobody else is there.
    void forget() noexcept {
        for (split_range<Atomics>& each : left) {
            each.forget();
        }
    }
};

// One for all threads: the tags of the loops in which the last chunk is taken. Its best place
// is a line that a thread writes anyhow when it leaves a loop.
template <class Atomics = default_atomics>
struct split_ends {
    typename Atomics::template atomic<std::uint64_t> taken[split_slots] = {};

    // Before numbers begin anew. Nobody else is there.
    void forget() noexcept {
        for (auto& each : taken) {
            each.store(0, std::memory_order_relaxed);
        }
    }
};

// How often a thread looks at another thread's range before it asks (if at most `few` chunks are
// left there; else it asks at once), and before it seizes the range.
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

    // Every thread has something to begin with.
    static constexpr bool is_possible(std::uint64_t chunks, std::uint32_t threads) noexcept {
        return chunks > threads && chunks < range::largest;
    }

    split_loop() = default;
    // `is_shared`, the same for all threads: ranges are shared from the beginning, and no thread's
    // own. For threads that may lose their processors in the middle.
    split_loop(std::uint64_t number, std::uint32_t chunks, std::uint32_t threads, std::uint32_t me,
               bool is_shared = false) noexcept
        : is_shared_(is_shared),
          tag_(static_cast<std::uint16_t>(1 + number / parts::slots % range::tags)),
          slot_(static_cast<std::uint32_t>(number % parts::slots)),
          chunks_(chunks),
          threads_(threads),
          me_(me),
          left_(is_shared ? piece{} : initial(me)) {}

    // The caller's next chunks, or none: so_many(chunks left) of its own, or one of another
    // thread's. `around` has
    //   parts_of(i)     thread i's parts
    //   ends()          the team's
    //   all_come()      whether all threads come to the loop, and run what they have
    //   is_alone()      whether all others are known to have left it
    //   pause()         between looks at another one's range
    //   wait()          waits for a thread that is about to do a few instructions
    template <class Around, class SoMany>
    LAZULT_ALWAYS_INLINE piece take(parts& own, Around& around, SoMany so_many) noexcept {
        const piece got = own.left[slot_].take(tag_, left_, so_many, [&] { around.wait(); });
        return !got.empty() ? got : take_more(own, around, so_many);
    }

    bool has_last() const noexcept { return has_last_; }

    // By the owner, when the loop is given up: nothing of it is left afterwards.
    void end(parts& own, ends& of_all) const noexcept {
        own.left[slot_].end(tag_);
        of_all.taken[slot_].store(tag_, std::memory_order_relaxed);
    }

private:
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

    // A thread takes the last chunk only when it has seen nothing left in any range, apart from
    // chunks that are running already (and from the moments that the top of this file names).
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

    // Takes from another thread's range. It steals from a shared range at once. If few chunks are
    // left, it looks for a while first, because the owner may come to the end soon. Then it asks
    // the owner. If the owner does not answer for a while, it seizes the range.
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

    // Takes the first stolen chunk at once, so that each theft is a step forward. The rest goes
    // into the thief's own range.
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
    piece left_;  // of its own range, while that is not shared
};

}  // namespace lazult::ds
