/* SPDX-License-Identifier: BSD-3-Clause
 * A pool that keeps units where they began, and has a lane (biased_staying): lazult/sched/biased_fifo.cpp over staying_pool.cpp. One
 * stream has the lane, another one comes, both go when they like, and a thread that is no stream pushes. A unit that has begun goes on on
 * its stream for as long as that keeps a place. No unit is lost or runs twice, and no stream sleeps for good while it has work.
 *
 * The model's memory is that of a machine which keeps the order of each thread's accesses: for the announcement of a unit in a place
 * (announce_kept(), clear()) and for sleepers the asymmetric barrier does that, and for attach() a locked instruction before each look.
 * ds::inbox, ds::mpmc_queue and the gates are one step each here: they have models of their own.
 */
#ifndef UNITS
#define UNITS 1
#endif
#ifndef STEPS
#define STEPS 2                 /* times that a unit runs */
#endif
#if defined(BOTH_STAY)          /* until all units have ended */
#define MAY_LEAVE(me) false
#elif defined(SECOND_STAYS)
#define MAY_LEAVE(me) (me == 1)
#else
#define MAY_LEAVE(me) true
#endif
#ifndef LIVES
#define LIVES 1                 /* of the first stream: it may come back */
#endif

#define NOBODY 0                /* streams are 1 and 2, which are their numbers, too */
#define PUSHER 3
#define NONE 9                  /* no unit, no place */
#define PLACES 2

chan lane = [UNITS] of { byte };
chan inbox = [UNITS] of { byte };
chan fresh = [UNITS] of { byte };
chan begun[PLACES] = [UNITS] of { byte };
bool is_closed = true;          /* the inbox */
byte on_the_way = 0;
bool is_wanted = false;
byte owner = NOBODY;            /* of the lane */
byte keeper[PLACES] = NOBODY;   /* place::owner */
byte number[PLACES] = NOBODY;   /* place::number */
bool serving = false;           /* the lock */

byte watches[3] = NONE;         /* the place at the gate of which the stream sleeps, beside that of the pool */
bool asleep[3] = false;

byte ran_on[UNITS] = NOBODY;
bool may_move[UNITS] = false;   /* its stream has given its place up since */
byte steps[UNITS] = 0;
chan waiting = [UNITS] of { byte };  /* units that are blocked, until the pusher wakes them */
byte ended = 0;
byte streams_gone = 0;
bool all_gone = false;

/* One sleeper is woken; no matter which, because the model must hold for each. Each of these is one step with the push before it: a
 * stream that lies down in between looks for work afterwards. */
inline notify_pool() {
    if
    :: asleep[1] -> asleep[1] = false
    :: asleep[2] -> asleep[2] = false
    :: else -> skip
    fi
}
inline notify_place(p) {
    if
    :: p != NONE && asleep[1] && watches[1] == p -> asleep[1] = false
    :: p != NONE && asleep[2] && watches[2] == p -> asleep[2] = false
    :: else -> skip
    fi
}

/* place_of(worker) by that stream, which alone changes the answer */
inline own_place(p) {
    if
    :: keeper[1] == me -> p = 1
    :: else -> if :: keeper[0] == me -> p = 0 :: else -> p = NONE fi
    fi
}
/* place_of(worker) by another stream */
inline place_of(stream, p) {
    p = NONE;
    if
    :: keeper[1] == stream -> p = 1
    :: else -> if :: keeper[0] == stream -> p = 0 :: else -> skip fi
    fi
}
/* place_of(unit) */
inline place_by_number(wanted_number, p) {
    p = NONE;
    if
    :: number[1] == wanted_number -> p = 1
    :: else -> if :: number[0] == wanted_number -> p = 0 :: else -> skip fi
    fi
}

