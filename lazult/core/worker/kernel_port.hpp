// SPDX-License-Identifier: BSD-3-Clause
// Where a stream learns of what its units wait for in the kernel: descriptors that become ready,
// file operations that end. A stream has at most one port. It looks there now and then, and sleeps
// there when it has nothing to run. lazult/io makes the ports; schedulers see this interface alone.
//
// No wait is overlooked. A unit that waits calls expect(+1) before its wait can end. The port's
// stream, before it sleeps on its parker's word, has armed the parker, passed the heavy barrier and
// then called is_awaited(). A unit of another stream wakes the parker at slot() after expect(+1).
// So the stream sees the wait, or the waker sees the armed parker. A short sleep has no barrier,
// and ends soon: see sched/sleep.hpp.
//
// field   written by              read by                   order
// waits_  units that wait         the stream, deadlock      add: seq_cst, as io/port.hpp says;
//                                 reports                   loads by a stream that sleeps: relaxed,
//                                                           the barriers of the parking lot order
//                                                           it
// slot_   the port's stream       units of other streams    relaxed: the same
#pragma once

#include <cstdint>

#include "lazult/ds/ds.hpp"

namespace lazult::core {

class kernel_port : public ds::sleeping_place {
public:
    // The holder. Makes the units ready for which something has happened. Returns how many.
    virtual int poll() noexcept = 0;
    // Any thread: the same for the holder, which may be caught in a unit, or may be back.
    virtual int poll_for_holder() noexcept = 0;
    // The holder is no stream any more. Units may still wait in the port.
    virtual void leave() noexcept = 0;

    // Returns whether units waited before.
    bool expect(int change) noexcept {
        // pairs with: is_awaited_by_late_ones()
        return waits_.fetch_add(change, std::memory_order_seq_cst) > 0;
    }
    bool is_awaited() const noexcept { return waits_.load(std::memory_order_relaxed) > 0; }
    // is_awaited() for a thread that has changed what units look at after expect().
    bool is_awaited_by_late_ones() const noexcept {
        return waits_.load(std::memory_order_seq_cst) > 0;  // pairs with: expect()
    }

    // The holder, before it sleeps with its parker of that slot armed.
    void sleeps_at(unsigned slot) noexcept { slot_.store(slot, std::memory_order_relaxed); }
    // The slot of the holder's last sleep; ds::default_slots: none.
    unsigned slot() const noexcept { return slot_.load(std::memory_order_relaxed); }

protected:
    ~kernel_port() = default;

private:
    ds::default_atomics::atomic<int> waits_{0};
    ds::default_atomics::atomic<unsigned> slot_{ds::default_slots};
};

}  // namespace lazult::core
