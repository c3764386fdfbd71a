// SPDX-License-Identifier: BSD-3-Clause
// Many readers or one writer. No caller starves, because phases alternate. While a writer waits,
// new readers queue. When a writer leaves, all readers that wait go first. When the last reader
// leaves, the writer that waited longest goes. A lock that becomes free is handed over, so that no
// caller overtakes the waiters.
//
// The kind `readers_first` has no phases: a reader waits only while a writer is inside. So a caller
// that holds the lock for reading may lock it for reading again. Writers may starve.
//
// The state in the word: the number of readers inside, and a bit for the writer.
//   0 -> writer          lock, try_lock, while nobody waits
//   r -> r + 1           lock_shared, try_lock_shared, while there is no writer and nobody waits;
//                        with readers_first, while there is no writer
//   r -> r - 1           unlock_shared; if the last reader leaves and a writer waits: 1 -> writer,
//                        handed over
//   writer -> 0          unlock, while nobody waits
//   writer -> k          unlock: handed over to the k readers that wait
//   writer -> writer     unlock: handed over to a writer, when no reader waits
//   r -> r + k           a timed writer gave up: the k readers that waited for it go in
#pragma once

#include "lazult/sync/wait_queue.hpp"

#include <cstdint>

namespace lazult::sync {

template <class Atomics = ds::default_atomics, bool readers_first = false>
class basic_rwlock {
public:
    using record = waiter<Atomics>;

    // Misuse in a tasklet that would have to wait.
    void lock() {
        if (!try_lock() && wait_turn(false, no_deadline) != base::status::ok) {
            refuse_to_wait("rwlock", "use try_lock(), or lock it from a ULT");
        }
    }
    LAZULT_ALWAYS_INLINE bool try_lock() noexcept {
        word w = 0;
        return queue_.update(w, writer);
    }
    // Returns ok, timed_out, or cannot_suspend in a tasklet.
    base::status lock_until(std::int64_t deadline_ns) {
        return try_lock() ? base::status::ok : wait_turn(false, deadline_ns);
    }
    // unlock() and unlock_shared() are misuse if the lock is not held in that way.
    LAZULT_ALWAYS_INLINE void unlock() noexcept {
        word w = writer;
        if (!queue_.update(w, 0)) LAZULT_UNLIKELY {
            unlock_slow(writer);
        }
    }

    void lock_shared() {
        if (!try_lock_shared() && wait_turn(true, no_deadline) != base::status::ok) {
            refuse_to_wait("rwlock", "use try_lock_shared(), or lock it from a ULT");
        }
    }
    LAZULT_ALWAYS_INLINE bool try_lock_shared() noexcept {
        word w = queue_.peek();
        while ((w & excludes_readers) == 0) {
            if ((w & queue::spin) != 0) {
                Atomics::pause();
                w = queue_.peek();
            } else if (queue_.update(w, w + reader)) LAZULT_LIKELY {
                return true;
            }
        }
        return false;
    }
    base::status lock_shared_until(std::int64_t deadline_ns) {
        return try_lock_shared() ? base::status::ok : wait_turn(true, deadline_ns);
    }
    LAZULT_ALWAYS_INLINE void unlock_shared() noexcept {
        word w = queue_.peek();
        while ((w & (queue::spin | queue::waited_for | writer)) == 0 && w >= reader) {
            if (queue_.update(w, w - reader)) LAZULT_LIKELY {
                return;
            }
        }
        unlock_slow(reader);
    }

    // Hints: the lock may have changed when the caller looks at the result.
    bool is_locked() const noexcept { return (queue_.peek() & writer) != 0; }
    std::uint64_t readers() const noexcept { return queue_.peek() / reader; }

private:
    using queue = wait_queue<Atomics>;
    using word = typename queue::word;
    static constexpr word writer = queue::one;
    static constexpr word reader = 2 * queue::one;
    static constexpr word excludes_readers = readers_first ? writer : writer | queue::waited_for;

    LAZULT_NOINLINE base::status wait_turn(bool shared, std::int64_t deadline_ns) {
        const caller self = this_caller<Atomics>();
        record me(self.unit, wait_kind::rwlock, this);
        me.shared = shared;
        // Runs under the spin bit. Lets the caller in, unless that would overtake the queue.
        const auto enter = [this, shared](word& w, record*&) noexcept {
            const bool overtakes = !queue_.empty() && !(readers_first && shared);
            if ((w & writer) != 0 || overtakes || (!shared && w >= reader)) {
                return false;
            }
            w += shared ? reader : writer;
            return true;
        };
        const base::status outcome = queue_.wait(me, self.may_wait, deadline_ns, enter);
        if (outcome == base::status::timed_out && !shared) {
            readmit();
        }
        return outcome;
    }

    // Gives up the caller's `share`, `writer` or `reader`. If that frees the lock, hands it over.
    LAZULT_NOINLINE void unlock_slow(word share) noexcept {
        word w = queue_.hold();
        if (share == writer ? (w & writer) == 0 : w < reader) LAZULT_UNLIKELY {
            refuse_unlock("rwlock", this,
                          share == writer ? "it is unlocked, and no writer has locked it"
                                          : "it is unlocked for a reader, and none has locked it");
        }
        w -= share;
        record* served = nullptr;
        if (w < writer) {
            served = share == writer ? take_readers(w) : nullptr;
            if (served == nullptr) {
                served = take_writer(w);
            }
            if (served == nullptr) {
                served = take_readers(w);
            }
        }
        queue_.let_go(w);
        wake_all(served);
    }

    // Called by a writer that gave up. Lets in the readers that waited only because of that writer.
    void readmit() noexcept {
        word w = queue_.hold();
        record* served = (w & writer) == 0 ? take_readers(w, true) : nullptr;
        queue_.let_go(w);
        wake_all(served);
    }

    // The next two functions take waiters out of the queue and count them in `w` as inside. They
    // run under the spin bit, while no caller inside excludes those waiters.
    record* take_writer(word& w) noexcept {
        record* served = take_some(false, 1, false);
        w += served != nullptr ? writer : 0;
        return served;
    }
    record* take_readers(word& w, bool leading = false) noexcept {
        record* served = take_some(true, ~std::uint64_t{0}, leading);
        for (const record* r = served; r != nullptr; r = r->next) {
            w += reader;
        }
        return served;
    }

    // Takes readers (`shared`) or writers out of the queue, until it has claimed `most` of them.
    // Returns the claimed ones as a chain, in the order of the queue. With `leading` it stops at
    // the first waiter of the other kind.
    record* take_some(bool shared, std::uint64_t most, bool leading) noexcept {
        record_chain<Atomics> chain;
        record* last = queue_.last();
        for (record* each = queue_.first(); each != nullptr && most != 0;) {
            record* next = each == last ? nullptr : static_cast<record*>(each->next);
            if (leading && each->shared != shared) {
                break;
            }
            if (each->shared == shared && queue_.take_this(*each)) {
                chain.add(each);
                --most;
            }
            each = next;
        }
        return chain.first();
    }

    queue queue_;
};

extern template class basic_rwlock<ds::default_atomics>;
extern template class basic_rwlock<ds::default_atomics, true>;
using rwlock = basic_rwlock<>;
using readers_first_rwlock = basic_rwlock<ds::default_atomics, true>;

}  // namespace lazult::sync
