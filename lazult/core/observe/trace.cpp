// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/observe/trace.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <utility>

#include "lazult/core/observe/stack_use.hpp"

namespace lazult::core {
namespace {

using probe::trace_event;

// Written by choose_observation(), before the streams that read it begin.
struct observation {
    bool counts = false;       // counts creations
    bool traces = false;       // records events into buffers
    bool marks = false;        // marks units that are traced: for buffers, probes or stack use
    bool measures = false;     // measures the use of stacks; then each unit is marked
    std::uint32_t every = 0;   // traces one unit in so many; 0: adjusts the rate itself
    std::uint32_t events = 0;  // size of a buffer
    tick_clock beginning{0, 0};
};
constinit observation chosen;

// field             written by        read by          order
// told_suspensions  told_suspension   trace_suspend    release / acquire: what the object says
// speller           set_wait_speller  spell_for_probe  release / acquire
constinit std::array<std::atomic<const told_suspension*>, 16> told_suspensions{};
constinit std::atomic<wait_speller> speller{nullptr};

std::uint64_t ticks() noexcept {
    const std::uint64_t tsc = arch::read_tsc();
    return tsc != 0 ? tsc : static_cast<std::uint64_t>(os::now_ns());
}

std::uint32_t life_of(const work_unit& u) noexcept {
    // changes before anybody knows the unit
    return u.notes.load(std::memory_order_relaxed) / traced_life;
}

probe::trace_buffer* buffer_of(worker& w) noexcept {
    probe::trace_buffer* buffer = w.tracing.buffer.load(std::memory_order_relaxed);  // its own
    if (buffer == nullptr) LAZULT_UNLIKELY {
        const probe::unwatched allocating;
        // Kept for the process's life, because the file is written at its end. The worker's next OS
        // thread goes on with the buffer.
        buffer = new (std::nothrow) probe::trace_buffer(chosen.events);
        // pairs with: watch/trace_file.cpp, add()
        w.tracing.buffer.store(buffer, std::memory_order_release);
    }
    return buffer;
}

LAZULT_NOINLINE void record(worker& w, trace_event what, const work_unit* u,
                            std::uint8_t detail = 0, std::uint16_t number = 0) noexcept {
    if (!chosen.traces) {
        return;
    }
    if (probe::trace_buffer* buffer = buffer_of(w); buffer != nullptr) {
        buffer->add({ticks(),
                     u,
                     {u == nullptr ? nullptr : u->entry},
                     u == nullptr ? 0 : life_of(*u),
                     what,
                     detail,
                     number});
    }
}

// Keeps the words of a wait until the suspend probe that comes next.
void spell_for_probe(worker& w, const probe::trace_record& awaited) noexcept {
    constexpr std::size_t most_words = 512;
    // pairs with: set_wait_speller()
    const wait_speller spell = speller.load(std::memory_order_acquire);
    if (w.tracing.words == nullptr) {
        const probe::unwatched allocating;
        w.tracing.words = new (std::nothrow) char[most_words]();  // kept, as the buffer is
    }
    if (spell != nullptr && w.tracing.words != nullptr) {
        spell(awaited, w.tracing.words, most_words);
    }
}

void record_wait(const work_unit* joined_unit, std::uint8_t kind, std::uint64_t object,
                 std::size_t more) noexcept {
    constexpr std::size_t most_more = 0xffff;
    const bool is_probed = LAZULT_PROBE_IS_ON(suspend);
    if (!chosen.traces && !is_probed) {
        return;
    }
    worker& w = this_worker();
    probe::trace_record r{};
    r.ticks = ticks();
    r.unit = joined_unit;
    r.object = object;
    r.life = joined_unit == nullptr ? 0 : life_of(*joined_unit);
    r.what = trace_event::awaits;
    r.detail = kind;
    r.number = static_cast<std::uint16_t>(std::min(more, most_more));
    if (is_probed) {
        spell_for_probe(w, r);
    }
    if (probe::trace_buffer* buffer = chosen.traces ? buffer_of(w) : nullptr; buffer != nullptr) {
        buffer->add(r);
    }
}

void mark(work_unit& u, std::uint32_t bits) noexcept {
    // the protocols by which it is handed on order it
    u.notes.fetch_or(bits, std::memory_order_relaxed);
}
void unmark(work_unit& u, std::uint32_t bits) noexcept {
    u.notes.fetch_and(~bits, std::memory_order_relaxed);
}
bool has_mark(const work_unit& u, std::uint32_t bit) noexcept {
    return (u.notes.load(std::memory_order_relaxed) & bit) != 0;
}

// Estimates: tracing a unit costs up to 400 ns, and tracing a suspension 100 ns. So at most one
// unit in 20 us is traced, which takes 2 % of the time. A unit is no longer traced if units suspend
// too often: 512 suspensions must last 1,024 such intervals.
constexpr std::int64_t least_interval_ns = 20'000;
constexpr std::uint32_t suspensions_per_window = 512;
constexpr std::uint64_t intervals_per_window = 1024;

std::uint64_t least_interval_ticks() noexcept {
    static const std::uint64_t interval = [] {
        const tick_clock now = tick_clock::now();
        const std::int64_t ns = now.ns - chosen.beginning.ns;
        const auto per_ns =
            static_cast<double>(now.ticks - chosen.beginning.ticks) / static_cast<double>(ns);
        return ns > 0 ? static_cast<std::uint64_t>(per_ns * least_interval_ns) : 0;
    }();
    return interval;
}

void adjust_rate(tracing_state& t) noexcept {
    constexpr std::uint32_t most = 1U << 20;
    constexpr std::uint32_t warm_up = 1000;  // units that are traced in any case
    if (chosen.every != 0) {
        t.every = chosen.every;
    } else if (t.lives.load(std::memory_order_relaxed) > warm_up) {
        const std::uint64_t now = ticks();
        const bool is_too_often = now - t.last < least_interval_ticks();
        t.every = is_too_often ? std::min(most, t.every * 2) : std::max(1U, t.every / 2);
        t.last = now;
    }
}

bool suspends_too_often(tracing_state& t) noexcept {
    if (chosen.every != 0 || ++t.suspensions < suspensions_per_window) {
        return false;
    }
    const std::uint64_t now = ticks();
    if (now - t.window < intervals_per_window * least_interval_ticks()) {
        return true;
    }
    t.window = now;
    t.suspensions = 0;
    return false;
}

// Stops tracing the unit. Nothing more is recorded in this life.
void let_go(work_unit& u) noexcept {
    unmark(u, is_traced | traced_away | traced_suspended | traced_ended);
    if (u.locals == nullptr) {
        u.clear(flag_locals);
    }
}

// Begins the next life of the descriptor.
void begin_life(worker& w, work_unit& u) noexcept {
    constexpr std::uint32_t lives = ~std::uint32_t{0} / traced_life - 1;
    // relaxed: each life only needs a number of its own
    const std::uint32_t life =
        creator_of(u).tracing.lives.fetch_add(1, std::memory_order_relaxed) % lives + 1;
    unmark(u, traced_away | traced_suspended | traced_ended | ~(traced_life - 1U));
    mark(u, is_traced | life * traced_life);
    u.set(flag_locals);
    if (chosen.measures) {
        give_own_stack(u);
    }
    record(w, trace_event::created, &u, static_cast<std::uint8_t>(u.header.plan));
    LAZULT_PROBE3(create, &u, u.entry, static_cast<int>(u.header.plan));
}

// Called for a created unit that skips_one() has not skipped. Returns whether to trace the unit.
bool is_due(tracing_state& t) noexcept {
    t.countdown = 1;
    if (!chosen.marks || (chosen.counts && t.left > 1 && (--t.left, true))) {
        return false;
    }
    adjust_rate(t);
    t.left = t.every;
    if (!chosen.counts) {
        t.countdown = static_cast<std::int32_t>(t.every);
    }
    return true;
}

// Called for a revived unit that was traced in its last life.
void begin_another_life(worker& w, work_unit& u) noexcept {
    if (!w.tracing.skips_one() && is_due(w.tracing)) {
        begin_life(w, u);
        return;
    }
    let_go(u);
}

void began(work_unit& u, std::uint8_t in_place) noexcept {
    if (has_mark(u, traced_ended)) {
        begin_another_life(this_worker(), u);
    }
    if (!is_traced_unit(u)) {
        return;
    }
    unmark(u, traced_away);
    record(this_worker(), trace_event::started, &u, in_place,
           static_cast<std::uint16_t>(u.header.plan));
    LAZULT_PROBE2(start, &u, u.entry);
}

}  // namespace

tick_clock tick_clock::now() noexcept { return {core::ticks(), os::now_ns()}; }

void choose_observation() noexcept {
    const base::settings& s = base::current_settings();
    chosen.counts = s.stats != base::output_off;
    chosen.traces = s.trace != base::output_off;
    chosen.measures = s.stack_use != base::output_off;
    chosen.marks = chosen.traces || chosen.measures || s.probes || probe::units_are_probed();
    chosen.every = chosen.measures ? 1 : s.trace_every;
    chosen.events = s.trace_events;
    if (chosen.marks && chosen.beginning.ns == 0) {
        chosen.beginning = tick_clock::now();
    }
}

void set_wait_speller(wait_speller spell) noexcept {
    speller.store(spell, std::memory_order_release);  // pairs with: spell_for_probe()
}

void give_up_tracing() noexcept {
    chosen.traces = false;
    chosen.marks = chosen.measures || base::current_settings().probes || probe::units_are_probed();
}

bool observes_units() noexcept { return chosen.counts || chosen.marks; }

tick_clock trace_beginning() noexcept { return chosen.beginning; }

void observe_creation(worker& w, work_unit& u) noexcept {
    if (chosen.counts) {
        w.count.created[static_cast<int>(u.header.how)].increment();
    }
    if (is_due(w.tracing)) {
        begin_life(w, u);
    }
}

LAZULT_COLD void trace_start(work_unit& u) noexcept {
    began(u, 0);
    if (chosen.measures) {
        begin_stack_use(this_worker(), u);
    }
}
LAZULT_COLD void trace_start_in_place(work_unit& u) noexcept { began(u, 1); }

LAZULT_COLD void trace_delay(work_unit& u) noexcept {
    mark(u, traced_away);
    record(this_worker(), trace_event::suspends, &u,
           static_cast<std::uint8_t>(suspension_reason::lacks_stack));
}

LAZULT_COLD void trace_wait(std::uint8_t kind, std::uint64_t object, std::size_t more) noexcept {
    record_wait(nullptr, kind, object, more);
}

LAZULT_COLD void trace_join(joined how, work_unit* const* units, std::size_t count,
                            std::size_t more) noexcept {
    constexpr std::size_t most = 4;
    const std::size_t told = std::min(count, most);
    for (std::size_t i = 0; i < told; ++i) {
        record_wait(units[i], static_cast<std::uint8_t>(how), 0,
                    i + 1 < told ? 0 : count - told + more);
    }
}

LAZULT_COLD void trace_park() noexcept { record_wait(nullptr, awaits_unpark, 0, 0); }

told_suspension::told_suspension(entry_function after, teller tell) noexcept
    : after_(after), tell_(tell) {
    for (auto& place : told_suspensions) {
        const told_suspension* nobody = nullptr;
        // release pairs with: trace_suspend()
        if (place.compare_exchange_strong(nobody, this, std::memory_order_release,
                                          std::memory_order_relaxed)) {
            return;
        }
    }
}

told_suspension::~told_suspension() {
    for (auto& place : told_suspensions) {
        const told_suspension* mine = this;
        // relaxed: no unit is in that library any more, so none asks for its function
        place.compare_exchange_strong(mine, nullptr, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
    }
}

LAZULT_COLD void trace_suspend(entry_function after, void* argument) noexcept {
    for (const auto& place : told_suspensions) {
        // pairs with: told_suspension()
        const told_suspension* const known = place.load(std::memory_order_acquire);
        if (known != nullptr && known->after_ == after) {
            known->tell_(argument);
            return;
        }
    }
}

LAZULT_COLD void tell_yield(std::uint8_t kind) noexcept { this_worker().tracing.yield_kind = kind; }

LAZULT_COLD bool trace_suspension(work_unit& u, suspension_reason why) noexcept {
    const bool is_first = !has_mark(u, traced_suspended);
    const auto number =
        static_cast<std::uint16_t>(static_cast<unsigned>(u.started) + (is_first ? 256U : 0U));
    worker& w = this_worker();
    if (const auto kind = std::exchange(w.tracing.yield_kind, no_wait);
        kind != no_wait && why == suspension_reason::yields) {
        trace_wait(kind, 0);
    }
    char* const words = w.tracing.words;
    record(w, trace_event::suspends, &u, static_cast<std::uint8_t>(why), number);
    LAZULT_PROBE4(suspend, &u, u.entry, static_cast<int>(why), words == nullptr ? "" : words);
    if (words != nullptr) {
        *words = '\0';
    }
    u.set(flag_suspended);
    if (suspends_too_often(w.tracing)) {
        let_go(u);
    } else {
        mark(u, traced_away | traced_suspended);
    }
    return is_first;
}

LAZULT_COLD void trace_wake(work_unit& u) noexcept {
    worker* w = try_this_worker();
    if (w == nullptr) {
        return;
    }
    if (has_mark(u, traced_ended)) {
        begin_another_life(*w, u);
    } else if (has_mark(u, traced_away)) {
        record(*w, trace_event::woken, &u);
        LAZULT_PROBE2(wake, &u, u.entry);
    }
}

LAZULT_COLD void trace_resumption(work_unit& u) noexcept {
    if (has_mark(u, traced_away)) {
        unmark(u, traced_away);
        record(this_worker(), trace_event::resumed, &u);
        LAZULT_PROBE2(resume, &u, u.entry);
    }
    u.clear(flag_suspended);
}

LAZULT_COLD void trace_return_into(work_unit& joiner) noexcept {
    mark(joiner, traced_suspended);
    record(this_worker(), trace_event::returned_into, &joiner);
}

LAZULT_COLD void trace_end(work_unit& u) noexcept {
    if (chosen.measures) {
        end_stack_use(u);  // before calls that would go deeper
    }
    record(this_worker(), trace_event::ended, &u, 0, static_cast<std::uint16_t>(u.started));
    LAZULT_PROBE3(end, &u, u.entry, static_cast<int>(u.started));
    mark(u, traced_ended);
    if (has_mark(u, traced_suspended)) {
        u.set(flag_suspended);
    }
}

LAZULT_COLD void trace_stream(worker& w, bool begins) noexcept {
    record(w, begins ? trace_event::stream_begins : trace_event::stream_ends, nullptr);
    LAZULT_PROBE2(stream, w.index, begins);
}

LAZULT_COLD void trace_idling(worker& w, bool begins) noexcept {
    record(w, begins ? trace_event::idle_begins : trace_event::idle_ends, nullptr);
    LAZULT_PROBE2(idle, w.index, begins);
}

LAZULT_COLD void trace_theft(worker& w, unsigned units) noexcept {
    record(w, trace_event::stole, nullptr, 0, static_cast<std::uint16_t>(units));
    LAZULT_PROBE2(steal, w.index, units);
}

}  // namespace lazult::core
