// SPDX-License-Identifier: BSD-3-Clause
// Counts the visitors of a list from which entries are taken meanwhile. A thread that took an entry
// out waits for the visitors that may have found the entry, which are those that came before. It
// does not wait for later visitors, because there may always be some.
//
// A visitor counts itself under the phase that it finds, and then checks that the phase is still
// the current one. The waiter ends the phase, so that no later visitor counts under it, and waits
// until the count of the phase is 0.
//
// field     | written by     | read by          | order
// phase_    | await_earlier  | visitors         | seq_cst, as counts_: await_earlier() waits for a
//           |                |                  | visitor that finds the old phase after it has
//           |                |                  | counted itself; one that finds the new phase also
//           |                |                  | finds that the entry was taken out
// counts_   | visitors       | await_earlier    | seq_cst: see phase_; leaving is release
#pragma once

#include "lazult/ds/ds.hpp"

#include <array>
#include <cstdint>

namespace lazult::concert {

template <class Atomics = ds::default_atomics>
class visitor_count {
    using word = typename Atomics::template atomic<std::uint32_t>;

public:
    // While a visit lives, what the visitor finds in the list is not freed.
    class visit {
    public:
        explicit visit(visitor_count& all) : count_(all.enter()) {}
        // pairs with: await_earlier(): what was visited is left
        ~visit() { count_.fetch_sub(1, std::memory_order_release); }
        visit(const visit&) = delete;
        visit& operator=(const visit&) = delete;

    private:
        word& count_;
    };

    // Waits for the visitors that came before. Called when an entry has been taken out, by one
    // thread at a time. Calls meanwhile() again and again.
    template <class Meanwhile>
    void await_earlier(Meanwhile&& meanwhile) {
        // relaxed: only we write it
        const std::uint32_t ended = phase_.load(std::memory_order_relaxed);
        phase_.store(ended ^ 1, std::memory_order_seq_cst);  // pairs with: enter()
        // pairs with: enter(), ~visit()
        while (counts_[ended].load(std::memory_order_seq_cst) != 0) {
            meanwhile();
        }
    }

private:
    word& enter() {
        for (;;) {
            const std::uint32_t phase = phase_.load(std::memory_order_relaxed);  // relaxed: a guess
            counts_[phase].fetch_add(1, std::memory_order_seq_cst);  // pairs with: await_earlier()
            if (phase_.load(std::memory_order_seq_cst) == phase) {   // pairs with: await_earlier()
                return counts_[phase];
            }
            // relaxed: nothing was looked at
            counts_[phase].fetch_sub(1, std::memory_order_relaxed);
        }
    }

    word phase_{0};
    std::array<word, 2> counts_{};
};

}  // namespace lazult::concert
