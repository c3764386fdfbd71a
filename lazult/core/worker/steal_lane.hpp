// SPDX-License-Identifier: BSD-3-Clause
// The owner's end of a work-stealing pool, as the fast paths of creation and join see it: without a
// virtual call, a lock or a locked instruction.
//
// A thief that helps itself here stops every thread of the process for a moment (ds/deque.hpp). So
// it asks first, and the owner gives units at its next operation. While a thief asks, the fast
// paths are closed, so that the owner comes to the pool's functions, which give. If the owner does
// not answer, because its unit computes or its thread does not run, the thief helps itself.
//
// Units that gave way stand in a queue of their own, turns_. The owner takes them when the deque is
// empty. It may put the running unit there just before the switch that saves it: a thief leaves
// such a unit where it is.
//
//   asked_   nobody, now -> ahead   ask_ahead()   a thief that has found nothing here; another one
//                                                 may have asked after that look
//            nobody, ahead -> now   ask()         a thief that is about to help itself
//            any -> nobody          answer()      the owner
//
// field    written by          read by     order
// asked_   thieves, the owner  the owner   relaxed: a hint, and no data behind it
// enough_, room_  the owner    the owner   plain
// units_   see ds/deque.hpp
// turns_   see ds/owned_fifo.hpp
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include "lazult/core/worker/pool.hpp"

namespace lazult::core {

template <class Unit, class Home, class Door, class Atomics = ds::default_atomics>
class basic_steal_lane {
public:
    using deque = ds::deque<Unit, Atomics>;

    basic_steal_lane(const Home& home, Door& door, std::size_t capacity = deque::default_capacity)
        : home_(&home), door_(&door), units_(capacity), room_(units_.capacity()) {}

    // --- by the owner's thread

    // Returns whether `home` is this lane's pool and no thief asks, so that fast paths may be used.
    bool is_open_for(const Home* home) const noexcept { return home == home_ && !is_asked(); }
    const Home* home() const noexcept { return home_; }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed) != nobody; }
    void answer() noexcept { asked_.store(nobody, std::memory_order_relaxed); }

    // Makes the unit available here and to thieves. Returns false if the deque is full, and there
    // is no memory to grow it.
    bool push(Unit* u) noexcept {
        try {
            units_.push(u);
            measure_room();
        } catch (const std::bad_alloc&) {
            return false;
        }
        door_->notify();
        return true;
    }
    // After has_room() has returned true, push_into_room() may replace push(). It makes no call.
    bool has_room() const noexcept { return units_.has_room(); }
    LAZULT_ALWAYS_INLINE void push_into_room(Unit* u) noexcept {
        units_.push_into_room(u);
        door_->notify();
    }
    // Sets how many units in the deque are enough for thieves, so that new units may start at once:
    // see at_once.hpp. 0: no number is enough.
    void set_enough(std::size_t units) noexcept {
        enough_ = units;
        measure_room();
    }
    bool holds_enough() noexcept { return enough_ != 0 && units_.recount() >= enough_; }
    // Returns whether more units than `enough_` are ready here, including those that gave way.
    bool is_longer_than_enough() const noexcept { return size_estimate() > enough_; }
    // Returns whether the deque has room and fewer than `enough_` units. Makes no call. Returns
    // false while that is not certain.
    bool has_room_and_wants_more() const noexcept { return units_.has_room_below(room_); }
    bool is_newest(const Unit* u) const noexcept { return units_.is_bottom(u); }
    // Takes the unit if it is the newest. Returns false also if a thief was faster.
    bool take(Unit* u) noexcept { return units_.pop_if(u); }
    // take_oldest() takes the unit if it is the oldest, by a locked instruction. Returns false also
    // if a thief was faster.
    bool is_oldest(const Unit* u) const noexcept { return units_.is_top(u); }
    bool take_oldest(const Unit* u) noexcept { return units_.take_oldest_if(u); }
    // Takes the newest unit, after is_newest() has returned true. False: a thief was faster.
    LAZULT_ALWAYS_INLINE bool take_newest() noexcept { return units_.take_bottom(); }

    // Takes the newest unit, or else the first of those that gave way. Returns null if there is
    // neither, or a thief was faster. Makes no call.
    LAZULT_ALWAYS_INLINE Unit* pop() noexcept {
        Unit* const newest = units_.pop_without_call();
        return newest != nullptr ? newest : turns_.pop();
    }
    // Puts a unit that gave way behind the others. Returns false while a thief is in turns_.
    bool push_turn(Unit* u) noexcept {
        const bool has_pushed = turns_.push(u);
        set_quiet(false);
        door_->notify();
        return has_pushed;
    }
    // The same, but wakes no thief, and thieves leave such units alone for longer.
    bool push_turn_quietly(Unit* u) noexcept {
        set_quiet(true);
        return turns_.push(u);
    }
    // The running unit yields: this puts it at the end of turns_, before its context is saved, and
    // returns the unit that runs next, as pop() does. Returns null, and changes nothing, if no
    // other unit is here or a thief is taking one.
    LAZULT_ALWAYS_INLINE Unit* change_turns(Unit* self) noexcept {
        if (units_.empty_estimate()) LAZULT_LIKELY {
            // No notify(): as many units as before are here, so no sleeping thief would see more.
            return turns_.rotate(self, begin_to_leave);
        }
        return change_to_newest(self);
    }
    Unit* take_turn() noexcept { return turns_.pop(); }

    // Called by the owner after a thief has asked. Hands the oldest units to put(): one if at most
    // `most` are in the deque, because each of a few may be the root of many; else up to half of
    // them, and at most `most`. If the deque is empty, hands over half of those that gave way.
    // Returns how many units put() has taken. If put() returns false, that unit stays. If there is
    // nothing to give, the request stays open for the next unit. A thief that has only asked ahead
    // does not get an only unit that has run before: the owner goes on with it at its next switch.
    // See sched/theft_patience.hpp.
    template <class Put>
    unsigned give(unsigned most, Put put) noexcept {
        const std::size_t all = units_.size_estimate();
        if (is_asked_ahead() && ((all == 1 && holds_only_resumed()) || is_quiet())) {
            answer();
            return 0;
        }
        const std::size_t wanted = all <= most ? 1 : std::min<std::size_t>(most, all / 2);
        unsigned given = 0;
        for (Unit* u = nullptr; given < wanted && (u = units_.take_oldest()) != nullptr; ++given) {
            if (!put(*u)) LAZULT_UNLIKELY {
                push(u);  // into the room that it left
                answer();
                return given;
            }
        }
        given = given != 0 ? given : give_turns(most, put);
        if (given != 0) {
            answer();
        }
        return given;
    }

    // --- by anybody

    // ask() wants a unit now, ask_ahead() the next one that can be spared.
    void ask() noexcept { asked_.store(now, std::memory_order_relaxed); }
    void ask_ahead() noexcept { asked_.store(ahead, std::memory_order_relaxed); }
    // Asks, looks `patience` times with take_given() whether the owner has given a unit, and then
    // helps itself.
    template <class TakeGiven>
    Unit* take_as_thief(int patience, TakeGiven take_given) noexcept {
        if (empty_estimate()) {
            return nullptr;
        }
        ask();
        for (int i = 0; i < patience; ++i) {
            Atomics::pause();
            if (Unit* const u = take_given(); u != nullptr) {
                return u;
            }
        }
        Unit* const oldest = units_.empty_estimate() ? nullptr : units_.steal();
        return oldest != nullptr ? oldest : turns_.take([](const Unit& u) { return u.has_left(); });
    }
    bool empty_estimate() const noexcept {
        return units_.empty_estimate() && turns_.empty_estimate();
    }
    // Whether there are units here, and all were pushed quietly, as it seems.
    bool is_quiet() const noexcept {
        return quiet_.load(std::memory_order_relaxed) && units_.empty_estimate() &&
               !turns_.empty_estimate();
    }
    std::size_t size_estimate() const noexcept {
        return units_.size_estimate() + turns_.size_estimate();
    }
    template <class Visit>
    void for_each(bool by_owner, Visit&& visit) {
        units_.for_each(visit);
        turns_.for_each(by_owner, visit);
    }
    deque& units() noexcept { return units_; }
    const deque& units() const noexcept { return units_; }

