/* SPDX-License-Identifier: BSD-3-Clause
 * Idle streams sleep, and whoever pushes wakes one: no unit stays in the pool while all sleep. See idle.pml for the memory.
 * Modelled: stream_sleep (lazult/sched/sleep.hpp) over ds::gate, ds::idle_wait and ds::parker; a push into a stealing pool's
 * lane, whose last store is a plain one, and its notify().
 */
#ifndef PUSHERS
#define PUSHERS 1
#endif
#include "idle.pml"

proctype stream(byte me) {
    byte slot;
    mtype seen;
    bool won;
    bool had;
    bool got;
end:
    do
    :: atomic {
            if
            :: work > 0 -> work--; got = true
            :: else -> got = false
            fi
        }
        if
        :: got -> done++
        :: else ->
            prepare(me);
#ifdef PLANT_NO_SECOND_LOOK
            commit(me, slot, seen, won, had)
#else
            /* = lazult/sched/sleep.hpp | if (ready()) */
            if
            :: work > 0 -> cancel(me, slot, seen, won, had)
            :: else -> commit(me, slot, seen, won, had)
            fi
#endif
        fi
    od
}

proctype pusher() {
    byte slot;
    mtype seen;
    bool won;
    bool had;
    /* = lazult/core/worker/steal_lane.hpp | units_.push_into_room(u); */
    buffered_work++;
    /* = lazult/ds/event_count.hpp | Atomics::light_barrier();  // pairs with: idle_wait::prepare(), heavy_barrier */
    notify(slot, seen, won, had)
}

init {
    byte i;
    atomic {
        run memory();
        for (i : 0 .. STREAMS - 1) { run stream(i) }
        for (i : 1 .. PUSHERS) { run pusher() }
    }
}

/* A stream sleeps for good only where there is nothing to do; and what is pushed is done. */
ltl goes_on { <> (done == PUSHERS) }
