// SPDX-License-Identifier: BSD-3-Clause
// The descriptor of a work unit: a ULT or a tasklet.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/core/unit/join_word.hpp"
#include "lazult/core/unit/park_word.hpp"
#include "lazult/core/unit/unit_marks.hpp"
#include "lazult/core/unit/wait_word.hpp"

namespace lazult::core {

class pool;
struct stack;
struct local_table;
struct unit_extras;

// Bits of unit_header::flags, for the thread that runs the unit, or owns it before it runs.
enum unit_flag : std::uint8_t {
    flag_tasklet = 1,     // may not suspend now: a tasklet, or a ULT by run_to_completion
    flag_promoted = 2,    // began on a host's frame, has suspended since, and is fully fledged now
    flag_user_stack = 4,  // its stack belongs to the user
    flag_suspended = 8,   // has suspended since it started
    flag_host = 16,       // is a scheduler, or must stay on its OS thread
    flag_locals = 64,     // has ULT-local values to destroy, or its end is to be traced
    flag_tail_yield = 128,  // suspended in a yield that its resumer must finish: see suspend.cpp
    flag_joins_many = 32,   // joins one unit after another: it need not run between them
};

// Bits of work_unit::notes. It is one word, so that a scheduling point, and the release of the
// unit, take one look at it.
//
// What was asked of the unit.
enum request : std::uint32_t {
    request_cancel = 1,
    request_migrate = 2,
};
// What else is known of it.
enum unit_note : std::uint32_t {
    is_watched = 4,    // see observer.hpp
    is_traced = 1024,  // see trace.hpp
    is_observed = is_watched | is_traced,
    // What it owns besides its descriptor.
    owns_extras = 8,
    owns_stack = 16,        // a stack from its creation on: technique `full`
    is_sample = 32,         // its first suspension is to be counted: see predictor.hpp
    owns_door = 64,         // a door keeps data for it: see register_unit_data()
    stands_for_host = 128,  // its argument is a host, to be released when the unit is freed
    owns_something = owns_extras | owns_stack | owns_door | stands_for_host,
    awaits_resume = 256,  // a watched unit waits: `resumes` of unit_observer is due
    awaits_run = 512,     // a watched unit waits: `runs` is due
    // Bits of a traced unit.
    traced_away = 2048,       // it is suspended; its resumption is still to be recorded
    traced_suspended = 4096,  // has suspended in this life; flag_suspended is clear meanwhile
    traced_ended = 8192,
    traced_life = 16384,  // this bit and those above: the number of the descriptor's life
};
// Where one of these is set, a scheduling point does more than to go on. With is_traced it only
// reports.
inline constexpr std::uint32_t demands =
    std::uint32_t{request_cancel} | request_migrate | std::uint32_t{is_watched};
inline constexpr std::uint32_t due_at_scheduling = demands | is_traced;

using entry_function = void (*)(void*);

// What a unit's attributes determine: composed once, copied into each unit as one word.
struct alignas(8) unit_header {
    // A value of headroom_class for a unit that must not be called on another unit's stack.
    static constexpr std::uint8_t no_headroom = 63;
    // A bit of user_bits. A unit that may not suspend, or a scheduler's own code, may wait all the
    // same if it has this bit: its OS thread sleeps. The code of a stacked scheduler gives its
    // stream to the scheduler below meanwhile. Without the bit, such a wait is misuse.
    static constexpr std::uint16_t blocks_thread = 0x8000;

    technique how = technique::adaptive;   // the technique asked for
    technique plan = technique::adaptive;  // the technique chosen at creation: never adaptive
    std::uint8_t flags = 0;
    std::uint8_t stack_class = 0;  // log2 of the stack size in bytes
    // log2 of an eighth of the stack size, if a joiner may call the unit on the joiner's stack: see
    // has_headroom()
    std::uint8_t headroom_class = no_headroom;
    std::uint8_t priority = 0;
    std::uint16_t user_bits = 0;  // bits that belong to doors
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
// notes      anybody (or)                its runner at scheduling    relaxed; release publishes the
//                                        points                      migration target, see
//                                                                    requests.cpp
// park, wait see park_word.hpp, wait_word.hpp
// asked      cancel_waits(); its runner  its runner as a wait        relaxed, and a barrier: see
//            clears it                   begins                      interrupt.hpp
// header, error_number
//            creator before the push;    its runner                  the pool's push and pop
//            its runner
struct alignas(base::cache_line) work_unit : unit_marks<work_unit> {
    // Returns the value of `context` while the unit is about to be saved. The debugger's script
    // knows this number.
    static arch::context leaving() noexcept {
        return reinterpret_cast<arch::context>(std::uintptr_t{1});
    }

