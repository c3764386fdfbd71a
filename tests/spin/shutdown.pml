/* SPDX-License-Identifier: BSD-3-Clause
 * A stream is asked to end while others push: it does end, wherever it is, and what it was woken for goes on to another stream.
 * See idle.pml for the memory. Modelled: scheduler::request_stop(), wait() and ended(), stream::end() and idler::pass_on().
 *
 *   stop       from   to        by
 *              false  true      request_stop (the master), through its store buffer
 *   life       from   to        by
 *              runs   ended     the stream, which has left its pools' gates
 */
#ifndef PUSHERS
#define PUSHERS 1
#endif
#include "idle.pml"

bool has_ended = false;
bool is_joined = false;

/* = lazult/sched/idle.hpp | each->notify(); */
inline pass_on(slot, seen, won, had) {
#ifndef PLANT_NO_PASS_ON
    notify(slot, seen, won, had)
#else
    skip
#endif
}

proctype stream(byte me) {
    byte slot;
    mtype seen;
    bool won;
    bool had;
    bool got;
    bool request;
end:
    do
    :: /* = lazult/sched/scheduler.cpp | const int request = stop_.load(std::memory_order_acquire); */
        request = stop[me];
        if
        /* stop_now: = lazult/sched/scheduler.cpp | return request == stop_now || */
        :: request -> break
        :: else -> skip
        fi;
        atomic {
            if
            :: work > 0 -> work--; got = true
            :: else -> got = false
            fi
        }
        if
        :: got -> done++
        :: else ->
            prepare(me);
            /* = lazult/sched/scheduler.cpp | stop_.load(std::memory_order_acquire) != request; */
            if
#ifndef PLANT_STOP_NOT_LOOKED_FOR
            :: work > 0 || stop[me] != request -> cancel(me, slot, seen, won, had)
            :: else -> commit(me, slot, seen, won, had)
#else
            :: work > 0 -> cancel(me, slot, seen, won, had)
            :: else -> commit(me, slot, seen, won, had)
#endif
            fi
        fi
    od;
    /* = lazult/sched/scheduler.cpp | idle_.pass_on(); */
    pass_on(slot, seen, won, had);
    has_ended = true
}

proctype pusher() {
    byte slot;
    mtype seen;
    bool won;
    bool had;
    buffered_work++;
    notify(slot, seen, won, had)
}

/* = lazult/sched/stream.cpp | main_->request_stop(how); */
proctype master() {
    mtype seen;
    bool won;
#ifdef PLANT_WAKES_FIRST
    claim(0, seen, won);
    buffered_stop = true;
#else
    /* = lazult/sched/scheduler.cpp | stop_.store(how, std::memory_order_release); */
    buffered_stop = true;
    /* = lazult/ds/event_count.hpp | return at(slot).claim(); */
    claim(0, seen, won);
#endif
    /* = lazult/sched/stream.cpp | thread_.join(); */
    has_ended;
    is_joined = true
}

init {
    byte i;
    atomic {
        run memory();
        for (i : 0 .. STREAMS - 1) { run stream(i) }
        for (i : 1 .. PUSHERS) { run pusher() }
        run master()
    }
}

/* With nobody else, what is pushed late is left where it is: stop_now. */
ltl goes_on { <> (is_joined && (STREAMS == 1 || done == PUSHERS)) }
