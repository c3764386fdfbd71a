/* SPDX-License-Identifier: BSD-3-Clause
 * A unit ends, and one or two threads wait for that: each of them goes on, sees that the unit has ended, and is resumed only where
 * its context is saved; whoever frees the unit frees it when nobody touches it any more.
 *
 * Runs by what is defined:
 *   (nothing)         one ULT joins. It may take the unit out of its pool and run it in place (start_in_place), or wait.
 *   LANE              likewise, in place by way of the fast paths (run_next_in_place, run_newest_in_place), which store where
 *                     start_in_place has a compare and exchange: the unit is biased towards the first joiner's thread
 *   TWO_JOINERS       a second ULT waits, on another thread; one of them may be refused (already_joined), and none is forgotten
 *   THREE_JOINERS     and a third one
 *   RECORD            an outside thread joins with a deadline, gives up and tries again
 *   LOCAL             the unit is confined to its owner's thread, and the joiner is elsewhere: it sends an opener
 *
 * Memory: sequentially consistent, which is enough: the word is changed by read-modify-writes, or by plain stores of threads whose later
 * steps nobody races with; the orders are for tests/model/join_word_test.cpp.
 *
 *   word: see lazult/core/unit/join_word.hpp, whose table of transitions is this one's
 */
#if defined(THREE_JOINERS)
#define JOINERS 3
#elif defined(TWO_JOINERS)
#define JOINERS 2
#else
#define JOINERS 1
#endif

mtype = { biased, revoked, live, finished, confined, unit_0, unit_1, unit_2, record };
mtype = { ready, started, in_place };
mtype = { stale, leaving, saved };
mtype mark = ready;
#ifdef LOCAL
mtype word = confined;
#elif defined(LANE)
/* = lazult/core/life/create.hpp | return is_local; */
mtype word = biased;
#else
mtype word = live;
#endif

bool in_pool = true;         /* the unit, which has not started */
bool has_run = false;        /* its results are there */
bool is_freed = false;
mtype context[3] = stale;    /* the joiners' */
bool is_woken[3] = false;
bool has_returned[3] = false;
byte went_well = 0;
bool record_is_there = false;
bool record_is_done = false;
chan inbox = [1] of { byte };  /* of the owner's thread, for openers */
bool is_opened = false;

inline wake(who) {
    /* the stream that runs it next: = lazult/core/unit/work_unit.hpp | return now == leaving() ? await_context(*this) : now; */
    context[who] != leaving;
    assert(context[who] == saved);
    is_woken[who] = true
}

/* = lazult/core/switch/finish.cpp | if (join_word<>::is_unit(waiter)) LAZULT_LIKELY */
inline wake_joiner(before) {
    if
    :: before == unit_0 -> wake(0)
    :: before == unit_1 -> wake(1)
    :: before == unit_2 -> wake(2)
    :: before == record ->
        assert(record_is_there);
        record_is_done = true
    :: else -> skip
    fi
}

/* complete(), with finish() */
inline end_unit(before) {
    assert(!is_freed);
    has_run = true;
#ifdef LOCAL
    /* = lazult/core/switch/finish.hpp | if (u->join.is_local() && home->is_private_to(&w)) LAZULT_LIKELY */
    before = word;
    if
    :: before == confined ->
        /* = lazult/core/unit/join_word.hpp | word_.store(finished, std::memory_order_release); */
        word = finished;
        before = live
    :: else ->
#endif
        /* = lazult/core/unit/join_word.hpp | const value before = word_.load(std::memory_order_acquire); */
        before = word;
        if
#ifdef PLANT_STORE_OVER_LIVE
        :: true -> word = finished
#endif
#ifdef PLANT_STORE_OVER_RECORD
        :: before == record -> word = finished
#endif
        /* = lazult/core/unit/join_word.hpp | if (is_unit(before)) */
        :: before == unit_0 || before == unit_1 || before == unit_2 -> word = finished
        /* = lazult/core/unit/join_word.hpp | return word_.exchange(finished, std::memory_order_acq_rel); */
        :: else -> atomic { before = word; word = finished }
        fi
#ifdef LOCAL
    fi
#endif
    ;
#ifdef PLANT_TOUCHED_AFTER_THE_END
    assert(!is_freed);
#endif
    wake_joiner(before)
}

/* The stream whose pool the unit is in. */
active proctype stream() {
    mtype before;
    byte message;
end:
    do
    :: atomic { in_pool -> in_pool = false };
#ifdef LANE
        if
        /* a thief: = lazult/sched/stealing_pool.cpp | u.join.open(); */
        :: atomic {
            if
            :: word == biased -> word = live
            :: else -> skip
            fi
        }
        :: true -> skip
        fi;
#endif
        mark = started;
        end_unit(before)
#ifdef LOCAL
    :: inbox ? message ->
        /* = lazult/core/life/join.cpp | me.unit->join.open(); */
        atomic {
            if
            :: word == confined -> word = live
            :: else -> skip
            fi
        }
        is_opened = true
#endif
    od
}

/* Before the switch, or after it. = lazult/core/life/join.cpp | return awaited.join.try_wait(waiter, &found); */
inline wait_as_unit(me, mine, got) {
#ifdef PLANT_NOT_MARKED
    skip;
#else
    if
    /* = lazult/core/switch/leave.hpp | self->begin_to_leave(); */
    :: context[me] = leaving
    :: context[me] = saved
    fi;
#endif
    /* = lazult/core/unit/join_word.hpp | while (is_unwaited(*found) && *found != local); */
    atomic {
        if
        :: word == biased || word == revoked || word == live -> word = mine; got = true
        :: else -> got = false
        fi
    }
    context[me] = saved;
    if
    :: got -> is_woken[me]
    :: else -> skip  /* made ready at once */
    fi;
    context[me] = stale;
    is_woken[me] = false
}