/* staying_pool::push_other() without the end of announce_kept(). `left` names the places that are unused, one bit each. */
inline put(u) {
    if
    :: ran_on[u] != NOBODY -> place_by_number(ran_on[u], at)
    :: else -> skip
    fi;
    if
    /* = lazult/sched/staying_pool.cpp | at->begun[level_of(*u)].push(u); */
    /* = lazult/sched/staying_pool.cpp | at.idle.notify(); */
    :: at != NONE -> atomic { begun[at]!u; notify_place(at) };
        /* = lazult/sched/staying_pool.cpp | if (at.number.load(std::memory_order_acquire) == 0) LAZULT_UNLIKELY { */
#ifndef PLANT_NO_LOOK_AFTER_PUSH
        atomic { left = left | (number[at] == NOBODY -> 1 << at : 0); at = NONE }
#else
        at = NONE
#endif
    :: else -> atomic { fresh!u; notify_pool() }
    fi
}
inline send_on() {
    do
    :: atomic { left != 0 -> from = (left & 2 -> 1 : 0) };
        if
        /* = lazult/sched/staying_pool.cpp | while (left.number.load(std::memory_order_acquire) == 0) { */
        :: number[from] == NOBODY ->
            if
            :: atomic { len(begun[from]) > 0 -> begun[from]?sent };
                /* = lazult/sched/staying_pool.cpp | staying_pool::push_other(nullptr, u);  // into the shared queues, not into a lane */
#ifdef PLANT_SENT_INTO_LANE
                if
                :: atomic { !is_closed -> inbox!sent; notify_pool() }
                :: else -> (on_the_way == 0); put(sent)
                fi
#else
                put(sent)
#endif
            :: else -> left = left & ~(1 << from)
            fi
        :: else -> left = left & ~(1 << from)
        fi
    :: atomic { left == 0 -> from = 0; sent = 0 }; break
    od
}
inline push_shared(u) { put(u); send_on() }

inline spill() {
    if
    :: is_closed -> skip
    :: else ->
        /* = lazult/sched/biased_fifo.cpp | on_the_way_.fetch_add(1, std::memory_order_acq_rel); */
        /* = lazult/sched/biased_fifo.cpp | push_shared(w, inbox_.close()); */
        atomic {
            on_the_way++;
            is_closed = true;
            do
            :: inbox?moved -> hand!moved
            :: empty(inbox) -> break
            od
        };
        do
        :: hand?moved -> push_shared(moved)
        :: atomic { empty(hand) -> on_the_way--; moved = 0 }; break
        od
    fi
}

inline give_up() {
    /* = lazult/sched/biased_fifo.cpp | Queue::push_other(&w, local_.pop_front()); */
    do
    :: lane?moved -> push_shared(moved)
    :: empty(lane) -> break
    od;
    spill();
    /* = lazult/sched/biased_fifo.cpp | owner_.store(nobody, std::memory_order_release);  // pairs with: attach(), CAS of owner_ */
    /* = lazult/sched/biased_fifo.cpp | Queue::idle_gate().notify_all();  // a stream in must_await_owner() may sleep */
    atomic { owner = NOBODY; asleep[1] = false; asleep[2] = false }
}

/* core::pool::push() by a stream, or by the pusher */
inline push(me, u) {
    if
    :: owner == me -> lane!u
    :: else ->
        if
        /* = lazult/sched/biased_fifo.cpp | if (inbox_.push(u)) LAZULT_LIKELY { */
        :: atomic { !is_closed -> inbox!u; notify_pool() }
        /* = lazult/sched/biased_fifo.cpp | await_spill(); */
        :: else -> (on_the_way == 0); push_shared(u)
        fi
    fi
}

/* staying_pool::pop_other(): both queues in turn, whichever comes first */
inline pop_kept_or_fresh() {
    atomic {
        own_place(at);
        if
        :: at != NONE && len(begun[at]) > 0 -> begun[at]?got
        :: len(fresh) > 0 -> fresh?got
        :: else -> skip
        fi;
        at = NONE
    }
}

