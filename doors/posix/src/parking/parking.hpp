// SPDX-License-Identifier: BSD-3-Clause
// ULTs that wait for objects of the C library: locks, semaphores, ends of threads. The C library's
// object is the truth: a ULT tries it without waiting, and parks here if it cannot have it. A
// thread that has set the object free looks here, and wakes a ULT that parks for it, which then
// tries again.
//
// No wake-up is lost. A ULT tries the object once more under its queue's spin bit:
//   a ULT        sets the spin bit;  heavy barrier;  tries the object  (and then is listed)
//   a releaser   frees the object;   light barrier;  looks at the word
// So the ULT finds the object free, or the releaser finds the spin bit or the listed ULT. A release
// at which nobody waits costs a look at a word.
//
// The queues are found by the object's address, and objects share queues.
//
// field     written by                  read by      order
// a queue   see sync/wait_queue.hpp     the same     the barriers above
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <new>

#include "lazult/sync/sync.hpp"

namespace lazult::posix {

template <class Atomics = ds::default_atomics>
class basic_parking {
public:
    using record = sync::waiter<Atomics>;
    using queue = sync::wait_queue<Atomics>;

    // Waits until attempt() returns true, or a releaser wakes the caller. attempt() runs on any
    // stack. Returns what wait_queue::wait() does. The record names the object.
    template <class Attempt>
    base::status wait(record& me, const sync::wait_limit& limit, Attempt attempt) {
        return wait_without_barrier(me, limit, [attempt]() mutable noexcept {
            Atomics::heavy_barrier();  // pairs with: is_waited_for(), light_barrier
            return attempt();
        });
    }
    // wait() where attempt() frees a lock that the releaser holds before it looks here, as that of
    // a condition: then the lock orders both.
    template <class Attempt>
    base::status wait_without_barrier(record& me, const sync::wait_limit& limit, Attempt attempt) {
        auto under_the_bit = [attempt](typename queue::word&, record*&) mutable noexcept {
            return attempt();
        };
        return of(me.object).wait(me, true, limit, under_the_bit);
    }

    // Calls attempt() until it returns anything but EBUSY, and returns that; or EBUSY at the limit.
    // In between the caller waits. attempt() runs on any stack.
    template <class Attempt>
    int take(core::work_unit* unit, sync::wait_kind kind, const void* object,
             const sync::wait_limit& limit, Attempt attempt) {
        int result = attempt();
        while (result == EBUSY) {
            record me(unit, kind, object);
            const auto try_again = [&result, attempt]() mutable noexcept {
                result = attempt();
                return result != EBUSY;
            };
            const base::status end = wait(me, limit, try_again);
            if (result != EBUSY || end != base::status::ok) {
                break;
            }
            result = attempt();
        }
        return result;
    }

    // By a thread that has changed the object. Each returns whether it has woken a caller.
    bool wake_one(const void* object) noexcept { return is_waited_for(object) && wake(object, 1); }
    bool wake_all(const void* object) noexcept {
        return is_waited_for(object) && wake(object, ~std::size_t{0});
    }

    // In a forked child: the parent's ULTs do not go on there.
    void forget_parents() noexcept {
        for (place& each : places_) {
            new (&each.waiters) queue;
        }
    }

private:
    struct alignas(base::cache_line) place {
        queue waiters;
    };
    static constexpr std::size_t bits = sync::has_units<Atomics> ? 8 : 0;

    queue& of(const void* object) noexcept {
        const auto number = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(object));
        return places_[bits == 0 ? 0 : number * 0x9e3779b97f4a7c15 >> (64 - bits)].waiters;
    }

    bool is_waited_for(const void* object) noexcept {
        Atomics::light_barrier();  // pairs with: wait(), heavy_barrier
        return (of(object).peek() & (queue::spin | queue::waited_for)) != 0;
    }

    bool wake(const void* object, std::size_t most) noexcept {
        queue& here = of(object);
        const auto word = here.hold();
        sync::record_chain<Atomics> taken;
        record* next = here.empty() ? nullptr : here.first();
        for (record* last = here.last(); next != nullptr && most != 0;) {
            record* const each = next;
            next = each == last ? nullptr : static_cast<record*>(each->next);
            if (each->object == object && here.take_this(*each)) {
                taken.add(each);
                --most;
            }
        }
        here.let_go(word);
        const bool found = taken.first() != nullptr;
        sync::wake_all(taken.first());
        return found;
    }

    std::array<place, std::size_t{1} << bits> places_{};
};

using parking = basic_parking<>;

// For locks, semaphores and ends of threads.
extern parking parked;
// For condition variables, at which OS threads wait, too. While a waiter of one of these queues is
// listed, a lock is freed, so that the spin bits of both are held: first this one.
extern parking parked_at_conditions;

}  // namespace lazult::posix
