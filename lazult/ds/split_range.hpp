// SPDX-License-Identifier: BSD-3-Clause
// A range of numbers. One thread, the owner, takes numbers from the front. Other threads, thieves,
// take from the back when their own ranges are empty. It is for loops in which each thread begins
// with a share. While no thief comes, the owner takes without a locked instruction, which would
// have to wait until the program's earlier stores have got their cache lines.
//
// A range is used for one loop after another. Each loop has a tag. A word with another tag belongs
// to an earlier loop, and means that the range is as it was at the beginning, which every thread
// can compute. So no thread has to write ranges when a loop begins.
//
// At first the range is owned: the owner stores how far it has come in own_, and then looks at
// word_, whether a thief has asked. If so, the owner shares what is left, at its next step. If that
// takes long, the thief shares the range itself: it marks the range as seized, passes the
// asymmetric barrier, and then reads how far the owner has come. From then on word_ has both ends,
// for all threads.
//
// Sources: the halving of ranges in Lea's fork-join framework; the handshake of Frigo, Leiserson
// and Randall, "The Implementation of the Cilk-5 Multithreaded Language" (PLDI 1998), section 5;
// locks that are biased to one thread, Kawachiya, Koseki and Onodera, "Lock Reservation" (OOPSLA
// 2002).
//
// A word with its tag is the whole state. So it does no harm if a word gets a value that it had
// before (no ABA problem).
//
// field | written by                       | read by   | order
// own_  | the owner, while the range is    | anybody   | relaxed: says which thread has which
//       | owned                            |           | numbers, and publishes no data; against
//       |                                  |           | word_ the barriers
// word_ | thieves; the owner, when it      | anybody   | relaxed, for the same reason; against
//       | shares, renews or ends           |           | own_ the barriers
//
// Legal transitions of word_, in one loop:
//   another tag    -> asked               a thief
//                  -> shared              share(), if ranges are shared from the beginning
//                  -> a third tag         the owner, in renew()
//   asked          -> shared              the owner
//                  -> seized              a thief
//   seized         -> shared              the thief that seized the range
//   any            -> shared              the owner, when its own numbers have run out, or in end()
//   shared         -> shared              the owner or a thief takes numbers
#pragma once

#include "lazult/ds/atomics.hpp"

#include <cstdint>
#include <utility>

namespace lazult::ds {

template <class Atomics = default_atomics>
class split_range {
public:
    static constexpr std::uint32_t largest = (std::uint32_t{1} << 24) - 1;  // end of a range
    static constexpr std::uint16_t no_tag = 0;    // the tag of a fresh range, and of no loop
    static constexpr std::uint64_t tags = 65535;  // how many tags there are for loops

    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        bool empty() const noexcept { return begin >= end; }
        std::uint32_t size() const noexcept { return end - begin; }
    };

    // Owner: takes the first so_many(size) numbers of `left`, which is the whole range at first. If
    // `left` is empty, the shared word may still have numbers for the owner: see take_shared().
    // Calls wait() while a thief that has seized the range reads how far the owner has come.
    template <class SoMany, class Wait>
    LAZULT_ALWAYS_INLINE piece take(std::uint16_t tag, piece& left, SoMany so_many,
                                    Wait wait) noexcept {
        if (left.empty()) {
            return {};
        }
        const piece step{left.begin, left.begin + so_many(left.size())};
        const std::uint64_t word = step_to(tag, step.end);
        if (tag_of(word) == tag) LAZULT_UNLIKELY {
            return settle(word, step, std::exchange(left, {}).end, so_many, wait);
        }
        if (is_old(word, tag)) LAZULT_UNLIKELY {
            renew(word, tag);
        }
        left.begin = step.end;
        return step;
    }
    // Owner: takes the first so_many(size) numbers of a range that is shared; else none.
    template <class SoMany>
    piece take_shared(std::uint16_t tag, SoMany so_many) noexcept {
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        return is_shared(word, tag) ? take_from(word, so_many) : piece{};
    }

    // --- any thread

    // What is left of a range, and in which state the range is.
    enum class state : std::uint8_t { owned, asked, seized, shared };
    struct view {
        piece left;
        state now;
    };
    view look(std::uint16_t tag, piece initial) const noexcept {
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (is_shared(word, tag)) {
            return {unpacked(word), state::shared};
        }
        const piece left = left_of(tag, initial);
        if (tag_of(word) != tag) {
            return {left, state::owned};
        }
        return {left, word == asked(tag) ? state::asked : state::seized};
    }