/* Called by a stream that waits for the owner: the push may have woken this stream alone. */
inline wake_owner() {
    its = owner;
    if
    :: its != NOBODY -> place_of(its, at); atomic { notify_place(at); at = NONE; its = NOBODY }
    :: else -> skip
    fi
}

inline pop() {
    got = NONE;
    if
    :: owner == me ->
        if
        :: lane?got
        :: empty(lane) ->
            pop_kept_or_fresh();
            /* = lazult/sched/biased_fifo.cpp | if (is_wanted()) LAZULT_UNLIKELY { give_up(w); } else if (u == nullptr */
            if
            :: is_wanted -> give_up()
            :: else ->
                if
                :: atomic { got == NONE && len(inbox) == 1 -> inbox?got }
                :: atomic { got == NONE && len(inbox) > 1 -> take_inbox() }; lane?got
                :: else -> skip
                fi
            fi
        fi
    :: else ->
        if
#ifndef PLANT_OWNER_NOT_AWAITED
        /* = lazult/sched/biased_fifo.cpp | return Queue::keeps() && !is_private_to(nobody) && !is_private_to(&w) && Queue::has_place(w); */
        :: owner != NOBODY ->
            is_wanted = true;
#ifndef PLANT_OWNER_NOT_WOKEN
            wake_owner()
#endif
#endif
        :: else ->
            pop_kept_or_fresh();
            if
            :: got != NONE || owner == NOBODY -> skip
            :: else ->
                is_wanted = true;
                if
                :: len(inbox) > 0 -> spill(); pop_kept_or_fresh()
                :: else -> skip
                fi
            fi
        fi
    fi
}

/* In one step, because only the owner puts units into its lane, and the inbox gives all at once. */
inline take_inbox() {
    do
    :: inbox?moved -> lane!moved
    :: empty(inbox) -> break
    od;
    moved = 0
}
inline collect() {
    if
    :: owner == me && is_wanted -> give_up()
    :: owner == me && !is_wanted ->
        do
        :: got = NONE; pop_kept_or_fresh();
            if
            :: got != NONE -> lane!got
            :: else -> break
            fi
        od;
        atomic { take_inbox() };
        is_closed = false
    :: else -> skip
    fi;
    got = NONE
}

inline keeps_for_others() {
    yes = keeper[1] != NOBODY && keeper[1] != me;
    yes = yes || (keeper[0] != NOBODY && keeper[0] != me)
}
inline attach() {
    /* = lazult/sched/biased_fifo.cpp | if (!is_wanted() && !Queue::keeps_for_others(w) && */
    if
    :: is_wanted -> skip
    :: else ->
        keeps_for_others();
        if
        :: !yes ->
            if
            :: atomic { owner == NOBODY -> owner = me }; is_closed = false
            :: else -> skip
            fi
        :: else -> skip
        fi
    fi;
    if
    /* = lazult/sched/biased_fifo.cpp | expect_others(); return base::status::ok; */
    :: owner != me -> is_wanted = true
    :: else ->
#ifndef PLANT_NO_SECOND_LOOK
        /* = lazult/sched/biased_fifo.cpp | if (Queue::keeps() && (is_wanted() || Queue::keeps_for_others(w))) { */
        yes = is_wanted;
        if
        :: !yes -> keeps_for_others()
        :: else -> skip
        fi;
        if
        :: yes -> give_up()
        :: else -> skip
        fi
#else
        skip
#endif
    fi;
    yes = false
}
inline detach() {
    if
    :: owner == me -> give_up()
    :: else -> skip
    fi
}