    work_unit* next = nullptr;  // first, so that the address of a link is its unit's
    pool* home = nullptr;       // the pool that it goes to when it becomes ready
    // its node for shared pools; units exchange their nodes there: see ds/mpmc_queue.hpp
    ds::mpmc_node<>* node = nullptr;
    entry_function entry = nullptr;
    // null before the first suspension; beside `stk`, so that prepare() clears both by one store
    arch::context context = nullptr;
    stack* stk = nullptr;  // the stack that it runs on, own or borrowed
    void* argument = nullptr;
    join_word<> join;

    unit_header header;
    ds::default_atomics::atomic<std::uint32_t> notes{0};  // these four: see clear_words()
    park_word<> park;
    wait_word<> wait;
    // 1: its waits are to end, see interrupt.hpp
    ds::default_atomics::atomic<std::uint8_t> asked{0};
    local_table* locals = nullptr;
    ds::default_atomics::atomic<unit_extras*> extras{nullptr};  // set once, by compare and exchange
    ds::default_atomics::atomic<std::uint8_t> life{0};  // this and the next two: see running_mark
    start_mode started = start_mode::full;              // set by the thread that starts it
    // worker::number of the stream where it ran last; a door may change it
    ds::default_atomics::atomic<std::uint16_t> ran_on{0};
    int error_number = 0;              // errno while it is suspended
    alignas(8) std::byte storage[24];  // for doors: small closures

    life_state state() const noexcept {
        return static_cast<life_state>(life.load(std::memory_order_relaxed));
    }
    void set_state(life_state s) noexcept {
        life.store(static_cast<std::uint8_t>(s), std::memory_order_relaxed);
    }
    // Marks the unit as running on the stream with this number.
    void set_running(std::uint16_t stream_number) noexcept {
        set_state(life_state::running);
        ran_on.store(stream_number, std::memory_order_relaxed);
    }
    // For unit_marks: accesses `life`, `started` and `ran_on` at once.
    void store_mark(std::uint32_t mark, std::memory_order order) noexcept {
        using word [[gnu::may_alias]] = std::uint32_t;
        __atomic_store_n(reinterpret_cast<word*>(&life), mark, static_cast<int>(order));
    }
    std::uint32_t load_mark(std::memory_order order) const noexcept {
        using word [[gnu::may_alias]] = const std::uint32_t;
        return __atomic_load_n(reinterpret_cast<word*>(&life), static_cast<int>(order));
    }
    // No notes, no token to go on, no wait: by its creator. One store for the four.
    void clear_words() noexcept {
        using word [[gnu::may_alias]] = std::uint64_t;
        __atomic_store_n(reinterpret_cast<word*>(&notes), 0, __ATOMIC_RELAXED);
    }
    // Returns whether these four are as clear_words() leaves them. Called by the unit's creator,
    // while no other thread knows the unit.
    bool has_clear_words() const noexcept {
        using word [[gnu::may_alias]] = const std::uint64_t;
        return __atomic_load_n(reinterpret_cast<word*>(&notes), __ATOMIC_RELAXED) == 0;
    }
    // Called by the unit before it makes itself known to other threads and switches away. The unit
    // has left when the switch has saved its context. A stream that takes the unit earlier waits in
    // saved_context(). A thief leaves a unit that yields in its queue until then. See leave.hpp.
    void begin_to_leave() noexcept {
        std::atomic_ref(context).store(leaving(), std::memory_order_relaxed);
    }
    // Returns the saved context, null if the unit has never suspended, or leaving().
    arch::context context_or_mark() const noexcept {
        // acquire pairs with: the switch's store of the context (arch/), which releases what it
        // saved
        return std::atomic_ref(const_cast<arch::context&>(context)).load(std::memory_order_acquire);
    }
    static bool is_context(arch::context c) noexcept {
        return reinterpret_cast<std::uintptr_t>(c) > reinterpret_cast<std::uintptr_t>(leaving());
    }
    bool has_left() const noexcept { return context_or_mark() != leaving(); }
    // Called by the stream that runs the unit next. Waits until the unit has left. Returns null if
    // the unit has never suspended.
    arch::context saved_context() const noexcept {
        const arch::context now = context_or_mark();
        return now == leaving() ? await_context(*this) : now;
    }
    static arch::context await_context(const work_unit& u) noexcept;
    // Returns whether a ready unit has run before. The answer may be outdated if another thread has
    // taken the unit meanwhile.
    bool is_resumed() const noexcept { return context_or_mark() != nullptr; }
    // Returns whether the unit's context is saved, so that a report can walk its stack.
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
static_assert(offsetof(work_unit, notes) % 8 == 0 &&
                  offsetof(work_unit, park) == offsetof(work_unit, notes) + 4 &&
                  offsetof(work_unit, wait) == offsetof(work_unit, park) + 2 &&
                  offsetof(work_unit, asked) == offsetof(work_unit, wait) + 1,
              "clear_words() writes them at once");
static_assert(sizeof(work_unit) == 2 * base::cache_line,
              "a created unit that has not run costs its descriptor only");

}  // namespace lazult::core
