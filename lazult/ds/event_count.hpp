// SPDX-License-Identifier: BSD-3-Clause
// An event count, by which idle streams sleep and are woken. notify(), which runs at every push, is
// one load of a line that hardly ever changes. A stream that goes to sleep pays for that with a
// barrier in all threads.
//
// Source: the event counts of Vyukov (Eigen's EventCount) and folly, with the asymmetric barrier of
// P1202.
//
// - A `gate` stands before each pool with consumers that may sleep. Producers put the work in the
//   pool, and then call notify().
// - A `parking_lot` holds the parkers of all streams, each at its slot number. Parkers live as long
//   as the lot, so a waker that comes late never touches freed memory.
// - An `idle_wait` is one sleep of one stream, on any number of gates at once:
//       ds::idle_wait wait(lot, slot, gates);
//       wait.prepare();                                       // from here on, notify() can claim
//                                                             this stream
//       if (any pool has work, or the stream shall stop) wait.cancel();
//       else wait.commit(deadline);
//   After either call the stream looks at all its pools again, because it may have been claimed for
//   work there. A stream that ends instead, or drops a pool, calls notify() on the gates, which
//   passes such a claim on.
//
// No wake-up is lost. The producer adds work, passes light_barrier and loads registered_ and
// words_. The sleeper stores to registered_ and words_, passes heavy_barrier and looks at the
// pools. So at least one sees the other's store. A producer that sees the sleeper's bit clears it.
// Only the thread that clears the bit may claim that sleeper through this gate, so the next
// notify() claims another sleeper. A claim may come too late, because the sleeper has cancelled or
// was claimed through another gate. The sleeper then finds its bit cleared, and notifies that gate
// again.
//
// A gate may be made while streams that shall serve its pool are asleep. Then expect() registers
// these streams at the gate. A stream that learns of such a gate when it wakes may have been
// claimed through it, so it notifies the gate.
//
// field         | written by                         | read by   | order
// registered_   | the setter of a bit: +1 before it, | notify    | relaxed: >= the number of bits
//               | -1 if the bit was set already; the |           |
//               | clearer of a bit: -1 after it      |           |
// words_        | prepare and expect set, notify,    | notify    | set: release; clear: acquire
//               | forget and the sleeper clear:      |           |
//               | the stream's bit                   |           |
// parkers_      | see parker                         |           |
// taken_        | take_slot and give_slot            | take_slot | CAS acquire; give: release
#pragma once

#include "lazult/ds/parker.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

namespace lazult::ds {

inline constexpr unsigned default_slots = 1024;

// Slots: the largest number of streams that can exist at the same time.
template <class Atomics = default_atomics, unsigned Slots = default_slots>
class parking_lot {
public:
    static constexpr unsigned no_slot = Slots;

    // Returns a free slot for a new stream, or no_slot.
    unsigned take_slot() {
        for (unsigned word = 0; word < words; ++word) {
            // the CAS below acquires
            std::uint64_t taken = taken_[word].load(std::memory_order_relaxed);
            while (~taken != 0) {
                const auto bit = static_cast<unsigned>(std::countr_one(taken));
                if (word * 64 + bit >= Slots) {
                    break;
                }
                // Acquire: the stream that had the slot is done with it. pairs with: give_slot()
                if (taken_[word].compare_exchange_strong(taken, taken | std::uint64_t{1} << bit,
                                                         std::memory_order_acquire,
                                                         std::memory_order_relaxed)) {
                    return word * 64 + bit;
                }
            }
        }
        return no_slot;
    }

    void give_slot(unsigned slot) {
        // pairs with: take_slot(), CAS
        taken_[slot / 64].fetch_and(~(std::uint64_t{1} << slot % 64), std::memory_order_release);
    }

    parker<Atomics>& at(unsigned slot) { return parkers_[slot]; }

    // Wakes one stream for something that does not come through a pool: a stop request, a message.
    // Store it before this call. The stream looks for it between prepare() and commit(). Returns
    // true if the stream slept or was about to sleep.
    bool wake(unsigned slot) {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare()
        return at(slot).claim();
    }

    // Does what wake() does, for all streams that sleep. Safe in signal handlers.
    void wake_all() {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare()
        for (parker<Atomics>& each : parkers_) {
            each.claim();
        }
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;
    static constexpr unsigned words = (Slots + 63) / 64;

    std::array<atomic<std::uint64_t>, words> taken_;
    std::array<parker<Atomics>, Slots> parkers_;
};

template <class Atomics = default_atomics, unsigned Slots = default_slots>
class gate {
public:
    using lot = parking_lot<Atomics, Slots>;

    explicit gate(lot& sleepers) : lot_(sleepers) {}

    // Any thread, after adding one piece of work: wakes one sleeper if there is one.
    LAZULT_ALWAYS_INLINE void notify() {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare(), heavy_barrier
        // pairs with: enter(), through the barriers
        if (registered_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
            notify_slow(1);
        }
    }

    // Any thread, after adding `pieces` pieces of work: wakes at most that many sleepers.
    void notify_many(unsigned pieces) {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare(), heavy_barrier
        // pairs with: enter(), through the barriers
        if (registered_.load(std::memory_order_relaxed) != 0) {
            notify_slow(pieces);
        }
    }

    void notify_all() { notify_many(Slots); }

    // Registers a stream that may be asleep and does not know this gate, so that notify() can claim
    // it through this gate too. Call this before the first notify().
    void expect(unsigned slot) { enter(slot); }
    // Any thread: removes the bit of a stream that no longer sleeps and gives its slot back.
    void forget(unsigned slot) {
        // pairs with: enter(), through what made the stream end
        if ((words_[slot / 64].load(std::memory_order_relaxed) & bit(slot)) != 0) {
            clear(slot);
        }
    }

