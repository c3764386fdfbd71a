/* SPDX-License-Identifier: BSD-3-Clause
 * A stream that ends while a spare stream takes units from its pool, as lazult/sched/lending.hpp has it. One unit may go, and gives way
 * once; one must stay. The stream must not end before both have ended, because its pool may go away then.
 *
 * Each step is a locked instruction, or follows one of its own thread that orders it, so memory is as Spin has it.
 */
bool locked = false;            /* of lending_list */
byte queued_mobile = 1;         /* units in the pool */
byte queued_fixed = 1;
byte lent = 0;
bool has_yielded = false;
byte units = 2;                 /* that have not ended */
bool is_listed = true;          /* the pool, in lending_list */
bool ended = false;             /* the stream: nothing may touch its pool */

#ifndef LOOKS
#define LOOKS 4                 /* of the spare stream; a lock without order might keep the other stream out for ever */
#endif

inline lock() { atomic { !locked -> locked = true } }
inline unlock() { locked = false }

/* The mobile unit runs: it gives way once, by which it comes back to its pool, and ends the next time. */
inline run_mobile() {
    if
    :: !has_yielded -> has_yielded = true; assert(!ended); queued_mobile++
    :: else -> units--
    fi
}

#ifdef PLANT_NO_HOLD_OFF
#define HOLD_OFF skip
#define LET_GO skip
#else
#define HOLD_OFF lock()
#define LET_GO unlock()
#endif

#ifdef PLANT_UNCOUNTED
#define COUNT(change) skip
#else
#define COUNT(change) assert(!ended); lent = lent + change
#endif

active proctype stream() {
    bool is_out_of_work;
    do
    :: atomic { queued_mobile > 0 -> queued_mobile-- }; run_mobile()
    :: atomic { queued_fixed > 0 -> queued_fixed-- }; units--
    :: queued_mobile + queued_fixed == 0 ->
        /* = lazult/sched/scheduler.cpp | const auto held_off = lending().hold_off(); */
        HOLD_OFF;
        /* = lazult/sched/scheduler.cpp | return p->lends() && (p->lent() > 0 || p->maybe_has_work(w)); */
#ifdef PLANT_COUNT_READ_LAST
        is_out_of_work = queued_mobile + queued_fixed == 0;
        is_out_of_work = is_out_of_work && lent == 0;
#else
        is_out_of_work = lent == 0;
        is_out_of_work = is_out_of_work && queued_mobile + queued_fixed == 0;
#endif
        LET_GO;
        if
        :: is_out_of_work -> break
        :: else -> skip
        fi
    od;
    /* = lazult/sched/lendable_fifo.cpp | lending().leave(*this, w);  // no spare stream is in here any more */
    lock();
    is_listed = false;
    unlock();
    ended = true;
    assert(units == 0)
}

active proctype spare() {
    bool has_unit;
    byte looks;
    for (looks : 1 .. LOOKS) {
        lock();
        if
        :: !is_listed -> unlock(); break
        :: else -> skip
        fi;
        has_unit = false;
        /* = lazult/sched/lending.cpp | count.change(1); */
        COUNT(1);
        if
        :: atomic { queued_mobile > 0 -> queued_mobile-- }; has_unit = true
        /* It looks at the unit that must stay, and pushes it back. */
        :: atomic { queued_fixed > 0 -> queued_fixed-- }; assert(!ended); queued_fixed++
        :: queued_mobile + queued_fixed == 0 -> skip
        fi;
        if
        :: !has_unit -> COUNT(-1)
        :: else -> skip
        fi;
        unlock();
        if
        /* = lazult/sched/spare_scheduler.cpp | std::exchange(lender_, nullptr)->change(-1); */
        :: has_unit -> run_mobile(); COUNT(-1)
        :: else -> skip
        fi
    }
}

ltl goes_on { <> ended }
