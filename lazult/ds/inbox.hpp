// SPDX-License-Identifier: BSD-3-Clause
// An intrusive list with many producers that can be closed, and from which all elements are taken
// at once. While the inbox is closed, push() returns false, and producers put their elements
// elsewhere. The word also counts the elements, so a push touches two lines: the element's and the
// word's.
//
// Source: the stack of mpsc_queue.hpp. Any thread may close the inbox, and gets the elements that
// were in it, so closing needs no consumer.
//
//   word                from        to          by
//   empty               open        n elements  push
//   newest, n           open        n + 1       push
//                                   empty       take_all
//   empty or newest, n  open        closed      close
//   closed                          empty       open
//
// field      | written by                | read by   | order
// word_      | anyone                    | anyone    | push: release, if refused acquire; take_all,
//            |                           |           | close: both; open: relaxed, because an empty
//            |                           |           | inbox publishes nothing; estimates: acquire
// T::*Next   | producer before its push, | the taker | plain: word_ publishes it
//            | the taker                 |           |
#pragma once

#include "lazult/ds/node_slab.hpp"

#include <cstddef>
#include <cstdint>

namespace lazult::ds {

// Next: the T* member that links elements in the inbox. T must be aligned to 64 bytes.
template <class T, auto Next, class Atomics = default_atomics>
class inbox {
public:
    // Any thread: adds the item. Returns false, without any effect, if the inbox is closed, or full
    // with four million elements.
    bool push(T* item) {
        // starts to fetch the word's line while the element's lines may still be on their way
        __builtin_prefetch(&word_, 1);
        std::uint64_t seen =
            empty_word;  // a guess: if it is right, the line is fetched once, for the CAS
        for (;;) {
            item->*Next = tagged_address::address<T>(seen);
            // Release carries on what earlier pushes released, because this is a read-modify-write.
            // Acquire: a producer that is refused sees what the closer did before close().
            // pairs with: take_all() and close()
            if (word_.compare_exchange_weak(seen, tagged_address::after(seen, item),
                                            std::memory_order_release, std::memory_order_acquire)) {
                return true;
            }
            if (seen == closed_word || tagged_address::tag(seen) == most) LAZULT_UNLIKELY {
                return false;
            }
        }
    }

    // Any thread: takes the element if there is exactly one. Else returns null.
    T* take_only() {
        std::uint64_t seen =
            word_.load(std::memory_order_relaxed);  // relaxed: the CAS below acquires
        const bool is_only = tagged_address::tag(seen) == 1;
        // pairs with: push(), CAS
        return is_only && word_.compare_exchange_strong(seen, empty_word, std::memory_order_acquire,
                                                        std::memory_order_relaxed)
                   ? tagged_address::address<T>(seen)
                   : nullptr;
    }

    // Any thread: takes all elements, oldest first, linked by Next and ended by null. The inbox
    // stays open if it was open.
    T* take_all() {
        std::uint64_t seen =
            word_.load(std::memory_order_relaxed);  // relaxed: the CAS below acquires
        while (seen != empty_word && seen != closed_word) {
            // Not an exchange, because that would open an inbox that another thread has closed.
            // Release: a thread that finds the inbox empty sees what the taker did before.
            // pairs with: push(), CAS; and with the estimates
            if (word_.compare_exchange_weak(seen, empty_word, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
                return oldest_first(seen);
            }
        }
        return nullptr;
    }

    // Any thread: closes the inbox, and returns all elements as take_all() does. Release: a thread
    // that finds the inbox closed sees what the closer did before.
    // pairs with: push(), and the estimates
    T* close() { return oldest_first(word_.exchange(closed_word, std::memory_order_acq_rel)); }

    // Any thread: opens the inbox if it is closed.
    void open() {
        // relaxed: the CAS decides
        std::uint64_t seen = word_.load(std::memory_order_relaxed);
        if (seen == closed_word) {
            word_.compare_exchange_strong(seen, empty_word, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
        }
    }

    // Any thread. These are estimates, because other threads may change the inbox meanwhile.
    bool is_closed() const { return seen_by_all() == closed_word; }
    bool empty_estimate() const { return tagged_address::address<T>(seen_by_all()) == nullptr; }
    std::size_t size_estimate() const {
        const std::uint64_t seen = seen_by_all();
        return seen == closed_word ? 0 : static_cast<std::size_t>(tagged_address::tag(seen));
    }

private:
    static constexpr std::uint64_t empty_word = 0;
    static constexpr std::uint64_t most =
        (std::uint64_t{1} << (64 - tagged_address::packed_bits)) - 1;
    // the largest count with a null address, which no list of elements has
    static constexpr std::uint64_t closed_word = most << tagged_address::packed_bits;

    std::uint64_t seen_by_all() const {
        return word_.load(std::memory_order_acquire);  // pairs with: close()
    }

    static T* oldest_first(std::uint64_t taken) {
        T* oldest = nullptr;
        for (T* newest = tagged_address::address<T>(taken); newest != nullptr;) {
            T* const older = newest->*Next;
            newest->*Next = oldest;
            oldest = newest;
            newest = older;
        }
        return oldest;
    }

    alignas(base::cache_line) typename Atomics::template atomic<std::uint64_t> word_{closed_word};
};

}  // namespace lazult::ds