    // For idle_wait and expect(): registers the stream here.
    void enter(unsigned slot) {
        // pairs with: notify(), through the barriers
        registered_.fetch_add(1, std::memory_order_relaxed);
        // Release: a waker that claims by this bit finds the parker armed. pairs with: clear()
        const std::uint64_t before =
            words_[slot / 64].fetch_or(bit(slot), std::memory_order_release);
        if ((before & bit(slot)) != 0) {
            registered_.fetch_sub(1, std::memory_order_relaxed);  // the bit was counted before
        }
    }
    // For idle_wait. Clears the stream's bit. Returns true if a waker had cleared it already.
    bool leave(unsigned slot) { return !clear(slot); }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;
    static constexpr unsigned words = (Slots + 63) / 64;

    static std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << slot % 64; }

    // Returns true if this call cleared the bit. Then the call has decremented registered_, and its
    // caller alone may claim the sleeper through this gate.
    bool clear(unsigned slot) {
        // pairs with: enter()
        const std::uint64_t before =
            words_[slot / 64].fetch_and(~bit(slot), std::memory_order_acquire);
        if ((before & bit(slot)) == 0) {
            return false;
        }
        registered_.fetch_sub(
            1, std::memory_order_relaxed);  // pairs with: notify(): a hint that is never too low
        return true;
    }

    // The first wake_some() claims streams that wait. For the pieces that are left, the second one
    // clears the bits of streams that are awake or claimed already. One bit for each piece is
    // enough, because such a stream looks at its pools, or notifies this gate again.
    LAZULT_NOINLINE void notify_slow(unsigned pieces) {
        pieces = wake_some(pieces, true);
        wake_some(pieces, false);
    }

    // Clears the bits of sleepers and claims them, one for each piece. Returns how many pieces are
    // left. With `only_waiting`, a sleeper that another waker claims meanwhile does not count, so
    // that the work need not wait until that sleeper runs.
    unsigned wake_some(unsigned pieces, bool only_waiting) {
        for (unsigned word = 0; word < words && pieces != 0; ++word) {
            // pairs with: enter(), through the barriers
            std::uint64_t sleepers = words_[word].load(std::memory_order_relaxed);
            while (sleepers != 0 && pieces != 0) {
                const unsigned slot = word * 64 + static_cast<unsigned>(std::countr_zero(sleepers));
                sleepers &= sleepers - 1;
                if (only_waiting && !lot_.at(slot).is_waiting()) {
                    continue;
                }
                if (clear(slot) && (lot_.at(slot).claim() || !only_waiting)) {
                    --pieces;
                }
            }
        }
        return pieces;
    }

    lot& lot_;
    alignas(base::cache_line) atomic<std::int32_t> registered_{0};
    std::array<atomic<std::uint64_t>, words> words_;
};

template <class Atomics = default_atomics, unsigned Slots = default_slots>
class idle_wait {
public:
    using lot = parking_lot<Atomics, Slots>;
    using gates = std::span<gate<Atomics, Slots>* const>;

    // `served`: the gates of the stream's pools. They must live until commit() or cancel() returns.
    idle_wait(lot& sleepers, unsigned slot, gates served)
        : parker_(sleepers.at(slot)), slot_(slot), gates_(served) {}

    void prepare() {
        prepare_for_short();
        Atomics::heavy_barrier();  // pairs with: gate::notify(), light_barrier
    }

    // As prepare(), but without the barrier, which costs microseconds and interrupts other threads.
    // A waker that comes at the same time may miss the sleeper. So commit() needs a deadline soon,
    // after which the stream looks for work, and calls prepare() before it sleeps for longer.
    void prepare_for_short() {
        parker_.arm();
        for (gate<Atomics, Slots>* const each : gates_) {
            each->enter(slot_);
        }
    }

    // Sleeps until claimed. Returns false if the deadline (CLOCK_MONOTONIC, in ns) came first.
    bool commit(std::int64_t deadline_ns = parker<Atomics>::no_deadline) {
        const bool woken = parker_.wait(deadline_ns);
        leave(woken ? 1 : 0);
        return woken;
    }

    // As commit(), but sleeps in `place`, which may also end the sleep. Returns false if the
    // deadline came first.
    bool commit_in(sleeping_place& place, std::int64_t deadline_ns) {
        bool in_time = true;
        const bool woken = parker_.wait_in(place, deadline_ns, in_time);
        leave(woken ? 1 : 0);
        return woken || in_time;
    }

    void cancel() {
        parker_.disarm();
        leave(0);
    }

private:
    // Clears the stream's bits. The stream serves one claim if it was woken (`expected` is 1), else
    // none. If there are more claims, each gate through which one came notifies another sleeper.
    // Gates without a claim notify nobody: of a thousand sleepers, that would wake hundreds, and
    // these would in turn be claimed more than once.
    void leave(unsigned expected) {
        gate<Atomics, Slots>* attended = nullptr;
        unsigned claims = 0;
        for (gate<Atomics, Slots>* const each : gates_) {
            if (!each->leave(slot_)) {
                continue;
            }
            ++claims;
            if (claims > expected) {
                if (attended != nullptr) {
                    std::exchange(attended, nullptr)->notify();
                }
                each->notify();
            } else {
                attended = each;
            }
        }
    }

    parker<Atomics>& parker_;
    unsigned slot_;
    gates gates_;
};

}  // namespace lazult::ds
