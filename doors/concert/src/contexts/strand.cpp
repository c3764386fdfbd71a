// SPDX-License-Identifier: BSD-3-Clause
#include "contexts/strand.hpp"

#include "contexts/simulated_rank.hpp"
#include "contexts/transport.hpp"
#include "messages/settings.hpp"
#include "support/waits.hpp"

#include "lazult/core/core.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"
#include "lazult/sched/sched.hpp"

#include <lazult/tasklet.hpp>
#include <lazult/this_thread.hpp>

#include <algorithm>
#include <array>
#include <new>

namespace lazult::concert {

constinit hold_count<> strands_at_work;

namespace {

using detail::here;

constexpr std::size_t slab_bytes = std::size_t{64} << 10;
// A method is called on the caller's stack only if the stack has at least these bytes left. The
// method and the functions that it calls may use them. The C library alone takes 8 KiB for a line
// on stderr.
constexpr std::uintptr_t stack_reserve = std::uintptr_t{24} << 10;

[[noreturn]] LAZULT_COLD void refuse_outside() noexcept {
    base::fatal_misuse("concert::call", "no method runs in this thread", "begin by concert::run()");
}

// The value of here.inside in an OS thread that is inside no strand. No code stores anything in
// this object.
constinit detail::strand_data outside(~std::uint32_t{0});

constinit std::array<strand, most_strands> strands{};

// relaxed: it is set before the messages of a session come, and by one thread
constinit ds::default_atomics::atomic<std::uint32_t> rank_of_process{own_rank_unknown};

constinit thread_local simulated_identity* rank_of_thread = nullptr;

// The lowest address of the stack that the caller stands on, and a guess where nothing is known.
std::uintptr_t end_of_stack(const core::worker* w) noexcept {
    const std::uintptr_t at = detail::stack_position();
    const auto holds = [at](const core::stack* s) {
        return s != nullptr && reinterpret_cast<std::uintptr_t>(s->low) <= at &&
               at < reinterpret_cast<std::uintptr_t>(s->high);
    };
    if (w != nullptr && w->current != nullptr && holds(w->current->stk)) {
        return reinterpret_cast<std::uintptr_t>(w->current->stk->low);
    }
    if (w != nullptr && holds(&w->thread_stack)) {
        return reinterpret_cast<std::uintptr_t>(w->thread_stack.low);
    }
    return at - 2 * stack_reserve;
}

// The n of block_every(): for tests, every n-th call begins in a context on the heap, although the
// caller's stack has room. 0: no call does. relaxed: n is set before the calls that it is for.
std::atomic<std::uint32_t> forced_interval{0};
constinit thread_local std::uint32_t forced_calls = 0;

// Notes that the OS thread is inside `s`, and sets the limit below which a call leaves the stack.
// If tests force calls into contexts, the limit is so high that every call asks
// must_call_in_context().
void stand_inside(strand& s) noexcept {
    probe::acquire(&here);
    const std::uintptr_t least = end_of_stack(core::this_worker_or_null()) + stack_reserve;
    const bool asks =
        forced_interval.load(std::memory_order_relaxed) != 0 || all_calls_in_contexts();
    here = {&s, asks ? ~std::uintptr_t{0} : least, least};
}

void stand_outside() noexcept { stand_at({&outside, ~std::uintptr_t{0}, ~std::uintptr_t{0}}); }

}  // namespace

void stand_at(const detail::position& where) noexcept {
    here = where;
    probe::release(&here);
}

namespace detail {

constinit thread_local position here{&outside, ~std::uintptr_t{0}, ~std::uintptr_t{0}};

context* make_contexts(strand_data& in, std::size_t size_class) {
    const std::size_t bytes = size_class * size_step;
    auto* const slab =
        static_cast<std::byte*>(::operator new(slab_bytes, std::align_val_t(size_step)));
    for (std::size_t at = 0; at + bytes <= slab_bytes; at += bytes) {
        auto* const c = ::new (slab + at) context{};
        c->size_class = static_cast<std::uint16_t>(size_class);
        c->next = in.free[size_class];
        in.free[size_class] = c;
    }
    context* const first = in.free[size_class];
    in.free[size_class] = first->next;
    return first;
}

context* take_context_of(strand_data& in, std::size_t bytes) {
    if (&in == &outside) LAZULT_UNLIKELY {
        refuse_outside();
    }
    const std::size_t size_class = (bytes + size_step - 1) / size_step;
    ++in.count.contexts;
    if (size_class >= size_classes) {
        return ::new (::operator new(bytes, std::align_val_t(size_step))) context{};
    }
    context* const c = in.free[size_class];
    if (c == nullptr) {
        return make_contexts(in, size_class);
    }
    in.free[size_class] = c->next;
    return c;
}

void give_context_back(strand_data& in, context* c) noexcept {
    if (c->size_class == 0) {  // too large for the lists
        ::operator delete(c, std::align_val_t(size_step));
    } else {
        give_back(in, c);
    }
}

bool must_call_in_context() noexcept {
    if (here.inside == &outside) LAZULT_UNLIKELY {
        refuse_outside();
    }
    if (all_calls_in_contexts()) {
        return true;
    }
    const std::uint32_t every = forced_interval.load(std::memory_order_relaxed);
    if (every != 0 && ++forced_calls % every == 0) {
        return true;
    }
    return stack_position() < here.least_stack;
}

bool must_give_way() noexcept { return static_cast<strand&>(*here.inside).must_give_way(); }

bool is_inside() noexcept {
    probe::acquire(&here);
    return here.inside != &outside;
}

void block_every(std::uint32_t n) noexcept { forced_interval.store(n, std::memory_order_relaxed); }

namespace {

enum class attempt { no_strand, done, must_wait };

// Enters a strand that is free, and begins there. Not inlined: its caller waits between two
// attempts, and may then be on another OS thread.
LAZULT_NOINLINE attempt try_to_run(bool (*begin)(void*), void* argument, waiting_thread& me) {
    // From before the entry until after the end: whatever runs inside may not suspend.
    const core::no_suspension kept(core::this_worker().current);
    const std::size_t favourite = favourite_strand();
    for (std::size_t i = 0; i < most_strands; ++i) {
        strand& s = strand_number((favourite + i) % most_strands);
        if (s.try_enter()) {
            const bool must_wait = begin(argument);
            if (must_wait) {
                return s.leave_after(event_of(me)) ? attempt::done : attempt::must_wait;
            }
            s.leave();
            return attempt::done;
        }
    }
    return attempt::no_strand;
}

// Waits as event_cell::wait() does, but reports and traces say what for.
void await_result(sync::event_cell& result) {
    if (result.is_set()) {
        return;
    }
    const sync::caller self = sync::this_caller();
    sync::waiter<> me(self.unit, kind_of(own_wait::result), &result);
    const base::status outcome = result.waiters().wait(
        me, self.may_wait, sync::no_deadline,
        [](const auto& word, sync::waiter<>*&) noexcept { return sync::event_cell::passes(word); });
    if (outcome == base::status::cannot_suspend) {
        sync::refuse_to_wait("method's result", "run methods in a ULT");
    }
    sync::cancellation_point(self.unit);
}

}  // namespace

void run_inside(bool (*begin)(void*), void* argument, waiting_thread& me) {
    if (is_inside()) LAZULT_UNLIKELY {
        base::fatal_misuse("concert::run", "a method runs in this thread already",
                           "call methods of a method by concert::call()");
    }
    const core::work_unit* const unit = core::this_worker().current;
    if (unit != nullptr && !unit->may_suspend()) LAZULT_UNLIKELY {
        throw error(errc::cannot_suspend, "concert::run", "a tasklet may not wait",
                    "run methods in a ULT");
    }
    if (const transport* const ranks = transport::current(); ranks != nullptr && !ranks->may_wait())
        LAZULT_UNLIKELY {
        throw error(errc::cannot_suspend, "concert::run", "a message's handler may not wait",
                    "start a thread in the handler, by concert::spawn()");
    }
    base::current_settings();  // reads the environment, unless that has been done
    attempt outcome = try_to_run(begin, argument, me);
    while (outcome == attempt::no_strand) {
        this_thread::yield();
        outcome = try_to_run(begin, argument, me);
    }
    if (outcome == attempt::must_wait) {
        transport* const ranks = transport::current();
        if (ranks != nullptr) {
            ranks->await(event_of(me));
        }
        await_result(event_of(me));
    }
}

}  // namespace detail

// Not inlined: the caller may be a ULT that has moved to another OS thread since it last asked.
LAZULT_NOINLINE simulated_identity* simulated_here() noexcept { return rank_of_thread; }
LAZULT_NOINLINE void stand_for(simulated_identity* rank) noexcept {
    probe::acquire(&here);
    rank_of_thread = rank;
    probe::release(&here);
}

LAZULT_NOINLINE thread_position leave_thread() noexcept {
    probe::acquire(&here);
    const thread_position mine{here, rank_of_thread,
                               core::lifted_no_suspension(*core::this_worker().current)};
    rank_of_thread = nullptr;
    stand_outside();
    return mine;
}
LAZULT_NOINLINE void return_to_thread(const thread_position& mine) noexcept {
    mine.lifted.put_back();
    probe::acquire(&here);
    rank_of_thread = mine.rank;
    stand_at(mine.where);
}

strand& strand_number(std::size_t i) noexcept {
    if (const simulated_identity* const me = simulated_here(); me != nullptr) LAZULT_UNLIKELY {
        return *me->only;
    }
    strand& s = strands[i];
    return s;
}

std::uint32_t strand::number() const noexcept {
    return simulated != 0 ? 0 : static_cast<std::uint32_t>(this - strands.data());
}

std::uint32_t own_rank() noexcept {
    const simulated_identity* const me = simulated_here();
    return me != nullptr ? me->number : rank_of_process.load(std::memory_order_relaxed);
}
void set_own_rank(std::uint32_t rank) noexcept {
    rank_of_process.store(rank, std::memory_order_relaxed);
}

// Not inlined: the caller may have moved to another OS thread since it last asked.
LAZULT_NOINLINE std::size_t favourite_strand() noexcept {
    const sched::stream* const s = sched::this_stream();
    return s == nullptr ? 0 : static_cast<std::size_t>(s->rank()) % most_strands;
}

std::size_t strands_in_use() noexcept {
    if (simulated_here() != nullptr) LAZULT_UNLIKELY {
        return 1;
    }
    return std::clamp<std::size_t>(static_cast<std::size_t>(sched::stream_count()), 1,
                                   most_strands);
}

bool all_calls_in_contexts() noexcept {
    const simulated_identity* const me = rank_of_thread;
    return me != nullptr ? me->calls_in_contexts : row_of(setting::calls).value != 0;
}

sync::event_cell& event_of(detail::waiting_thread& t) noexcept {
    static_assert(sizeof t.event >= sizeof(sync::event_cell));
    return *std::launder(reinterpret_cast<sync::event_cell*>(t.event));
}

void strand::count_down(const detail::continuation_words& to, detail::parcel& what) {
    detail::context* const c = to.address();
    if (c->generation != to.generation()) LAZULT_UNLIKELY {
        detail::refuse_resolution(to);
    }
    if (to.kind() == detail::target_kind::counting_slot) {
        count_down_slot(*c, to);
        return;
    }
    auto* const counted = static_cast<detail::counter*>(c);
    if (counted->waiting == 0) LAZULT_UNLIKELY {
        detail::refuse_resolution(to);
    }
    counted->absorb(counted, what);
    if (--counted->waiting == 0) {
        enqueue(counted);
    }
}

// A slot that counts is one of the C face. Its first word says how many resolutions it still needs.
void strand::count_down_slot(detail::context& of, const detail::continuation_words& to) noexcept {
    auto* const s =
        reinterpret_cast<concert_slot*>(reinterpret_cast<std::byte*>(&of) + to.distance());
    const auto state = static_cast<detail::slot_state>(s->state);
    if (state != detail::slot_state::empty && state != detail::slot_state::untouched)
        LAZULT_UNLIKELY {
        detail::refuse_resolution(to);
    }
    if (--s->value[0] != 0) {
        return;
    }
    s->state = static_cast<std::uint8_t>(detail::slot_state::full);
    if (state == detail::slot_state::empty && --of.waiting == 0) {
        enqueue(&of);
    }
}

// Not inlined, nor is leave(): their callers may have moved to another OS thread in between.
LAZULT_NOINLINE bool strand::try_enter() noexcept {
    if (!turn_.try_enter()) {
        return false;
    }
    come_in();
    return true;
}

void strand::come_in() noexcept {
    begin_slice();
    home = own_rank() | (number() << 16);
    stand_inside(*this);
    take_in();
}

LAZULT_NOINLINE void strand::leave() noexcept {
    for (;;) {
        if (first != nullptr) {
            stand_outside();
            if (turn_.leave_to_visit()) {
                send_visit();
            }
            return;
        }
        stand_outside();
        if (turn_.try_leave()) {
            return;
        }
        stand_inside(*this);
        turn_.look_again();
        take_in();
    }
}

bool strand::leave_after(sync::event_cell& result) noexcept {
    while (!result.is_set()) {
        if (first == nullptr && !look_for_news()) {
            leave();
            return false;
        }
        if (!run_and_look(&transport::take_some)) {
            return result.is_set();
        }
    }
    leave();
    return true;
}

// Returns true if a context is ready now.
bool strand::look_for_news() noexcept {
    turn_.look_again();
    take_in();
    return first != nullptr;
}

// Not inlined: the caller may have moved to another OS thread since it last called this.
LAZULT_NOINLINE bool strand::make_visit_if_due() noexcept {
    if (!turn_.is_visit_due()) {
        return false;
    }
    const core::no_suspension kept(core::this_worker().current);
    if (!try_enter()) {
        return false;
    }
    if (first == nullptr || run_and_look(&transport::attend)) {
        leave();
    }
    return true;
}

bool strand::make_due_visits() noexcept {
    // a hint: each visit that is due holds one
    if (strands_at_work.released() == strands_at_work.held()) LAZULT_LIKELY {
        return false;
    }
    bool has_made_one = false;
    for (strand& each : strands) {
        has_made_one |= each.make_visit_if_due();
    }
    return has_made_one;
}

void strand::run_some(unsigned most) noexcept {
    for (unsigned done = 0; first != nullptr && done < most; ++done) {
        detail::context* const c = dequeue();
        ++count.restarts;
        running = c;
        if (of_loops.is_over) {
            begin_slice();
        }
        c->run(c);
    }
    running = nullptr;
}

// Without other ranks: a whole visit.
void strand::run_and_take_news() noexcept {
    constexpr unsigned visit_length = 1000;
    constexpr unsigned between_looks = 16;
    for (unsigned done = 0; first != nullptr && done < visit_length; done += between_looks) {
        run_some(between_looks);
        if (turn_.has_news()) {
            look_for_news();
        }
    }
}

// False: another thread is inside now, and this one is not.
bool strand::run_and_look(void (transport::*look)(std::int64_t)) noexcept {
    transport* const ranks = transport::current();
    if (ranks == nullptr) {
        run_and_take_news();
        return true;
    }
    ranks->send_gathered();
    const std::int64_t until_ns = run_for_a_while();
    // Outside for a moment, so that a message's method can run in its handler. This thread is the
    // visit, unless one is on its way.
    stand_outside();
    const bool is_visit = turn_.leave_to_visit();
    (ranks->*look)(until_ns);
    if (is_visit ? turn_.try_enter_by_visit() : turn_.try_enter()) {
        come_in();
        return true;
    }
    return false;
}

// Contexts may take nanoseconds or milliseconds, so the clock is looked at soon, and then less
// often. Returns until when messages may run: as long as contexts have, but only for a while, as
// this thread's result may be there.
std::int64_t strand::run_for_a_while() noexcept {
    if (simulated_here() != nullptr) LAZULT_UNLIKELY {
        run_some(1);
        return 0;
    }
    constexpr std::int64_t a_while_ns = 4'000;
    constexpr std::int64_t longest_look_ns = 200'000;
    constexpr unsigned longest_stride = 16;
    const std::int64_t began_ns = os::now_ns();
    std::int64_t now_ns = began_ns;
    unsigned stride = 1;
    do {
        run_some(stride);
        stride = std::min(stride * 4, longest_stride);
        now_ns = os::now_ns();
    } while (first != nullptr && now_ns - began_ns < a_while_ns);
    return now_ns + std::min(now_ns - began_ns, longest_look_ns);
}

// What waits for the thread inside: contexts, news, and perhaps messages of other ranks.
bool strand::has_others() const noexcept {
    const transport* const ranks = transport::current();
    return first != nullptr || turn_.has_news() ||
           (ranks != nullptr && ranks->count_of_ranks() > 1);
}

void strand::begin_slice() noexcept { of_loops = {}; }

// Calls may take nanoseconds or milliseconds. The stride grows as long as many more calls of the
// same length fit into the slice. A slice that is over stays so until the ready list runs the next
// context: the loops around this one, and those that a caller begins next, give way, too.
LAZULT_NOINLINE bool strand::must_give_way() noexcept {
    detail::loop_slice& s = of_loops;
    s.calls_left = 1;
    if (s.is_over) {
        return true;
    }
    transport* const ranks = transport::current();
    const std::int64_t length = ranks != nullptr ? ranks->slice_ns() : slice_of_settings();
    if (length == 0) {
        s.calls_left = ~std::uint32_t{0};
        return false;
    }
    const std::int64_t now = ranks != nullptr ? ranks->now_ns() : os::now_ns();
    if (!s.has_begun) {
        s.has_begun = true;
        s.began_ns = now;
        return false;
    }
    const std::int64_t passed = now - s.began_ns;
    if (passed >= length) {
        s.is_over = has_others();
        s.stride = 1;
        s.began_ns = now;
        return s.is_over;
    }
    constexpr int longest_stride = 1024;
    if (passed < length / 8) {
        s.stride = static_cast<std::uint16_t>(std::min(s.stride * 4, longest_stride));
    }
    s.calls_left = s.stride;
    return false;
}

void strand::post(news* n) noexcept {
    news_.push(n);
    if (turn_.announce()) {
        send_visit();
    }
}

void strand::take_in() noexcept {
    for (news* n = news_.take_all(); n != nullptr;) {
        news* const next = n->next;
        ++count.foreign;
        n->take(n, *this);
        n = next;
    }
}

void strand::send_visit() noexcept {
    if (simulated_identity* const me = simulated_here(); me != nullptr) LAZULT_UNLIKELY {
        me->owes_visit = true;
        return;
    }
    try {
        tasklet([this] { visit(); }).detach();
    } catch (const error&) {  // no memory for the tasklet: this thread visits itself
        const detail::position before = here;
        visit();
        stand_at(before);
    }
}

void strand::visit() noexcept {
    if (!turn_.try_enter_by_visit()) {
        return;
    }
    come_in();
    if (first == nullptr || run_and_look(&transport::attend)) {
        leave();
    }
}

method_counters count_methods() noexcept {
    if (detail::is_inside()) LAZULT_UNLIKELY {
        base::fatal_misuse("concert::count_methods", "a method runs in this thread",
                           "count when run() has returned");
    }
    method_counters sum;
    for (strand& each : strands) {
        while (!each.try_to_count(sum)) {
            this_thread::yield();
        }
    }
    return sum;
}

// Not inlined, as detail::try_to_run().
LAZULT_NOINLINE bool strand::try_to_count(method_counters& sum) noexcept {
    const core::no_suspension kept(core::this_worker().current);
    if (!try_enter()) {
        return false;
    }
    sum.contexts += count.contexts;
    sum.heap_calls += count.heap_calls;
    sum.fallbacks += count.fallbacks;
    sum.taken += count.taken;
    sum.restarts += count.restarts;
    sum.foreign += count.foreign;
    sum.sent_calls += count.sent_calls;
    sum.served += count.served;
    sum.served_later += count.served_later;
    sum.cache_hits += count.cache_hits;
    sum.cache_misses += count.cache_misses;
    leave();
    return true;
}

}  // namespace lazult::concert
