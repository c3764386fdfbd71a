/* SPDX-License-Identifier: BSD-3-Clause
 * A ULT parks, others unpark it by name: no wake-up is lost, it is in one place at a time, and it is resumed only where its context
 * is saved. It makes itself known before the switch saves that, or after the switch: see lazult/core/switch/leave.hpp.
 *
 * Every shared step is one statement, or one atomic sequence where the code has one read-modify-write. A comment that begins with
 * an equals sign names the file and the text of the statement that it stands for: models_test.py looks whether that is still there.
 * Spin's memory is sequentially consistent. That is enough here: all that the word's users do to each other they do by
 * read-modify-writes of that one word; which orders they need is for tests/model/park_word_test.cpp.
 *
 * The ULT waits until every waker has kept its promise, as loops around park() do. Two streams run whatever is in the pool.
 *
 *   word      from    to      by
 *             empty   token   unpark
 *             token   empty   try_consume, commit (which then makes the ULT ready)
 *             empty   parked  commit
 *             parked  empty   unpark (which then makes the ULT ready)
 */
#ifndef WAKERS
#define WAKERS 2
#endif

mtype = { nothing, token, parked };  /* park_word's empty is a word of Spin's own */
mtype = { stale, leaving, saved };
mtype word = nothing;
byte promises = 0;      /* kept so far */
byte in_pool = 0;       /* how often the ULT stands there */
byte runners = 0;       /* how many streams stand on its stack */
mtype context = stale;
bool is_done = false;

/* = lazult/core/switch/ready.cpp | u->home->push(w, u); */
inline make_ready() {
    atomic { in_pool++; assert(in_pool == 1) }
}

/* = lazult/core/unit/park_word.hpp | return ds::swap_if<Atomics>(word_, expected, std::uint16_t{empty}, std::memory_order_acquire, */
inline try_consume(result) {
    atomic {
        if
        :: word == token -> word = nothing; result = true
        :: else -> result = false
        fi
    }
}

/* Before the switch, or on the next unit's stack.
 * = lazult/core/switch/ready.cpp | if (!u->park.commit()) */
inline commit(result) {
#ifdef PLANT_BLIND_COMMIT
    /* an unpark between park()'s look and here is overwritten */
    word = parked;
#else
    /* = lazult/core/unit/park_word.hpp | if (ds::swap_if<Atomics>(word_, expected, std::uint16_t{parked}, std::memory_order_release, */
    atomic {
        if
        :: word == nothing -> word = parked; result = true
        :: else -> result = false
        fi
    }
    if
    :: result -> skip
    :: else ->
        /* = lazult/core/unit/park_word.hpp | word_.exchange(empty, std::memory_order_acquire); */
        word = nothing;
#ifndef PLANT_FORGOTTEN_TOKEN
        make_ready()
#endif
    fi
#endif
}

/* = lazult/core/unit/park_word.hpp | const std::uint16_t wanted = seen == parked ? empty : token; */
inline unpark(seen) {
    seen = word;
#ifdef PLANT_UNPARK_STORES
    /* a load and a store where the code has a compare and exchange: two wakers may both find it parked */
    if
    :: seen == parked -> word = nothing
    :: else -> word = token
    fi;
#else
    /* = lazult/core/unit/park_word.hpp | if (ds::swap_if<Atomics>(word_, seen, wanted, std::memory_order_acq_rel, */
    atomic {
        seen = word;
        if
        :: seen == parked -> word = nothing
        :: else -> word = token
        fi
    }
#endif
    /* = lazult/core/switch/park.cpp | if (u->park.unpark() && u->wait.resume()) */
    if
    :: seen == parked -> make_ready()
    :: else -> skip
    fi
}

/* A stream takes the ULT, which runs on until it parks or ends. */
active [2] proctype stream() {
    bool got;
    bool goes_on;
end:
    do
    :: is_done -> break
    :: atomic { in_pool > 0 -> in_pool-- };
#ifndef PLANT_DOES_NOT_WAIT
        /* = lazult/core/unit/work_unit.hpp | return now == leaving() ? await_context(*this) : now; */
        context != leaving;
#endif
        assert(context == saved);
        runners++;
        assert(runners == 1);
        context = stale;
        goes_on = true;
        do
        :: goes_on && promises == WAKERS ->
            is_done = true;
            goes_on = false
        :: goes_on && promises < WAKERS ->
            /* = lazult/core/switch/park.cpp | if (!self->park.try_consume()) */
            try_consume(got);
            if
            :: got -> skip
            :: !got ->
#ifndef PLANT_NOT_MARKED
                /* = lazult/core/switch/leave.hpp | self->begin_to_leave(); */
                context = leaving;
#endif
                /* = lazult/core/switch/leave.hpp | publish(); */
                commit(got);
                /* = lazult/core/switch/leave.hpp | arch::lazult_switch(&self->context, way.to, nullptr, nullptr, way.fresh, next); */
                runners--;
                context = saved;
                goes_on = false
            :: !got ->
                /* The switch: = lazult/core/switch/give_up.hpp | h.switch_from(w, self, next, after, argument); */
                runners--;
                context = saved;
                commit(got);
                goes_on = false
            fi
        :: !goes_on -> break
        od
    od
}

active [WAKERS] proctype waker() {
    mtype seen;
    promises++;
    unpark(seen)
}

/* It starts out ready. */
init { atomic { context = saved; in_pool = 1 } }

ltl goes_on { <> is_done }