    // Makes the range shared, if ranges are shared from the beginning. Call this before all else.
    void share(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, packed(tag, initial));  // fails if another thread has done so
        }
    }

    // Asks the owner of an owned range to share it.
    void ask(std::uint16_t tag) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, asked(tag));  // fails if another thread has asked
        }
    }

    // Takes the later half of a range in state `asked`. Costs microseconds.
    piece seize(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = asked(tag);
        if (!replace(word, seized(tag))) {
            return steal(tag);
        }
        // pairs with: step_to(), light_barrier: either the owner sees that the range is seized, or
        // this thread sees the owner's step
        Atomics::heavy_barrier();
        const piece left = left_of(tag, initial);
        const std::uint32_t middle = left.begin + (left.empty() ? 0 : left.size() / 2);
        word = seized(tag);
        if (!replace(word, packed(tag, {left.begin, middle}))) {
            return {};  // the owner had come to its end, and has called set()
        }
        return {middle, left.end};
    }

    // Takes the later half of a shared range, or its last number.
    piece steal(std::uint16_t tag) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (is_shared(word, tag)) {
            const piece left = unpacked(word);
            if (left.empty()) {
                break;
            }
            const std::uint32_t middle = left.begin + left.size() / 2;
            if (replace(word, packed(tag, {left.begin, middle}))) {
                return {middle, left.end};
            }
        }
        return {};
    }

    // Owner, when nothing is left of its range: puts in numbers that it stole. They are shared.
    void set(std::uint16_t tag, piece all) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (!replace(word, packed(tag, all))) {
        }
    }
    // Owner: discards the numbers that are left, because the loop was given up.
    void end(std::uint16_t tag) noexcept {
        own_.store(nothing_left(tag), std::memory_order_relaxed);
        set(tag, {});
    }

    // Call this before tags are used again. No other thread may use the range.
    void forget() noexcept {
        own_.store(0, std::memory_order_relaxed);
        word_.store(0, std::memory_order_relaxed);
    }

private:
    bool replace(std::uint64_t& seen, std::uint64_t wanted) noexcept {
        return word_.compare_exchange_strong(seen, wanted, std::memory_order_relaxed,
                                             std::memory_order_relaxed);
    }
    static constexpr std::uint16_t tag_of(std::uint64_t word) noexcept {
        return static_cast<std::uint16_t>(word >> 48);
    }
    static constexpr std::uint64_t packed(std::uint16_t tag, piece p) noexcept {
        return std::uint64_t{tag} << 48 | std::uint64_t{p.begin} << 24 | p.end;
    }
    static constexpr piece unpacked(std::uint64_t word) noexcept {
        return {static_cast<std::uint32_t>(word >> 24) & largest,
                static_cast<std::uint32_t>(word) & largest};
    }
    // The words of the states `asked` and `seized`: no range begins at `largest`.
    static constexpr std::uint64_t asked(std::uint16_t tag) noexcept {
        return packed(tag, {largest, 0});
    }
    static constexpr std::uint64_t seized(std::uint16_t tag) noexcept {
        return packed(tag, {largest, 1});
    }
    static constexpr bool is_shared(std::uint64_t word, std::uint16_t tag) noexcept {
        return tag_of(word) == tag && word != asked(tag) && word != seized(tag);
    }

    // Returns what the owner has left of a range that is not shared.
    piece left_of(std::uint16_t tag, piece initial) const noexcept {
        const std::uint64_t own = own_.load(std::memory_order_relaxed);
        return tag_of(own) == tag ? piece{unpacked(own).begin, initial.end} : initial;
    }

    static constexpr std::uint64_t nothing_left(std::uint16_t tag) noexcept { return asked(tag); }

    template <class SoMany>
    piece take_from(std::uint64_t word, SoMany so_many) noexcept {
        for (;;) {
            const piece left = unpacked(word);
            if (left.empty()) {
                return {};
            }
            const std::uint32_t middle = left.begin + so_many(left.size());
            if (replace(word, packed(tag_of(word), {middle, left.end}))) {
                return {left.begin, middle};
            }
        }
    }

    // Stores the step in own_. Returns word_ as it is after the step.
    LAZULT_ALWAYS_INLINE std::uint64_t step_to(std::uint16_t tag, std::uint32_t begin) noexcept {
        own_.store(packed(tag, {begin, 0}), std::memory_order_relaxed);
        Atomics::light_barrier();  // pairs with: seize(), heavy_barrier
        return word_.load(std::memory_order_relaxed);
    }

    // Takes `step` if the owner may still have it, after a thief has asked, seized or shared the
    // range before this step or during it. Else takes from the shared word.
    template <class SoMany, class Wait>
    LAZULT_NOINLINE piece settle(std::uint64_t word, piece step, std::uint32_t end, SoMany so_many,
                                 Wait wait) noexcept {
        const std::uint16_t tag = tag_of(word);
        for (;;) {
            if (is_shared(word, tag)) {
                return unpacked(word).begin == step.end ? step : take_from(word, so_many);
            }
            if (word == asked(tag)) {
                if (replace(word, packed(tag, {step.end, end}))) {
                    return step;
                }
            } else {
                wait();
                // pairs with: seize(), compare and exchange
                word = word_.load(std::memory_order_relaxed);
            }
        }
    }

    // Returns true if `word` is of a loop so long ago that its tag would soon come again.
    static constexpr bool is_old(std::uint64_t word, std::uint16_t tag) noexcept {
        return static_cast<std::uint16_t>(tag - tag_of(word)) > tags / 2;
    }
    LAZULT_NOINLINE void renew(std::uint64_t word, std::uint16_t tag) noexcept {
        const auto before = static_cast<std::uint16_t>(tag == 1 ? tags : tag - 1);
        replace(word, packed(before, {}));  // fails if a thief has asked
    }

    typename Atomics::template atomic<std::uint64_t> own_{0};
    typename Atomics::template atomic<std::uint64_t> word_{0};
};

}  // namespace lazult::ds