private:
    enum : std::uint8_t { nobody, ahead, now };

    bool is_asked_ahead() const noexcept { return asked_.load(std::memory_order_relaxed) == ahead; }
    // For a deque with one unit: whether that unit has run before, and none stands in turns_.
    bool holds_only_resumed() const noexcept {
        const Unit* const only = units_.peek_newest();
        return turns_.empty_estimate() && only != nullptr && only->is_resumed();
    }
    void set_quiet(bool quiet) noexcept {
        if (quiet_.load(std::memory_order_relaxed) != quiet) {
            quiet_.store(quiet, std::memory_order_relaxed);
        }
    }
    void measure_room() noexcept {
        room_ = enough_ == 0 ? units_.capacity() : std::min(enough_, units_.capacity());
    }
    LAZULT_NOINLINE Unit* change_to_newest(Unit* self) noexcept {
        Unit* const newest = units_.pop();
        if (newest != nullptr && !turns_.push(self, begin_to_leave)) LAZULT_UNLIKELY {
            push(newest);  // into the room that it left
            return nullptr;
        }
        door_->notify();
        return newest;
    }
    static constexpr auto begin_to_leave = [](Unit& u) noexcept { u.begin_to_leave(); };

    template <class Put>
    unsigned give_turns(unsigned most, Put put) noexcept {
        const std::size_t wanted = std::min<std::size_t>(most, (turns_.size_estimate() + 1) / 2);
        unsigned given = 0;
        for (Unit* u = nullptr; given < wanted && (u = turns_.pop()) != nullptr; ++given) {
            const bool has_left = u->has_left();  // the running unit has not, while it yields
            if (!has_left || !put(*u)) LAZULT_UNLIKELY {
                while (!turns_.push(u)) {
                    Atomics::pause();  // a thief is there, for some instructions
                }
                if (has_left) {
                    answer();
                }
                break;
            }
        }
        return given;
    }

    const Home* home_;
    Door* door_;
    typename Atomics::template atomic<std::uint8_t> asked_{nobody};
    typename Atomics::template atomic<bool> quiet_{false};  // of the last push to turns_: a hint
    deque units_;
    std::size_t enough_ = 0;
    std::size_t room_;
    ds::owned_fifo<Unit, &Unit::next, Atomics> turns_;
};

class steal_lane : public basic_steal_lane<work_unit, pool, ds::gate<>> {
public:
    using basic_steal_lane::basic_steal_lane;
};

}  // namespace lazult::core