inline begin_to_keep() {
    atomic {
        !serving;
        if
        :: keeper[0] == NOBODY -> at = 0
        :: keeper[1] == NOBODY -> at = 1
        fi;
        /* = lazult/sched/staying_pool.cpp | at->owner.store(&w, std::memory_order_relaxed);  // the owner looks for itself */
        keeper[at] = me;
        serving = true
    };
    atomic { number[at] = me; watches[me] = at; at = NONE; serving = false }
}
inline end_to_keep() {
    /* = lazult/sched/staying_pool.cpp | left->number.store(0, std::memory_order_release);  // pairs with: announce_kept() */
    atomic {
        !serving;
        own_place(mine);
        number[mine] = NOBODY;
        for (got : 0 .. UNITS - 1) {
            may_move[got] = may_move[got] || ran_on[got] == me
        };
        got = NONE
    };
    /* = lazult/sched/staying_pool.cpp | send_on(left); const std::lock_guard hold(serving); */
#ifndef PLANT_NOT_EMPTIED
    left = 1 << mine;
    send_on();
#endif
    atomic {
        !serving;
        keeper[mine] = (number[mine] == NOBODY -> NOBODY : keeper[mine]);
        watches[me] = NONE;
        mine = NONE
    }
}

/* In one step, because a push after it wakes the stream, which is among the sleepers. */
inline has_work() {
    atomic {
        own_place(at);
        yes = !(owner != NOBODY && owner != me && at != NONE) &&
            ((owner == me && len(lane) > 0) || len(inbox) > 0 || on_the_way != 0 || len(fresh) > 0 ||
             (at != NONE && len(begun[at]) > 0));
        at = NONE
    }
}
inline pass_on() {
    has_work();
    if
    :: yes -> notify_pool()
    :: else -> skip
    fi;
    yes = false
}

/* Takes the unit that runs: it ends, gives way, or waits for the pusher. */
inline run_unit() {
    atomic {
        assert(ran_on[got] == NOBODY || ran_on[got] == me || may_move[got]);
        assert(steps[got] < STEPS);
        ran_on[got] = me;
        may_move[got] = false;
        steps[got]++;
        if
        :: steps[got] == STEPS -> ended++; got = NONE
        :: steps[got] < STEPS -> waiting!got; got = NONE
        :: steps[got] < STEPS
        fi
    };
    if
    :: got != NONE -> push(me, got); got = NONE
    :: else -> skip
    fi
}

/* The stream leaves when it likes, or when all units have ended. */
#define LEAVES(me) (MAY_LEAVE(me) || ended == UNITS)

proctype stream(byte me) {
    chan hand = [UNITS] of { byte };
    byte lives = (me == 1 -> LIVES : 1);
    byte got = NONE;
    byte at = NONE;
    byte mine = NONE;
    byte its = NOBODY;
    byte from = 0;
    byte sent = 0;
    byte moved = 0;
    byte left = 0;
    bool yes = false;
    do
    :: lives == 0 -> break
    :: else ->
        attach();
        begin_to_keep();
        do
        :: LEAVES(me) -> break
        :: true ->
            if
            :: true -> collect()
            :: true
            fi;
            pop();
            if
            :: got != NONE -> run_unit()
            :: else ->
                asleep[me] = true;
                has_work();
                if
                :: atomic { yes || !asleep[me] -> asleep[me] = false; yes = false }
                :: atomic { !yes && LEAVES(me) -> asleep[me] = false }; break
                fi
            fi
        od;
        detach();
        end_to_keep();
        pass_on();
        lives--
    od;
    streams_gone++
}

active proctype pusher() {
    byte at = NONE;
    byte from = 0;
    byte sent = 0;
    byte left = 0;
    byte u;
    for (u : 0 .. UNITS - 1) { push(PUSHER, u) }
    do
    :: waiting?u -> push(PUSHER, u)
    :: streams_gone == 2 && empty(waiting) -> break
    od;
    /* What is left stands where the next stream would find it. */
    assert(len(lane) + len(inbox) + len(begun[0]) + len(begun[1]) + on_the_way == 0);
    assert(ended + len(fresh) == UNITS);
    all_gone = true
}

init {
    atomic {
        run stream(1);
        run stream(2)
    }
}

ltl goes_on { <> (all_gone || ended == UNITS) }
