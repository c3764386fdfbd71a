/* SPDX-License-Identifier: BSD-3-Clause
 * What sleep.pml and shutdown.pml share: pools, gates and parkers as lazult/ds/event_count.hpp and parker.hpp have them.
 *
 * Memory: Spin's is sequentially consistent, a processor's is not. What counts here is that a store may wait in its processor's
 * buffer while a later load of the same thread reads memory (store buffering, as in Dekker's mutual exclusion). So the plain stores of
 * those who push and stop go into a buffer of their thread's own, which reaches memory when it likes (proctype memory), at the latest
 * at the thread's own next read-modify-write, or when a heavy barrier of any thread makes all threads empty theirs, as
 * membarrier() does. A light barrier is nothing. Read-modify-writes are locked instructions: they empty the buffer and then act
 * on memory, in one step.
 */
#ifndef PUSHERS
#define PUSHERS 1
#endif
#ifndef STREAMS
#define STREAMS 2
#endif

/* What a successful claim does to the buffer of the thread that makes it: who is claimed acquires what that thread did before. A model
 * in which streams rely on it says so; nothing is weaker. */
#ifndef CLAIM_PUBLISHES
#define CLAIM_PUBLISHES skip
#endif

mtype = { no, armed, sleeping, claimed };
mtype parker[STREAMS] = no;
bool is_awake[STREAMS] = true;  /* of the futex: false while the thread sleeps */
bool listed[STREAMS] = false;      /* gate: words_ */
byte registered = 0;            /* gate: registered_ */
byte work = 0;                  /* units in the pool, as everybody sees it */
byte done = 0;
bool stop[STREAMS] = false;     /* stop_ of a stream's scheduler */

/* Store buffers: of each pusher one unit, of the master one request. */
byte buffered_work = 0;
bool buffered_stop = false;

inline flush_work() { work = work + buffered_work; buffered_work = 0 }
inline flush_stop() { if :: buffered_stop -> stop[0] = true; buffered_stop = false :: else -> skip fi }

proctype memory() {
end:
    do
    :: atomic { buffered_work > 0 -> buffered_work--; work++ }
    :: atomic { buffered_stop -> flush_stop() }
    od
}

/* = lazult/ds/parker.hpp | if (state_.compare_exchange_strong(state, claimed, std::memory_order_acq_rel, */
inline claim(slot, seen, won) {
    seen = parker[slot];
    won = false;
    do
    :: won || (seen != armed && seen != sleeping) -> break
    :: !won && (seen == armed || seen == sleeping) ->
        atomic {
            if
            :: parker[slot] == seen -> parker[slot] = claimed; won = true; CLAIM_PUBLISHES
            :: else -> seen = parker[slot]
            fi
        }
        if
        /* = lazult/ds/parker.hpp | Atomics::futex_wake(state_, 1); */
        :: won && seen == sleeping -> is_awake[slot] = true
        :: else -> skip
        fi
    od
}

/* = lazult/ds/event_count.hpp | const std::uint64_t before = words_[slot / 64].fetch_and(~bit(slot), */
inline clear(slot, had) {
    atomic { had = listed[slot]; listed[slot] = false }
    if
    :: had -> registered--
    :: else -> skip
    fi
}

/* Each slot twice: first those that wait; then all, until one that was claimed before finds its bit cleared.
 * = lazult/ds/event_count.hpp | if (registered_.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY */
#define SLOT (slot % STREAMS)
inline notify(slot, seen, won, had) {
    if
    :: registered != 0 ->
        slot = 0;
        do
        :: slot < 2 * STREAMS ->
            if
            :: listed[SLOT] ->
                if
                /* = lazult/ds/event_count.hpp | if (only_waiting && !lot_.at(slot).is_waiting()) { */
                :: slot < STREAMS && parker[SLOT] != armed && parker[SLOT] != sleeping -> slot++
                :: else ->
                    clear(SLOT, had);
                    won = false;
                    /* = lazult/ds/event_count.hpp | if (clear(slot) && (lot_.at(slot).claim() || !only_waiting)) */
                    if
                    :: had -> claim(SLOT, seen, won)
                    :: else -> skip
                    fi;
                    if
                    :: won || (had && slot >= STREAMS) -> break
                    :: else -> slot++
                    fi
                fi
            :: else -> slot++
            fi
        :: else -> break
        od
    :: else -> skip
    fi
}

/* idle_wait::prepare() */
inline prepare(me) {
    /* = lazult/ds/event_count.hpp | parker_.arm(); */
    parker[me] = armed;
    /* = lazult/ds/event_count.hpp | registered_.fetch_add(1, std::memory_order_relaxed); */
    registered++;
    /* = lazult/ds/event_count.hpp | words_[slot / 64].fetch_or(bit(slot), std::memory_order_release); */
    listed[me] = true;
#ifndef PLANT_NO_BARRIER
    /* = lazult/ds/event_count.hpp | Atomics::heavy_barrier(); */
    atomic { flush_work(); flush_stop() }
#endif
}

/* idle_wait::leave(): was it claimed through the gate for what somebody else should have?
 * = lazult/ds/event_count.hpp | if (claims > expected) */
inline leave(me, expected, slot, seen, won, had) {
    clear(me, had);
    if
    :: !had && expected == 0 -> notify(slot, seen, won, had)
    :: else -> skip
    fi
}

inline cancel(me, slot, seen, won, had) {
    /* = lazult/ds/parker.hpp | return state_.exchange(empty, std::memory_order_acquire) == claimed; */
    parker[me] = no;
    leave(me, 0, slot, seen, won, had)
}

inline commit(me, slot, seen, won, had) {
    /* = lazult/ds/parker.hpp | if (state_.compare_exchange_strong(state, sleeping, std::memory_order_relaxed, */
    atomic {
        if
        :: parker[me] == armed -> parker[me] = sleeping; won = true
        :: else -> won = false
        fi
    }
    if
    :: won ->
        do
        /* The kernel looks at the word and puts the thread to sleep in one step:
         * = lazult/ds/parker.hpp | in_time = Atomics::futex_wait(state_, sleeping, deadline_ns); */
        :: atomic { parker[me] == sleeping -> is_awake[me] = false };
end_asleep:
            is_awake[me]
        :: parker[me] != sleeping -> break
        od
    :: else -> skip
    fi;
    atomic { won = (parker[me] == claimed); parker[me] = no }
    leave(me, (won -> 1 : 0), slot, seen, won, had)
}
