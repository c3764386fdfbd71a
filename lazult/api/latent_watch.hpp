// SPDX-License-Identifier: BSD-3-Clause
// A switch: it is on while an idle stream watches the threads that keep calls. While no slots are
// armed it is off, so that all idle streams may sleep for ever.
//
//   off -> on    begin()    an owner that has just armed its slots; it then wakes a stream
//   on  -> off   end()      a stream that has seen no armed slots for a while, and sees none after
//                           it has stored `off`
//
// field   written by         read by            order
// word_   owners, watchers   owners, watchers   relaxed, with barriers. An owner arms its slots and
//                                               then looks at the word; a watcher stores `off` and
//                                               then looks for armed slots. So one sees the other.
//                                               A stream announces its sleep, and then looks at
//                                               the word (scheduler.cpp); an owner calls begin(),
//                                               and then wakes one stream that sleeps. That stream
//                                               wakes the others (latent_watch.cpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::api {

template <class Atomics = ds::default_atomics>
class latent_watch {
public:
    // Called by an owner, after it has armed its slots. Returns true if the watch was off: then the
    // caller must wake a stream.
    bool begin() noexcept {
        Atomics::light_barrier();  // pairs with: end(), heavy_barrier
        return word_.load(std::memory_order_relaxed) == off &&
               word_.exchange(on, std::memory_order_relaxed) == off;
    }
    bool is_on() const noexcept { return word_.load(std::memory_order_relaxed) == on; }

    // Called by a watcher. Returns false, and leaves the watch on, if some slots are armed.
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

// Called by a unit that makes a given call. Wakes one more idle stream, because more may be needed,
// but not more often than every 200 microseconds.
void call_another_seeker() noexcept;
// Called by an owner after it has armed its slots. From then on an idle stream watches them.
void have_slots_watched() noexcept;

}  // namespace lazult::api
