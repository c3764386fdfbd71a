// SPDX-License-Identifier: BSD-3-Clause
// The descriptor of a work unit: a ULT or a tasklet.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lazult/arch/arch.hpp"
#include "lazult/base/base.hpp"
#include "lazult/core/unit/join_word.hpp"
#include "lazult/core/unit/park_word.hpp"
#include "lazult/core/unit/technique.hpp"
#include "lazult/core/unit/unit_marks.hpp"
#include "lazult/core/unit/wait_word.hpp"
#include "lazult/ds/ds.hpp"

namespace lazult::core {

class pool;
struct stack;
struct local_table;
struct unit_extras;

// Bits of work_unit::flags. Only the thread that runs the unit, or owns it before it runs, touches
// them.
enum unit_flag : std::uint8_t {
    flag_tasklet = 1,     // may not suspend: a tasklet, or a ULT by run_to_completion
    flag_promoted = 2,    // started on a host's frame and suspended since: it is fully fledged now
    flag_user_stack = 4,  // its stack belongs to the user
    flag_suspended = 8,   // suspended at least once since it started
    flag_host = 16,       // is a scheduler
    flag_locals = 64,     // has ULT-local values to destroy, or its end is to be traced
    flag_tail_yield = 128,  // suspended in a yield, and resumes yield's caller: see suspend.cpp
    flag_joins_many = 32,   // joins one unit after another: it need not run between them
};

// Bits of work_unit::requests.
enum request : std::uint32_t {
    request_cancel = 1,
    request_migrate = 2,
    // Not a request, but looked at where requests are: see observer.hpp.
    is_watched = 4,
    demands = 7,
    // Not a request to do anything, but to report: see trace.hpp.
    is_traced = 1024,
    is_observed = is_watched | is_traced,
    requests_proper = demands | is_traced,
    // Not requests, but kept here so that releasing a unit looks at one word: what it owns besides
    // its descriptor.
    owns_extras = 8,
    owns_stack = 16,        // full, from its creation on
    is_sample = 32,         // its first suspension is to be noted: see predictor.hpp
    owns_door = 64,         // a door keeps something for it: see register_unit_data()
    stands_for_host = 128,  // its argument is a host that waits to be released
    owns_something = owns_extras | owns_stack | owns_door | stands_for_host,
    awaits_resume = 256,  // of a watched unit that is suspended: which reports are still due
    awaits_run = 512,
    // Of a traced unit.
    traced_away = 2048,       // suspended: its resumption is still to be recorded
    traced_suspended = 4096,  // in this life: see flag_suspended, which is clear while it runs
    traced_ended = 8192,
    traced_life = 16384,  // from here on: which life of the descriptor
};

using entry_function = void (*)(void*);

// What attributes determine: composed once, copied into each unit as one word.
struct alignas(8) unit_header {
    // As headroom_class: not to be called on anybody's stack. No stack has that much room.
    static constexpr std::uint8_t no_headroom = 63;
    // Of user_bits. Where a unit that may not suspend, or a scheduler's own code, would have to
    // wait, it does: its OS thread sleeps. A stacked scheduler's leaves its stream to the scheduler
    // below meanwhile. Without it: misuse.
    static constexpr std::uint16_t blocks_thread = 0x8000;

    technique how = technique::adaptive;   // as asked for
    technique plan = technique::adaptive;  // as decided at creation: never adaptive
    std::uint8_t flags = 0;
    std::uint8_t stack_class = 0;  // log2 of the bytes asked for
    std::uint8_t headroom_class =
        no_headroom;  // log2 of an eighth of them, if it may be called in place: see has_headroom()
    std::uint8_t priority = 0;
    std::uint16_t user_bits = 0;  // a door's own
};
static_assert(sizeof(unit_header) == 8);

// field      written by                  read by                     order
// node       the unit's holder           the same                    handed over with the unit
// next       the container that holds    the same                    the container's
//            the unit
// home..argument
//            creator before the push;    its runner                  the pool's push and pop
//            its runner
// join       see join_word.hpp
// life       its runner, resumers        anybody                     relaxed: a hint
// started    its starter                 its runner; the revoker of  release / acquire: see
//                                        its bias; a hint to others  is_claimed()
// ran_on     its runner                  anybody                     relaxed: a hint
// requests   anybody (or)                its runner at scheduling    relaxed; release publishes the
//                                        points                      migration target, see
//                                                                    requests.cpp
// park, wait see park_word.hpp, wait_word.hpp
// asked      cancel_waits(); its runner  its runner as a wait        relaxed, and a barrier: see
//            clears it                   begins                      interrupt.hpp
// header, error_number
//            creator before the push;    its runner                  the pool's push and pop
//            its runner
struct alignas(base::cache_line) work_unit : unit_marks<work_unit> {
    // Stands for a context that is about to be saved. The debugger's script knows this number.
    static arch::context leaving() noexcept {
        return reinterpret_cast<arch::context>(std::uintptr_t{1});
    }

    work_unit* next = nullptr;  // first, so that the address of a queue's last link is a unit's
    pool* home = nullptr;       // where it goes when it becomes ready
    ds::mpmc_node<>* node =
        nullptr;  // its node for shared pools; nodes and units swap partners, see ds/mpmc_queue.hpp
    entry_function entry = nullptr;
    // set from the first suspension on; with stk, one store for prepare()
    arch::context context = nullptr;
    stack* stk = nullptr;  // the stack that it runs on, own or borrowed
    void* argument = nullptr;
    join_word<> join;

