/* SPDX-License-Identifier: BSD-3-Clause
 * A ULT starts under scheduler_creation (default) or stack_separation (define SS), and is promoted at its first suspension: no two
 * units ever stand on one stack, nobody returns into a frame that is gone, each stack comes back once, and the joiner goes on.
 *
 *   SC   it runs on the host's stack, above the host's frame. Promoted, it keeps that stack, and the host takes a fresh one.
 *   SS   it is called on a stack of its own; the host's frame waits on the host's. Promoted, its return slot is rewritten, and the
 *        host begins again on its own stack: the frame is gone.
 *
 * Memory: sequentially consistent. What publishes a ULT is the pool's push; its orders are for tests/model/promotion_test.cpp.
 *
 *   ULT     from       to          by
 *           fresh      running     the first stream (start_here, call_on_stack)
 *           running    in pool     make_ready, after the switch
 *           in pool    running     any stream (resume)
 *           running    ended       end_of_call where it was not promoted, else finish_running
 *   stacks  0: the first host's. 1: spare. 2: the ULT's own (SS). 3: the second host's.
 */
#define STACKS 4
#define none 255

byte stands[STACKS] = 0;       /* how many OS threads stand there: the frame that runs, and those below it */
bool is_spare[STACKS] = false;
bool frame_is_there = false;   /* the first host's, which the ULT was called from */
byte host_stack[2];            /* host::stk_ */

/* The descriptor: its runner's, until complete(); then the joiner's. */
byte stk = none;
bool is_promoted = false;
bool returns_to_frame = true;  /* the slot at the top of the stack */
bool is_saved = false;
bool has_joiner_descriptor = false;

byte in_pool = 0;
byte suspensions = 0;
bool has_finished = false;
bool is_joined = false;
bool has_started = false;

inline step_on(s) { atomic { stands[s]++; assert(stands[s] == 1) } }
inline step_off(s) { atomic { assert(stands[s] == 1); stands[s]-- } }

/* = lazult/core/switch/host.cpp | stack_cache::release(s, &running_worker().stacks); */
inline release(s) { atomic { assert(stands[s] == 0 && !is_spare[s]); is_spare[s] = true } }

/* = lazult/core/switch/host.cpp | void host::ensure_stack(worker& w) noexcept { */
inline ensure_stack(me) {
    if
    :: host_stack[me] != none -> skip
    :: else -> atomic { assert(is_spare[1]); is_spare[1] = false; host_stack[me] = 1 }
    fi
}

/* = lazult/core/switch/finish.hpp | const auto before = u->join.finish(); */
inline complete() { assert(!has_joiner_descriptor); has_finished = true }

/* = lazult/core/switch/host.cpp | LAZULT_NOINLINE void host::promote() noexcept { */
inline promote(me) {
    is_promoted = true;
#ifdef SS
#ifndef PLANT_RETURN_NOT_REWRITTEN
    /* = lazult/core/switch/host.cpp | arch::lazult_redirect_return(u->stk->top(), &redirected_entry); */
    returns_to_frame = false;
#endif
#else
#ifndef PLANT_HOST_KEEPS_THE_STACK
    /* = lazult/core/switch/host.cpp | stk_ = nullptr;  // the unit keeps it */
    host_stack[me] = none;
#endif
#endif
    skip
}

/* = lazult/core/switch/ready.cpp | u->home->push(w, u); */
inline publish() { atomic { in_pool++; assert(in_pool == 1) } }

/* give_up(), switch_to_loop() and what follows the switch. Between two units that have their own stacks: see park.pml. */
inline suspend(me, is_first) {
    suspensions++;
    if
    /* = lazult/core/switch/give_up.hpp | w.here->settle(); */
    :: is_first -> promote(me)
    :: else -> skip
    fi;
#ifdef PLANT_PUBLISHED_EARLY
    publish();
#endif
    ensure_stack(me);
    /* the switch */
    is_saved = true;
    step_off(stk);
    if
    :: is_first -> frame_is_there = false
    :: else -> skip
    fi;
    step_on(host_stack[me]);
#ifndef PLANT_PUBLISHED_EARLY
    publish()
#endif
}

/* The ULT's function returns. */
inline return_from(me, left) {
    if
#ifdef SS
    :: returns_to_frame ->
#else
    /* = lazult/core/switch/host_loop.cpp | if (now.current->has(flag_promoted)) LAZULT_UNLIKELY */
    :: !is_promoted ->
#endif
        assert(me == 0 && frame_is_there);
#ifdef SS
        step_off(stk);
        step_on(host_stack[me]);
        left = stk;
        stk = none;
        release(left);
#else
        stk = none;
#endif
        frame_is_there = false;
        complete()
    :: else ->
        /* = lazult/core/switch/host_loop.cpp | stack* left = std::exchange(u->stk, nullptr); */
#ifdef PLANT_STACK_READ_AFTER_THE_END
        complete();
        left = stk;
        stk = none;
#else
        left = stk;
        stk = none;
#ifdef PLANT_RELEASED_FROM_ITSELF
        release(left);
#endif
        complete();
#endif
        ensure_stack(me);
        /* = lazult/core/switch/host_loop.cpp | h.leave_for(w, next, left); */
        step_off(left);
        step_on(host_stack[me]);
#ifndef PLANT_RELEASED_FROM_ITSELF
        release(left)
#endif
    fi
}

/* The ULT, on whatever stream it is: it suspends, or it ends. */
inline run_on(me, left, is_first) {
    if
    :: suspensions < 2 -> suspend(me, is_first)
    :: return_from(me, left)
    fi
}

proctype stream(byte me) {
    byte left;
    step_on(host_stack[me]);
end:
    do
    :: me == 0 && !has_started ->
        has_started = true;
        frame_is_there = true;
#ifdef SS
        /* = lazult/core/switch/host_loop.cpp | arch::lazult_call_on(s->top(), host_entry::called, u); */
        stk = 2;
        step_off(host_stack[me]);
        step_on(2);
#else
        /* = lazult/core/switch/host_loop.cpp | u->stk = stk_; */
        stk = host_stack[me];
#endif
        run_on(me, left, true)
    :: atomic { in_pool > 0 -> in_pool-- };
        /* = lazult/core/switch/host_loop.cpp | arch::lazult_switch_from_host(&context_, to); */
        assert(is_saved && is_promoted && stk != none);
        step_off(host_stack[me]);
        step_on(stk);
        is_saved = false;
        run_on(me, left, false)
    od
}

/* Who joins uses the descriptor again for another unit, which runs on a stack that has come back. */
active proctype joiner() {
    has_finished;
    has_joiner_descriptor = true;
    assert(stk == none);
    stk = none;
    is_promoted = false;
    is_joined = true;
    if
    :: atomic { suspensions > 0 && is_spare[0] -> is_spare[0] = false; assert(stands[0] == 0) }
    :: true -> skip
    fi
}

init {
    atomic { host_stack[0] = 0; host_stack[1] = 3; is_spare[1] = true; run stream(0); run stream(1) }
}

ltl goes_on { <> is_joined }
