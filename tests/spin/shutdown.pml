/* SPDX-License-Identifier: BSD-3-Clause
 * A stream is asked to end while others push: it does end, wherever it is, and what it was woken for goes on to another stream.
 * See idle.pml for the memory. Modelled: scheduler::request_stop(), wait(), ended() and pass_on(), and stream::end().
 *
 *   stop       from   to        by
 *              false  true      request_stop (the master), through its store buffer
 *   life       from   to        by
 *              runs   ended     the stream, which has left its pools' gates
 */
#ifndef PUSHERS
#define PUSHERS 1
#endif
/* By the pusher, of which there is one: its unit is the buffer's only one. */
#define CLAIM_PUBLISHES if :: pushes -> flush_work() :: else -> skip fi
#include "idle.pml"

bool has_ended = false;
bool is_joined = false;

inline pass_on(slot, seen, won, had) {
#ifndef PLANT_NO_PASS_ON
    if
    /* = lazult/sched/scheduler.cpp | if (p->maybe_has_work(w)) { */
    :: work > 0 ->
        /* = lazult/sched/scheduler.cpp | p->idle_gate().notify(); */
        notify(slot, seen, won, had)
    :: else -> skip
    fi
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
    bool pushes = false;
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
    /* = lazult/sched/scheduler.cpp | pass_on(w); */
    pass_on(slot, seen, won, had);
    has_ended = true
}

proctype pusher() {
    byte slot;
    mtype seen;
    bool won;
    bool had;
    bool pushes = true;
    buffered_work++;
    notify(slot, seen, won, had)
}

/* = lazult/sched/stream.cpp | main_->request_stop(how); */
proctype master() {
    mtype seen;
    bool won;
    bool pushes = false;
#ifdef PLANT_WAKES_FIRST
    claim(0, seen, won);
    buffered_stop = true;
#else
    /* = lazult/sched/scheduler.cpp | stop_.store(how, std::memory_order_release); */
    buffered_stop = true;
    /* = lazult/ds/event_count.hpp | return at(slot).claim(); */
    claim(0, seen, won);
#endif
    /* = lazult/sched/stream.cpp | os::join_thread(thread_); */
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