/* Called here, or on a stack of its own; it may have been elsewhere meanwhile, and returns into the joiner's frame. */
inline run_in_place() {
    assert(!is_freed);
    has_run = true;
    /* = lazult/core/life/in_place.hpp | child->join.finish_in_place(); */
    word = finished
}

/* = lazult/core/life/join.cpp | forbid_claims(this_worker_or_null(), *u); */
inline forbid_claims() {
    if
#ifdef PLANT_TRUSTS_ANOTHERS_BARRIER
    :: word == biased ->
#else
    :: word == biased || word == revoked ->
#endif
        if
        /* = lazult/core/unit/claims.hpp | if (!u.is_past_claims()) { */
        :: mark == started -> skip
        :: else ->
            atomic {
                if
                :: word == biased -> word = revoked
                :: else -> skip
                fi
            }
            /* the barrier, after which: = lazult/core/unit/join_word.hpp | while (is_claimed() && word_.load(std::memory_order_relaxed) == revoked) { */
            mark != in_place || word != revoked;
            atomic {
                if
                :: word == revoked -> word = live
                :: else -> skip
                fi
            }
        fi
    :: else -> skip
    fi
}

inline join_as_unit(me, mine, got, is_over) {
    is_over = false;
    if
    :: word == finished -> is_over = true
#ifdef LOCAL
    :: word == confined ->
#ifdef PLANT_OPENED_FROM_ELSEWHERE
        atomic {
            if
            :: word == confined -> word = live
            :: else -> skip
            fi
        }
#else
        /* = lazult/core/life/join.cpp | launch_open(w, message); */
        inbox ! 1;
        is_opened
#endif
    :: word == live -> skip
#else
    /* start_in_place(), = lazult/core/life/in_place.cpp | || u->join.has_waiter()) { */
    /* and the fast paths, which take first and look then: = lazult/core/unit/claims.hpp | u.set_started(in_place_mark); */
    :: me == 0 && (word == live || word == biased || word == revoked) ->
        atomic {
            if
            :: in_pool -> in_pool = false; got = true
            :: else -> got = false
            fi
        }
        if
        :: got ->
#ifdef LANE
#ifndef PLANT_MARKED_LATE
            mark = in_place;
#endif
            /* = lazult/core/unit/join_word.hpp | if (word_.load(std::memory_order_relaxed) <= local) LAZULT_LIKELY { */
            if
            :: word == biased ->
#ifdef PLANT_MARKED_LATE
                mark = in_place;
#endif
                word = mine
            :: else ->
#endif
                /* = lazult/core/life/in_place.cpp | !u->join.try_expect(reinterpret_cast<join_word<>::value>(joiner)) */
                atomic {
                    if
                    :: word == biased || word == revoked || word == live -> word = mine
                    :: else -> got = false
                    fi
                }
#ifdef LANE
            fi;
#else
            ;
#endif
            if
            :: got -> run_in_place(); is_over = true
            :: else -> mark = ready; in_pool = true
            fi
        :: else -> skip
        fi
    :: true -> skip
#endif
    fi;
    if
    :: is_over -> skip
    :: else ->
#ifndef PLANT_UNREVOKED
        if
        :: me != 0 -> forbid_claims()
        :: else -> skip
        fi;
#endif
        wait_as_unit(me, mine, got)
    fi;
    /* = lazult/core/life/join.cpp | return u->join.is_finished() ? base::status::ok : base::status::already_joined; */
    if
    :: word == finished -> assert(has_run); went_well++
    :: else -> assert(JOINERS > 1)
    fi
}

#ifndef RECORD
active [JOINERS] proctype joiner() {
    bool got;
    bool is_over;
    byte me = _pid - 1;
    mtype mine;
    if
    :: me == 0 -> mine = unit_0
    :: me == 1 -> mine = unit_1
    :: else -> mine = unit_2
    fi;
    join_as_unit(me, mine, got, is_over);
    has_returned[me] = true
}

/* Whoever owns the handle frees it when all have come back. */
active proctype owner() {
    has_returned[0] && (JOINERS < 2 || has_returned[1]) && (JOINERS < 3 || has_returned[2]) && word == finished;
    assert(went_well >= 1);
    is_freed = true
}
#else
active proctype joiner() {
    bool got;
    bool gives_up;
    byte tries = 0;
    do
    :: tries++;
        record_is_there = true;
        record_is_done = false;
        atomic {
            if
            :: word == live -> word = record; got = true
            :: else -> got = false
            fi
        }
        if
        :: !got -> break
        :: else -> skip
        fi;
        if
        :: tries < 3 -> gives_up = true
        :: gives_up = false
        fi;
        if
        :: gives_up ->
            /* = lazult/core/unit/join_word.hpp | bool withdraw(value waiter) noexcept */
            atomic {
                if
                :: word == record -> word = live; record_is_there = false
                :: else -> gives_up = false
                fi
            }
        :: else -> skip
        fi;
        if
        :: !gives_up -> record_is_done; break
        :: else -> skip
        fi
    od;
    record_is_there = false;
    assert(word == finished && has_run);
    has_returned[0] = true;
    is_freed = true
}
#endif

ltl goes_on { <> (has_returned[0] && (JOINERS < 2 || has_returned[1]) && (JOINERS < 3 || has_returned[2])) }
