// SPDX-License-Identifier: BSD-3-Clause
// Whether an idle stream looks after threads that keep calls, so that all may sleep for ever while
// no slots are armed.
//
//   off -> on    begin()    an owner that has just armed its slots: it then wakes a stream
//   on  -> off   end()      a stream that has seen no armed slots for a while, and sees none now
//                           either
//
// field   written by         read by            order
// word_   owners, watchers   owners, watchers   relaxed, with barriers: an owner arms its slots and
//                                               then looks; a watcher ends the watch, and then
//                                               looks for armed slots. One of them sees the other.
//                                               A stream announces its sleep, and then looks
//                                               (scheduler.cpp); an owner begins, and then wakes
//                                               one stream that sleeps. That one wakes the others
//                                               (latent_watch.cpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::api {

template <class Atomics = ds::default_atomics>
class latent_watch {
public:
    // By an owner, after it has armed its slots. True: nobody watches, and the caller wakes
    // somebody.
    bool begin() noexcept {
        Atomics::light_barrier();  // pairs with: end(), heavy_barrier
        return word_.load(std::memory_order_relaxed) == off &&
               word_.exchange(on, std::memory_order_relaxed) == off;
    }
    bool is_on() const noexcept { return word_.load(std::memory_order_relaxed) == on; }

    // By a watcher. False: some slots are armed, and the watch goes on.
    template <class IsArmed>
    bool end(IsArmed any_is_armed) noexcept {
        word_.store(off, std::memory_order_relaxed);
        Atomics::heavy_barrier();  // pairs with: begin(), light_barrier
        if (!any_is_armed()) {
            return true;
        }
        word_.store(on, std::memory_order_relaxed);
        return false;
    }

private:
    enum : std::uint32_t { off, on };
    typename Atomics::template atomic<std::uint32_t> word_{off};
};

// By a unit that makes a given call: more streams may be needed, so one more is woken, though not
// often.
void call_another_seeker() noexcept;
// By an owner, after it has armed its slots: an idle stream looks after them from then on.
void have_slots_watched() noexcept;

}  // namespace lazult::api
