// SPDX-License-Identifier: BSD-3-Clause
// How idle streams sleep and are woken. The fast side, run at every push, is one load of a line
// that hardly ever changes; the slow side pays for it with a barrier in all threads.
//
// Source: the event counts of Vyukov (Eigen's EventCount) and folly, with the asymmetric barrier of
// P1202.
//
// - A `gate` stands before each pool with consumers that may sleep. Producers put the work in the
//   pool, and then call notify().
// - A `parking_lot` holds the parkers of all streams, each known by its slot number. Parkers live
//   as long as the lot, so a late waker never touches memory that is gone.
// - An `idle_wait` is one sleep of one stream, on any number of gates at once:
//       ds::idle_wait wait(lot, slot, gates);
//       wait.prepare();                                       // from here on, notify() can claim
//                                                             this stream
//       if (any pool has work, or the stream shall stop) wait.cancel();
//       else wait.commit(deadline);
//   and after either one the stream looks at all its pools again. One that leaves for good instead,
//   or drops a pool, calls notify() on the gates: it may have been claimed for work that is there.
//
// No wake-up is lost. Of the producer (work, light_barrier, load of registered_ and words_) and the
// sleeper (stores to registered_ and words_, heavy_barrier, look at the pools), one sees the
// other's store. If the producer sees the sleeper's bit, clearing it makes this producer the only
// one to wake that sleeper through this gate, so the next notify() wakes somebody else. A claim
// that came to nothing (the sleeper had cancelled, or was claimed through another gate just before)
// is passed on: the sleeper finds its bit cleared and notifies that gate again.
//
// A gate may be made while streams that shall serve its pool are asleep. Then expect() registers
// these streams at the gate, as they would do themselves if they knew of it. A stream that learns
// of such a gate after a sleep may have been claimed through it, so it notifies the gate.
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

#include "lazult/base/base.hpp"
#include "lazult/ds/atomics.hpp"
#include "lazult/ds/parker.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace lazult::ds {

inline constexpr unsigned default_slots = 1024;

// Slots: how many streams can exist at once.
template <class Atomics = default_atomics, unsigned Slots = default_slots>
class parking_lot {
public:
    static constexpr unsigned no_slot = Slots;

    // A free slot for a new stream; no_slot if there is none.
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

    // For what does not come through a pool (a stop request, a message to this stream): store it,
    // then call this. The stream looks for it between prepare() and commit(). True if the stream
    // slept or was about to sleep.
    bool wake(unsigned slot) {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare()
        return at(slot).claim();
    }

    // As wake(), for all streams that sleep. Safe in signal handlers.
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
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    // Anyone, after adding one piece of work: wakes one sleeper if there is any.
    LAZULT_ALWAYS_INLINE void notify() {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare(), heavy_barrier
        // pairs with: enter(), through the barriers
        if (registered_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
            notify_slow(1);
        }
    }

    // Anyone, after adding as many pieces of work.
    void notify_many(unsigned pieces) {
        Atomics::light_barrier();  // pairs with: idle_wait::prepare(), heavy_barrier
        // pairs with: enter(), through the barriers
        if (registered_.load(std::memory_order_relaxed) != 0) {
            notify_slow(pieces);
        }
    }

    void notify_all() { notify_many(Slots); }

    // Before the first notify(), for a stream that may be asleep and does not know this gate:
    // notify() can claim it here too.
    void expect(unsigned slot) { enter(slot); }
    // Anyone, of a stream that sleeps no more and gives its slot back.
    void forget(unsigned slot) {
        // pairs with: enter(), through what made the stream end
        if ((words_[slot / 64].load(std::memory_order_relaxed) & bit(slot)) != 0) {
            clear(slot);
        }
    }

    // The next two belong to idle_wait.
    void enter(unsigned slot) {
        // pairs with: notify(), through the barriers
        registered_.fetch_add(1, std::memory_order_relaxed);
        // Release: a waker that claims by this bit finds the parker armed. pairs with: clear()
        const std::uint64_t before =
            words_[slot / 64].fetch_or(bit(slot), std::memory_order_release);
        if ((before & bit(slot)) != 0) {
            registered_.fetch_sub(1, std::memory_order_relaxed);  // the bit has been counted
        }
    }
    // True if a waker had cleared the stream's bit.
    bool leave(unsigned slot) { return !clear(slot); }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;
    static constexpr unsigned words = (Slots + 63) / 64;

    static std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << slot % 64; }

    // True if this call cleared the bit. Then it has decremented registered_, and its caller alone
    // may claim the sleeper through this gate.
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

    // The first call claims streams that wait. For the pieces that are left, the second call clears
    // the bits of streams that are claimed already or awake. One bit for each piece is enough,
    // because such a stream looks at its pools, or notifies this gate again.
    LAZULT_NOINLINE void notify_slow(unsigned pieces) {
        pieces = wake_some(pieces, true);
        wake_some(pieces, false);
    }

    // Returns how many pieces are left. A sleeper that another waker claims at this very moment
    // does not count, so that the work need not wait until that sleeper runs.
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

    // The gates must stay where they are until commit() or cancel() returns.
    idle_wait(lot& sleepers, unsigned slot, gates doors)
        : parker_(sleepers.at(slot)), slot_(slot), gates_(doors) {}

    void prepare() {
        parker_.arm();
        for (gate<Atomics, Slots>* const door : gates_) {
            door->enter(slot_);
        }
        Atomics::heavy_barrier();  // pairs with: gate::notify(), light_barrier
    }

    // Sleeps. False if the deadline passed before anybody woke the stream.
    bool commit(std::int64_t deadline_ns = parker<Atomics>::no_deadline) {
        const bool woken = parker_.wait(deadline_ns);
        leave(woken ? 1 : 0);
        return woken;
    }

    void cancel() {
        parker_.disarm();
        leave(0);
    }

private:
    // The stream attends to one waker if it was woken (expected is 1), and else to none. If more
    // wakers claimed it, each gate through which they did calls another sleeper. The other gates
    // call nobody: of a thousand streams that sleep, a call at each gate wakes hundreds, and they
    // are claimed more than once in turn.
    void leave(unsigned expected) {
        gate<Atomics, Slots>* attended = nullptr;
        unsigned claims = 0;
        for (gate<Atomics, Slots>* const door : gates_) {
            if (!door->leave(slot_)) {
                continue;
            }
            ++claims;
            if (claims > expected) {
                if (attended != nullptr) {
                    std::exchange(attended, nullptr)->notify();
                }
                door->notify();
            } else {
                attended = door;
            }
        }
    }

    parker<Atomics>& parker_;
    unsigned slot_;
    gates gates_;
};

}  // namespace lazult::ds