    unit_header header;
    ds::default_atomics::atomic<std::uint32_t> requests{0};  // these four: see clear_words()
    park_word<> park;
    wait_word<> wait;
    ds::default_atomics::atomic<std::uint8_t> asked{0};  // its waits are to end: see interrupt.hpp
    local_table* locals = nullptr;
    ds::default_atomics::atomic<unit_extras*> extras{nullptr};  // set once, by compare and exchange
    ds::default_atomics::atomic<std::uint8_t> life{0};          // these three: see running_mark
    start_mode started = start_mode::full;                      // set by its starter
    ds::default_atomics::atomic<std::uint16_t> ran_on{
        0};                // worker::stream_number where it ran last; a door sets it to 0
    int error_number = 0;  // errno while it is suspended
    alignas(8) std::byte storage[24];  // a door's own: small closures

    life_state state() const noexcept {
        return static_cast<life_state>(life.load(std::memory_order_relaxed));
    }
    void set_state(life_state s) noexcept {
        life.store(static_cast<std::uint8_t>(s), std::memory_order_relaxed);
    }
    // It goes on.
    void set_running(std::uint16_t stream_number) noexcept {
        set_state(life_state::running);
        ran_on.store(stream_number, std::memory_order_relaxed);
    }
    // For unit_marks: the three fields at once.
    void store_mark(std::uint32_t mark, std::memory_order order) noexcept {
        using word [[gnu::may_alias]] = std::uint32_t;
        __atomic_store_n(reinterpret_cast<word*>(&life), mark, static_cast<int>(order));
    }
    std::uint32_t load_mark(std::memory_order order) const noexcept {
        using word [[gnu::may_alias]] = const std::uint32_t;
        return __atomic_load_n(reinterpret_cast<word*>(&life), static_cast<int>(order));
    }
    // No requests, no token to go on, no wait: by its creator. One store for the four.
    void clear_words() noexcept {
        using word [[gnu::may_alias]] = std::uint64_t;
        __atomic_store_n(reinterpret_cast<word*>(&requests), 0, __ATOMIC_RELAXED);
    }
    // Whether these words are as clear_words() leaves them. By the unit's creator, while nobody
    // else knows the unit.
    bool has_clear_words() const noexcept {
        using word [[gnu::may_alias]] = const std::uint64_t;
        return __atomic_load_n(reinterpret_cast<word*>(&requests), __ATOMIC_RELAXED) == 0;
    }
    // It gives way or suspends, and may be known to others from now on: the switch that comes next
    // saves its context. Until then it has not left. A stream that takes it to run it waits in
    // saved_context(). A thief of units that yield leaves it in its queue. See leave.hpp.
    void begin_to_leave() noexcept {
        std::atomic_ref(context).store(leaving(), std::memory_order_relaxed);
    }
    // Its context, or null if it is fresh, or leaving().
    arch::context context_or_mark() const noexcept {
        // acquire pairs with: the switch's store of the context (arch/), which releases what it
        // saved
        return std::atomic_ref(const_cast<arch::context&>(context)).load(std::memory_order_acquire);
    }
    static bool is_context(arch::context c) noexcept {
        return reinterpret_cast<std::uintptr_t>(c) > reinterpret_cast<std::uintptr_t>(leaving());
    }
    bool has_left() const noexcept { return context_or_mark() != leaving(); }
    // By the stream that runs it next. Null: it is fresh. Waits until it has left.
    arch::context saved_context() const noexcept {
        const arch::context now = context_or_mark();
        return now == leaving() ? await_context(*this) : now;
    }
    static arch::context await_context(const work_unit& u) noexcept;
    // Of a ready unit: whether it goes on, rather than begins. The answer may be old if another
    // thread has taken the unit meanwhile.
    bool is_resumed() const noexcept { return context_or_mark() != nullptr; }
    // Whether the unit's context is saved, so that a report can walk its stack.
    bool has_saved_context() const noexcept { return context != nullptr && has_left(); }
    bool has(unsigned flags) const noexcept { return (header.flags & flags) != 0; }
    void set(unsigned flags) noexcept {
        header.flags = static_cast<std::uint8_t>(header.flags | flags);
    }
    void clear(unsigned flags) noexcept {
        header.flags = static_cast<std::uint8_t>(header.flags & ~flags);
    }
    bool may_suspend() const noexcept { return !has(flag_tasklet); }
};
static_assert(offsetof(work_unit, life) % 4 == 0 && offsetof(work_unit, started) % 4 == 1 &&
                  offsetof(work_unit, ran_on) % 4 == 2 && sizeof(running_mark) == 4,
              "store_mark() writes them at once");
static_assert(offsetof(work_unit, requests) % 8 == 0 &&
                  offsetof(work_unit, park) == offsetof(work_unit, requests) + 4 &&
                  offsetof(work_unit, wait) == offsetof(work_unit, park) + 2 &&
                  offsetof(work_unit, asked) == offsetof(work_unit, wait) + 1,
              "clear_words() writes them at once");
static_assert(sizeof(work_unit) == 2 * base::cache_line,
              "a created unit that has not run costs its descriptor only");

}  // namespace lazult::core
