// SPDX-License-Identifier: BSD-3-Clause
// Numbers that one thread, the owner, takes from the front. Other threads take from the back when
// they have none left: for a loop in which each thread begins with a share. As long as no thread is
// idle, the owner meets nobody, and takes without a locked instruction. A locked instruction would
// wait until the program's earlier stores have got their cache lines.
//
// A range is used for one loop after another. Each loop has a tag. A word with another tag is of an
// earlier loop, and means that the range is as it was at the beginning, which every thread can
// compute. So no thread writes ranges to begin a loop.
//
// At first the range is the owner's own: the owner writes how far it has come, and then looks
// whether another thread has asked. A thief asks, and the owner shares what is left at its next
// step. If that takes long, a thief shares the range itself: it seizes the range, passes the
// asymmetric barrier, and then reads how far the owner has come. From then on one word has both
// ends, for all threads.
//
// Sources: the halving of ranges in Lea's fork-join framework; the handshake of Frigo, Leiserson
// and Randall, "The Implementation of the Cilk-5 Multithreaded Language" (PLDI 1998), section 5;
// locks that are biased to one thread, Kawachiya, Koseki and Onodera, "Lock Reservation" (OOPSLA
// 2002).
//
// A word and its tag say all that there is to know. So it does no harm (no ABA) if a word comes
// back that was there before.
//
// field | written by                       | read by   | order
// own_  | the owner, while it is its own   | anybody   | relaxed: says which thread has which
//       |                                  |           | numbers, and publishes no data; against
//       |                                  |           | word_ the barriers
// word_ | thieves; the owner, if it is not | anybody   | relaxed, for the same reason; against
//       |                                  |           | own_ the barriers
//
// Legal transitions of word_, in one loop:
//   of another tag -> asked               a thief
//                  -> shared              if the range is shared from the beginning
//                  -> of a third tag      the owner
//   asked          -> shared              the owner
//                  -> seized              a thief
//   seized         -> shared              the thief that seized the range
//   any            -> shared              the owner, when its own numbers have run out, or in end()
//   shared         -> shared
#pragma once

#include "lazult/ds/atomics.hpp"

#include <cstdint>
#include <utility>

namespace lazult::ds {

template <class Atomics = default_atomics>
class split_range {
public:
    static constexpr std::uint32_t largest = (std::uint32_t{1} << 24) - 1;  // end
    static constexpr std::uint16_t no_tag = 0;    // of a fresh range, and of no loop
    static constexpr std::uint64_t tags = 65535;  // all others

    struct piece {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        bool empty() const noexcept { return begin >= end; }
        std::uint32_t size() const noexcept { return end - begin; }
    };

    // By the owner: takes the first so_many(size) numbers of `left`, which is the whole range at
    // first. If `left` is empty, the owner may have more numbers in the shared word: see
    // take_shared(). take() calls wait() while another thread seizes the range, and reads how far
    // this one is.
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
    template <class SoMany>
    piece take_shared(std::uint16_t tag, SoMany so_many) noexcept {
        const std::uint64_t word = word_.load(std::memory_order_relaxed);
        return is_shared(word, tag) ? take_from(word, so_many) : piece{};
    }

    // --- by anybody

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

    // For a range that is shared from the beginning: call this before all else.
    void share(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, packed(tag, initial));  // or somebody else has
        }
    }

    // For a range that is the owner's own.
    void ask(std::uint16_t tag) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, asked(tag));  // or somebody else has
        }
    }

    // For a range in state `asked`: takes the later half. Costs microseconds.
    piece seize(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = asked(tag);
        if (!replace(word, seized(tag))) {
            return steal(tag);
        }
        // pairs with: step_to(), light_barrier: the owner sees that the range is seized, or this
        // thread sees its step
        Atomics::heavy_barrier();
        const piece left = left_of(tag, initial);
        const std::uint32_t middle = left.begin + (left.empty() ? 0 : left.size() / 2);
        word = seized(tag);
        if (!replace(word, packed(tag, {left.begin, middle}))) {
            return {};  // the owner has got others' numbers
        }
        return {middle, left.end};
    }

    // For a range that is shared: takes the later half, or the number itself if only one is left.
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

    // By the owner, when nothing is left of its range: puts in numbers that it took from another
    // thread. They are shared.
    void set(std::uint16_t tag, piece all) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        while (!replace(word, packed(tag, all))) {
        }
    }
    // By the owner: it takes no more, and nobody needs what is left.
    void end(std::uint16_t tag) noexcept {
        own_.store(nothing_left(tag), std::memory_order_relaxed);
        set(tag, {});
    }

    // Before a tag is used again. Nobody else is there.
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
    // No range is like that.
    static constexpr std::uint64_t asked(std::uint16_t tag) noexcept {
        return packed(tag, {largest, 0});
    }
    static constexpr std::uint64_t seized(std::uint16_t tag) noexcept {
        return packed(tag, {largest, 1});
    }
    static constexpr bool is_shared(std::uint64_t word, std::uint16_t tag) noexcept {
        return tag_of(word) == tag && word != asked(tag) && word != seized(tag);
    }

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

    // Returns the word as it is after the step.
    LAZULT_ALWAYS_INLINE std::uint64_t step_to(std::uint16_t tag, std::uint32_t begin) noexcept {
        own_.store(packed(tag, {begin, 0}), std::memory_order_relaxed);
        Atomics::light_barrier();  // pairs with: seize(), heavy_barrier
        return word_.load(std::memory_order_relaxed);
    }

    // Another thread has asked, seized or shared the range, before this step or during it.
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

    // A word that nobody writes for long would have the tag of a later loop again.
    static constexpr bool is_old(std::uint64_t word, std::uint16_t tag) noexcept {
        return static_cast<std::uint16_t>(tag - tag_of(word)) > tags / 2;
    }
    LAZULT_NOINLINE void renew(std::uint64_t word, std::uint16_t tag) noexcept {
        const auto before = static_cast<std::uint16_t>(tag == 1 ? tags : tag - 1);
        replace(word, packed(before, {}));  // or somebody has asked
    }

    typename Atomics::template atomic<std::uint64_t> own_{0};
    typename Atomics::template atomic<std::uint64_t> word_{0};
};

}  // namespace lazult::ds
