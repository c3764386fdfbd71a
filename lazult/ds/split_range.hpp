// SPDX-License-Identifier: BSD-3-Clause
// Numbers that one thread takes from the front, and that others take from the back when they have none left: a loop whose
// threads begin with a share each. As long as nobody is idle, the owner meets nobody, and takes without a locked instruction: one
// would wait until what the program stored before has got its cache lines.
//
// A range is used for one loop after another. Each has a tag; a word with another tag is of an earlier loop, and means that
// the range is as it was at the beginning, which everybody can compute. So nobody writes ranges to begin a loop.
//
// At first the range is the owner's own: it writes how far it has come, and looks whether somebody asked. Who wants some asks, and
// the owner shares what is left at its next step; if that takes long, who asked does it: seizes the range, with the asymmetric
// barrier between that and its look at how far the owner has come. From then on one word has both ends, for all.
//
// Sources: the halving of ranges in Lea's fork-join framework; the handshake of Frigo, Leiserson and Randall, "The Implementation
// of the Cilk-5 Multithreaded Language" (PLDI 1998), section 5; locks that are biased to one thread, Kawachiya, Koseki and
// Onodera, "Lock Reservation" (OOPSLA 2002). With its tag a word says all that there is to know, so it does no harm if one comes
// back that was there before.
//
// field | written by                       | read by   | order
// own_  | the owner, while it is its own   | anybody   | relaxed: who has which numbers, and no data behind it; against
//       |                                  |           | word_ the barriers
// word_ | thieves; the owner, if it is not | anybody   | likewise
//
// Legal transitions of word_, in one loop: of another tag -> asked | shared (where it is from the beginning) | of a third tag (owner); asked -> shared (owner) | seized;
// seized -> shared (who seized it); any -> shared (owner, whose own numbers have run out); shared -> shared.
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

    // By the owner, of `left`, which is the whole range at first: the first so_many(size). Where that is empty, it may have more that
    // it shares: see take_shared(). wait() is called while another thread looks at how far this one is.
    template <class SoMany, class Wait>
    LAZULT_ALWAYS_INLINE piece take(std::uint16_t tag, piece& left, SoMany so_many, Wait wait) noexcept {
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

    // What is left, and whose it is.
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

    // Of a range that is to be nobody's own from the beginning, before all else.
    void share(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, packed(tag, initial));  // or somebody else has
        }
    }

    // Of a range that is the owner's own.
    void ask(std::uint16_t tag) noexcept {
        std::uint64_t word = word_.load(std::memory_order_relaxed);
        if (tag_of(word) != tag) {
            replace(word, asked(tag));  // or somebody else has
        }
    }

    // Of one that is asked for: the later half. Costs microseconds.
    piece seize(std::uint16_t tag, piece initial) noexcept {
        std::uint64_t word = asked(tag);
        if (!replace(word, seized(tag))) {
            return steal(tag);
        }
        // pairs with: step_to(), light_barrier: the owner sees that the range is seized, or this thread sees its step
        Atomics::heavy_barrier();
        const piece left = left_of(tag, initial);
        const std::uint32_t middle = left.begin + (left.empty() ? 0 : left.size() / 2);
        word = seized(tag);
        if (!replace(word, packed(tag, {left.begin, middle}))) {
            return {};  // the owner has got others' numbers
        }
        return {middle, left.end};
    }

    // Of one that is shared: the later half, and of a single one that.
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

    // By the owner, of whose range nothing is left: numbers that were others'. They are shared.
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
        return {static_cast<std::uint32_t>(word >> 24) & largest, static_cast<std::uint32_t>(word) & largest};
    }
    // No range is like that.
    static constexpr std::uint64_t asked(std::uint16_t tag) noexcept { return packed(tag, {largest, 0}); }
    static constexpr std::uint64_t seized(std::uint16_t tag) noexcept { return packed(tag, {largest, 1}); }
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

    // What the word is then.
    LAZULT_ALWAYS_INLINE std::uint64_t step_to(std::uint16_t tag, std::uint32_t begin) noexcept {
        own_.store(packed(tag, {begin, 0}), std::memory_order_relaxed);
        Atomics::light_barrier();  // pairs with: seize(), heavy_barrier
        return word_.load(std::memory_order_relaxed);
    }

    // Somebody asked, or has shared the range: with this step, or before it.
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
                word = word_.load(std::memory_order_relaxed);  // pairs with: seize(), compare and exchange
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
