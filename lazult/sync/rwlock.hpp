// SPDX-License-Identifier: BSD-3-Clause
// Many readers or one writer. Nobody starves, because phases alternate: while a writer waits, new
// readers queue; when a writer leaves, all readers that wait go first; when the last reader leaves,
// the writer that waited longest goes. A lock that becomes free is handed over, so that nobody
// overtakes the waiters.
//
// The other kind (`readers_first`) has no phases: a reader waits only while a writer is inside. So
// a caller may lock again what it has locked for reading already. Writers may starve.
//
// The state in the word: the number of readers inside, and a bit for the writer.
//   0 -> writer          lock, try_lock, while nobody waits
//   r -> r + 1           lock_shared, try_lock_shared, while there is no writer and, but for the
//                        other kind, nobody waits
//   r -> r - 1           unlock_shared; by the last one, while a writer waits: 1 -> writer, handed
//                        over
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

    constexpr basic_rwlock() noexcept = default;

    // Misuse in a tasklet, if it would have to wait.
    void lock() {
        if (!try_lock() && wait_turn(false, no_deadline) != base::status::ok) {
            refuse_to_wait("rwlock", "use try_lock(), or lock it from a ULT");
        }
    }
    LAZULT_ALWAYS_INLINE bool try_lock() noexcept {
        word w = 0;
        return queue_.update(w, writer);
    }
    // ok, timed_out, or cannot_suspend in a tasklet.
    base::status lock_until(std::int64_t deadline_ns) {
        return try_lock() ? base::status::ok : wait_turn(false, deadline_ns);
    }
    // unlock() and unlock_shared(): misuse if nobody has locked it in this way.
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

    // Hints.
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
        // Under the spin bit. Nobody overtakes the queue.
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

    // By a caller that leaves. `share` is what it held: `writer` or `reader`.
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

    // A writer gave up. Readers that waited only because of that writer go in now.
    void readmit() noexcept {
        word w = queue_.hold();
        record* served = (w & writer) == 0 ? take_readers(w, true) : nullptr;
        queue_.let_go(w);
        wake_all(served);
    }

    // The next two run under the spin bit, when no caller is inside that excludes the callers to be
    // taken. They count the callers that they take in `w`.
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

    // Takes waiters of one kind out of the queue, until it has claimed `most` of them. Returns the
    // claimed ones as a chain, in the order of the queue. With `leading` it stops at the first
    // waiter of the other kind.
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
