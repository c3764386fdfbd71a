/* SPDX-License-Identifier: BSD-3-Clause
 * A stream's port, into which a spare stream looks, too: lazult/io/port.hpp. Events come to one of the two, and the stream must not sleep
 * on when a unit is ready. Three units become ready: one waits for a descriptor, one for a file in the ring, and one is pushed by another
 * stream. The spare stream runs none of them here, so the port's stream, the holder, must run all. It is caught where it stands between
 * two steps. The ring's service thread hands operations to the kernel, when the holder or the spare stream calls it.
 *
 * Each step is a locked instruction, a system call, or follows one of its own thread that orders it, so memory is as Spin has it.
 */
#ifndef LOOKS
#define LOOKS 3                 /* of the spare stream */
#endif
#define UNITS 3

mtype = { idle, armed, elsewhere, claimed };
mtype parker = idle;           /* the holder's */
bool listed = false;            /* the holder, at its pool's gate */
byte ready = 0;                 /* units in the holder's pool */
byte done = 0;

/* What epoll has to report. */
bool edge = false;              /* of the descriptor: once, to one thread */
bool bell = false;              /* the same for each stroke of the bell */
byte ends = 0;                  /* in the ring, until they are reaped */
byte left = 1;                  /* operations in the queue of the ring's service thread */
bool called = false;            /* that thread */
byte operations = 0;            /* that the kernel has */
bool ring_locked = false;

/* = lazult/ds/parker.hpp | where->interrupt(); */
inline claim(seen) {
    atomic {
        seen = parker;
        if
        :: parker == armed || parker == elsewhere -> parker = claimed
        :: else -> skip
        fi
    }
    if
    :: seen == elsewhere -> bell = true
    :: else -> skip
    fi
}

/* = lazult/ds/event_count.hpp | if (clear(slot) && (lot_.at(slot).claim() || !only_waiting)) */
inline notify(seen, had) {
    atomic { had = listed; listed = false }
    if
    :: had -> claim(seen)
    :: else -> skip
    fi
}

inline push(seen, had) {
    ready++;
    notify(seen, had)
}

/* = lazult/io/ring.cpp | came_.notify_one(); */
inline call_server() {
    if
#ifndef PLANT_NO_CALL
    :: left > 0 -> called = true
#endif
    :: else -> skip
    fi
}

/* Two steps, so that two threads at a time would be seen. */
inline reap(reaped) {
    reaped = ends;
    ends = ends - reaped
}

inline lock_ring() { atomic { !ring_locked -> ring_locked = true } }

active proctype holder() {
    byte reaped;
    bool took_edge;
    bool sleeps;
end:
    do
    :: atomic { ready > 0 -> ready--; done++ }; assert(done <= UNITS)
    :: ready == 0 ->
        parker = armed;
        listed = true;
        /* = lazult/sched/sleep.hpp | if (ready()) { here_.cancel(); return true; } */
        sleeps = ready == 0;
        /* = lazult/ds/parker.hpp | if (state_.compare_exchange_strong(state, elsewhere, std::memory_order_release, */
        atomic {
            if
            :: sleeps && parker == armed -> parker = elsewhere
            :: else -> sleeps = false
            fi
        }
        if
        :: sleeps ->
            /* = lazult/io/port.cpp | const int reaped = ring_->submit_and_reap(); tell_others(reaped); */
            call_server();
            lock_ring();
            reap(reaped);
            ring_locked = false;
            ready = ready + reaped;
            if
            :: reaped == 0 ->
                /* = lazult/io/port.cpp | const int found = wait_ns(epoll_, events, timeout_ns); */
end_of_work:    atomic { edge || bell || ends > 0 -> took_edge = edge; edge = false; bell = false }
                ready = ready + took_edge;
                took_edge = false;
                /* = lazult/io/port.cpp | ready += ring_->reap(); */
                lock_ring();
                reap(reaped);
                ring_locked = false;
                ready = ready + reaped
            :: else -> skip
            fi
        :: else -> skip
        fi;
        parker = idle;
        listed = false
    od
}

active proctype spare() {
    byte look;
    byte reaped;
    bool took_edge;
    bool took_bell;
    bool had;
    mtype seen;
    for (look : 1 .. LOOKS) {
        call_server();
        /* = lazult/io/ring.cpp | const std::unique_lock here(lock_, std::try_to_lock); here.owns_lock() */
        if
#ifdef PLANT_NO_LOCK
        :: true ->
#else
        :: atomic { !ring_locked -> ring_locked = true }
#endif
            reap(reaped);
            ring_locked = false;
            do
            :: reaped > 0 -> reaped--; push(seen, had)
            :: else -> break
            od
        :: ring_locked -> skip
        fi;
        /* = lazult/io/port.cpp | const int found = wait_ns(epoll_, events, 0); */
        atomic { took_edge = edge; edge = false; took_bell = bell; bell = false };
        if
        /* = lazult/io/port.cpp | else if (events[i].data.u64 == the_bell) { interrupt(); */
#ifndef PLANT_BELL_KEPT
        :: took_bell -> bell = true
#endif
        :: else -> skip
        fi;
        if
        /* = lazult/io/port.cpp | ready += hear(*d, events[i].events, sync::urgency::none); */
#ifdef PLANT_QUIET
        :: took_edge -> ready++
#else
        :: took_edge -> push(seen, had)
#endif
        :: else -> skip
        fi
    }
}

/* It looks into the queue before it waits for a call, so a call is not forgotten. */
active proctype server() {
end:
    do
    /* = lazult/io/ring.cpp | came_.wait(hold, [this]() noexcept { return first_ != nullptr; }); */
    :: atomic { called && left > 0 -> called = false; operations = operations + left; left = 0 }
    od
}

active proctype kernel() {
    bool has_come = false;
end:
    do
    :: atomic { !has_come -> edge = true; has_come = true }
    :: atomic { operations > 0 -> operations--; ends++ }
    od
}

active proctype pusher() {
    bool had;
    mtype seen;
    push(seen, had)
}

ltl goes_on { <> (done == UNITS) }
