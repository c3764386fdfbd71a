// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/stream.hpp"

#include <pthread.h>

#include <cstdio>
#include <limits>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "lazult/sched/spare_scheduler.hpp"
#include "lazult/sched/steal_group.hpp"
#include "lazult/sched/stream_list.hpp"
#include "lazult/sched/work_stealing_scheduler.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult::sched {

namespace {

// The lock of the pinned pools of streams that have ended. Suspended units may be at home in these
// pools, and late pushers may still forward units from there. So the pools are neither destroyed
// nor used again, which costs some 450 bytes for each stream that ever ended.
constinit std::mutex keeping;

[[gnu::constructor]] void hold_retired_pools_lock() {
    base::hold_across_fork(base::fork_lock::retired_pools, keeping);
}

void keep_pinned(std::unique_ptr<private_fifo> p) noexcept {
    // The pool is kept even if there is no memory for the list, which leak checkers need.
    private_fifo* const kept = p.release();
    const std::lock_guard hold(keeping);
    base::has_memory_for([kept] {
        using list = std::vector<std::unique_ptr<private_fifo>>;
        static list* const retired = std::make_unique<list>().release();
        retired->emplace_back(kept);
    });
}

// Called by an OS thread that begins to be a stream; belong_to_none() when it is one no more. Units
// stay in `stay_pool`, if that is not null.
void belong_to(worker& w, stream* s, core::pool* stay_pool) noexcept {
    // relaxed: see the table of worker
    w.stream.store(static_cast<stream_record*>(s), std::memory_order_relaxed);
    if (stay_pool != nullptr) {
        w.stay_pool = stay_pool;
        w.stay_host = &s->main_scheduler();
    }
    std::atomic_ref(w.rank).store(s->rank(), std::memory_order_relaxed);  // reports read it
    idler::count_streams(1);
    core::trace_stream(w, true);
}
void belong_to_none(worker& w, const scheduler& main) noexcept {
    for (ready_pool* const p : main.pools()) {
        p->stream_ends(keeping_stream::of(w));
    }
    core::trace_stream(w, false);
    w.stream.store(nullptr, std::memory_order_relaxed);  // see the table of worker
    w.stay_pool = nullptr;
    w.stay_host = nullptr;
    // relaxed: a spare stream may still use the port, which is never freed
    if (core::kernel_port* const port = w.port.exchange(nullptr, std::memory_order_relaxed);
        port != nullptr) {
        port->leave();
    }
    w.set_stream_number(0);
    ++w.streams_ended;
    idler::count_streams(-1);
}

// Returns the pool in which the calling unit goes on while it ends its own stream, or nullptr.
core::pool* refuge_from(stream& ending) noexcept {
    return core::can_suspend() ? streams().begin_to_end_by(ending, *core::current_unit()->home)
                               : nullptr;
}

// Moves the calling unit to `target`. The unit's stream has been asked to stop before, so it does
// not steal the unit back.
void move_to(core::pool& target) {
    work_unit& self = *core::current_unit();
    if (self.home != &target) {
        self.join.open();  // because the unit may end on another thread than its old home's
        core::set_present_home(self, target);
    }
    core::leave_for_home();
}

}  // namespace

// topo::machine() may throw, so it comes before the rank: an unfinished stream gives no rank back.
std::unique_ptr<stream> stream::make() {
    topo::machine();
    return std::unique_ptr<stream>(new stream(streams().take_rank()));
}

stream::stream(int rank) noexcept
    : stream_record(rank), processor_(rank % topo::machine().processors()) {}

stream::stream(int rank, scheduler& main, const stream_options& options) noexcept
    : stream_record(rank),
      processor_(0),
      owner_(options.owner),
      on_end_(options.on_end),
      stream_number_(options.stream_number) {
    independent_ = true;
    serve(main);
    if (options.thread_name != nullptr) {
        std::snprintf(thread_name_, sizeof thread_name_, "%s", options.thread_name);
    }
}

stream::~stream() {
    retire_pool();
    streams().give_rank(rank_);
}

// Retires the stream's pools. Units that are suspended, and at home in the pinned pool, will become
// ready in a pool that other streams serve.
void stream::retire_pool() {
    if (stealing_ != nullptr) {
        pinned_->retire(*stealing_);
        keep_pinned(std::move(pinned_));
        stealing_pool& left = *std::exchange(stealing_, nullptr);
        if (base::current_settings().scheduler != kind::work_stealing) {
            if (stealing_pool* other = streams().pool_of_another(*this); other != nullptr) {
                left.retire(*other);
            }
        }
        thieves().retire(left);
    }
}

// Units that have begun stay by moving to the pinned pool. Under other schedulers than
// work_stealing nothing is stolen, so they stay as they are.
void stream::make_default_scheduler(role r, std::optional<base::started_kind> started) {
    const base::settings& now = base::current_settings();
    keeps_begun_ = started.value_or(now.started) == base::started_kind::stay &&
                   now.scheduler == kind::work_stealing;
    const kind which = now.scheduler;
    pinned_ = std::make_unique<private_fifo>();
    stealing_ = &thieves().enter(processor_);
    default_pool_ = runtime_pool_ = stealing_;
    if (keeps_begun_) {
        pinned_->set_place_of_new_units(*stealing_);
    }
    if (r == role::spare) {
        owned_main_ = std::make_unique<spare_scheduler>(*stealing_);
    } else if (which == kind::work_stealing) {
        owned_main_ = std::make_unique<work_stealing_scheduler>(*stealing_);
    } else {
        owned_main_ = make_scheduler(which);
    }
    main_ = owned_main_.get();
    for (ready_pool* p :
         {static_cast<ready_pool*>(pinned_.get()), static_cast<ready_pool*>(stealing_)}) {
        if (main_->add_pool(*p) != base::status::ok) {
            throw std::bad_alloc();  // as the allocations above do
        }
    }
    main_->take_turns_of(*pinned_, *stealing_);
}

// Moves the thread off its creator's processor, where the kernel may have started it. The kernel
// needs some milliseconds to separate the two, even if other processors are idle: threads that run
// in turn seem too busy with their caches to be moved.
void stream::start_apart() const noexcept { os::move_this_thread(launched_from_, rank_); }

// Binds the calling OS thread. Not called for the main thread that the runtime adopts: it keeps its
// affinity, which its own children inherit.
void stream::bind() const {
    if (independent_) {
        if (!processors_.empty()) {
            os::bind_this_thread(processors_);
        } else {
            start_apart();
        }
        return;
    }
    const auto how = base::current_settings().bind;
    const int streams = stream_count() + 1;  // this stream is listed when it runs
    const bool wanted = how == base::bind_kind::on || (how == base::bind_kind::automatic &&
                                                       streams <= topo::machine().processors());
    if (wanted) {
        topo::machine().bind_this_thread(processor_);
    }
}

// Returns worker::number for this stream: its door's, or one above door_numbers by its rank.
// 0 if there are too many streams for that.
std::uint16_t stream::number() const noexcept {
    constexpr std::size_t all = std::numeric_limits<std::uint16_t>::max();
    const std::size_t by_rank = door_numbers + static_cast<std::size_t>(rank_);
    return stream_number_ != 0 ? stream_number_
                               : static_cast<std::uint16_t>(by_rank <= all ? by_rank : 0);
}

void stream::name_thread() const noexcept {
    char name[16];
    std::snprintf(name, sizeof name, "lazult %d", rank_);
    os::set_thread_name(thread_name_[0] != '\0' ? thread_name_ : name);
}

void stream::body() {
    // pthread_cancel() would unwind the ULT that happens to run here, and then the scheduler.
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    bind();
    os::enter_fault_stack();
    do {
        live();
    } while (independent_ && is_wanted_again());
    os::leave_fault_stack();
}

bool stream::is_wanted_again() noexcept {
    std::uint32_t found = busy;
    // release pairs with: await_rest(), load; acquire with: order(), store
    if (order_.compare_exchange_strong(found, resting, std::memory_order_release,
                                       std::memory_order_acquire)) {
        found = resting;
    }
    while (found == resting) {
        ds::default_atomics::futex_wait(order_, resting, -1);
        found = order_.load(std::memory_order_acquire);  // pairs with: order(), store
    }
    probe::acquire(&order_);
    if (found == again) {
        order_.store(busy, std::memory_order_relaxed);  // no thread gives orders during the start
    }
    return found == again;
}

void stream::await_rest() noexcept {
    // acquire pairs with: is_wanted_again(), CAS: all that its former life did
    while (order_.load(std::memory_order_acquire) != resting) {
        os::yield_thread();
    }
}

void stream::order(std::uint32_t what) noexcept {
    probe::release(&order_);
    order_.store(what, std::memory_order_release);  // pairs with: is_wanted_again()
    ds::default_atomics::futex_wake(order_, 1);
}

// Called by the stream's OS thread. The stream is deleted only after that thread has been joined,
// so futex_wake() finds it.
void stream::become(stream_state now) noexcept {
    // pairs with: state(), load
    state_.store(static_cast<std::uint32_t>(now), std::memory_order_release);
    ds::default_atomics::futex_wake(state_, std::numeric_limits<int>::max());
}

void stream::live() {
    name_thread();
    worker* const attached = core::try_this_worker();
    if (attached == nullptr) {
        started_ = base::status::out_of_memory;
        become(stream_state::ended);
        return;
    }
    worker& w = *attached;
    w.set_stream_number(number());
    belong_to(w, this, keeps_begun_ ? pinned_.get() : nullptr);
    worker_ = &w;
    started_ = main_->take_stack(w) ? main_->attach_pools(w) : base::status::out_of_memory;
    become(stream_state::running);
    if (started_ == base::status::ok) {
        main_->run_on_thread(w);
    } else {
        main_->give_stack_back(w);
    }
    belong_to_none(w, *main_);
    become(stream_state::ended);
    resume_joiner();
    if (on_end_ != nullptr && started_ == base::status::ok) {
        on_end_(owner_);
    }
}

base::status stream::launch() {
    if (!main_->is_usable()) {
        return base::status::out_of_memory;
    }
    launched_from_ = os::current_processor();
    try {
        thread_ = std::thread([this] { body(); });
    } catch (const std::system_error&) {
        return base::status::out_of_memory;
    } catch (const std::bad_alloc&) {
        return base::status::out_of_memory;
    }
    const base::status outcome = await_start();
    if (outcome != base::status::ok) {
        order(gone);
        os::join_thread(thread_);
    }
    return outcome;
}

base::status stream::await_start() noexcept {
    while (state() == stream_state::starting) {
        ds::default_atomics::futex_wait(state_, static_cast<std::uint32_t>(stream_state::starting),
                                        -1);
    }
    return started_;
}

// Called by the stream's OS thread at the stream's end.
void stream::resume_joiner() noexcept {
    // release pairs with: await_end(), failed CAS; acquire with: the same, CAS: the joiner's saved
    // context
    void* const joiner = joiner_.exchange(this, std::memory_order_acq_rel);
    if (joiner != nullptr) {
        core::make_ready(core::this_worker_or_null(), static_cast<work_unit*>(joiner));
    }
}

// Called by a ULT, which suspends until the stream has ended. It must not block its own stream,
// because the ending stream may wait for units there.
void stream::await_end() {
    struct wait {
        stream* awaited;
        work_unit* joiner;

        static void begin(void* record) noexcept {
            probe::acquire(record);  // pairs with: await_end(), release
            const wait me = *static_cast<wait*>(record);
            void* found = nullptr;
            // release, acquire pairs with: resume_joiner(), exchange
            if (!me.awaited->joiner_.compare_exchange_strong(
                    found, me.joiner, std::memory_order_release, std::memory_order_acquire)) {
                core::make_ready(core::this_worker_or_null(), me.joiner);
            }
        }
    } me{this, core::current_unit()};
    probe::release(&me);
    core::suspend(wait::begin, &me);
}

base::status stream::launch_listed(std::unique_ptr<stream> s, stream** result) {
    const base::status outcome = s->launch();
    if (outcome == base::status::ok) {
        *result = s.release();
        streams().add(**result);
    }
    return outcome;
}

base::status stream::start(std::unique_ptr<scheduler> main, stream** result) {
    std::unique_ptr<stream> s = make();
    s->serve(*main);
    s->runtime_pool_ = s->default_pool_;
    s->owned_main_ = std::move(main);
    return launch_listed(std::move(s), result);
}

base::status stream::start_default(stream** result, std::optional<base::started_kind> started) {
    std::unique_ptr<stream> s = make();
    s->make_default_scheduler(role::ordinary, started);
    return launch_listed(std::move(s), result);
}

base::status stream::start_spare(stream** result) {
    std::unique_ptr<stream> s = make();
    s->make_default_scheduler(role::spare, {});
    return launch_listed(std::move(s), result);
}

base::status stream::adopt(stream** result) {
    worker& w = core::this_worker();
    if (w.here != nullptr) {
        return base::status::busy;
    }
    std::unique_ptr<stream> s = make();
    s->make_default_scheduler(role::ordinary, {});
    s->primary_ = core::prepare(
        w, *s->pinned_, [](void*) {}, nullptr, core::unit_attributes(technique::lazy_stack));
    if (s->primary_ == nullptr) {
        return base::status::out_of_memory;
    }
    w.set_stream_number(s->number());
    s->main_->adopt_thread(w, s->primary_);
    s->main_->attach_pools(w);
    os::enter_fault_stack();
    belong_to(w, s.get(), s->keeps_begun_ ? s->pinned() : nullptr);
    s->worker_ = &w;
    s->state_.store(static_cast<std::uint32_t>(stream_state::running),
                    std::memory_order_release);  // pairs with: state()
    *result = s.release();
    streams().add(**result);
    return base::status::ok;
}

base::status stream::make_independent(scheduler& main, const stream_options& options,
                                      stream** result) noexcept {
    try {
        const int rank = streams().take_rank();
        auto* s = new (std::nothrow) stream(rank, main, options);
        if (s == nullptr) {
            streams().give_rank(rank);
            return base::status::out_of_memory;
        }
        std::unique_ptr<stream> made(s);
        s->processors_.assign(options.processors.begin(), options.processors.end());
        streams().add(*s);
        *result = made.release();
        return base::status::ok;
    } catch (const std::bad_alloc&) {
        return base::status::out_of_memory;
    }
}

base::status stream::start(scheduler& main, const stream_options& options,
                           stream** result) noexcept {
    stream* s = nullptr;
    if (const base::status bad = make_independent(main, options, &s); bad != base::status::ok) {
        return bad;
    }
    *result = s;  // before the stream runs, because its units may look for it
    const base::status outcome = s->launch();
    if (outcome != base::status::ok) {
        *result = nullptr;
        streams().remove(*s);
        delete s;
    }
    return outcome;
}

base::status stream::restart(scheduler& main, const stream_options& options) noexcept {
    if (!main.is_usable()) {
        return base::status::out_of_memory;
    }
    await_rest();
    serve(main);
    stream_number_ = options.stream_number;
    std::snprintf(thread_name_, sizeof thread_name_, "%s",
                  options.thread_name == nullptr ? "" : options.thread_name);
    // relaxed: order() publishes both
    state_.store(static_cast<std::uint32_t>(stream_state::starting), std::memory_order_relaxed);
    joiner_.store(nullptr, std::memory_order_relaxed);
    order(again);
    return await_start();
}

void stream::discard(stream* s) noexcept {
    s->order(gone);
    os::join_thread(s->thread_);
    streams().remove(*s);
    delete s;
}

base::status stream::adopt(scheduler& main, work_unit& primary, const stream_options& options,
                           stream** result) noexcept {
    worker& w = core::this_worker();
    if (w.here != nullptr) {
        return base::status::busy;
    }
    if (!main.is_usable() || !main.take_stack(w)) {
        return base::status::out_of_memory;
    }
    stream* s = nullptr;
    if (const base::status bad = make_independent(main, options, &s); bad != base::status::ok) {
        main.give_stack_back(w);
        return bad;
    }
    w.set_stream_number(s->number());  // before attach_pools() and adopt_thread(), which use it
    if (const base::status bad = main.attach_pools(w); bad != base::status::ok) {
        w.set_stream_number(0);
        main.give_stack_back(w);
        streams().remove(*s);
        delete s;
        return bad;
    }
    s->primary_ = &primary;
    s->adopted_thread_ = ::pthread_self();
    belong_to(w, s, nullptr);
    main.adopt_thread(w, &primary, core::host::primary_kind::wanders);
    os::enter_fault_stack();
    s->worker_ = &w;
    s->bind();
    s->state_.store(static_cast<std::uint32_t>(stream_state::running),
                    std::memory_order_release);  // pairs with: state()
    *result = s;
    return base::status::ok;
}

std::thread::native_handle_type stream::thread_handle() noexcept {
    return primary_ != nullptr ? adopted_thread_ : thread_.native_handle();
}

base::status stream::replace_main(scheduler& next) noexcept {
    const base::status outcome =
        next.is_usable() ? next.attach_pools(core::this_worker()) : base::status::out_of_memory;
    if (outcome == base::status::ok) {
        main_->succeed_by(next);
    }
    return outcome;
}

void stream::serve(scheduler& main) noexcept { become_main(main, main.first_pool()); }

base::status stream::end(scheduler::stop_request how) {
    if (left_behind_) {
        return base::status::ok;  // nothing is freed: the state of its thread is not known
    }
    if (primary_ != nullptr) {
        return base::status::not_supported;
    }
    core::pool* refuge = nullptr;
    const bool runs_here = this_stream() == this;
    if (runs_here && (refuge = refuge_from(*this)) == nullptr) {
        return base::status::would_deadlock;
    }
    if (!runs_here) {
        streams().begin_to_end(*this);
    }
    main_->request_stop(how);
    if (runs_here) {
        move_to(*refuge);
    }
    // If the stream has ended, the caller does not suspend, because at exit() a suspension would
    // start units that have not started.
    if (core::can_suspend() && state() != stream_state::ended) {
        await_end();
    }
    os::join_thread(thread_);
    streams().remove(*this);
    delete this;
    return base::status::ok;
}

base::status stream::join(stream* s) { return s->end(scheduler::stop_when_empty); }

base::status stream::stop(stream* s) { return s->end(scheduler::stop_now); }

base::status stream::release(stream* s) {
    worker& w = core::this_worker();
    if (s->primary_ == nullptr || w.current != s->primary_ || stream_record_of(&w) != s) {
        return base::status::not_supported;
    }
    streams().remove(*s);
    s->main_->release_thread(w);
    s->primary_->stk = nullptr;
    s->primary_->join.finish_in_place();
    if (!s->independent_) {
        core::dispose(&w, s->primary_);
    }
    belong_to_none(w, *s->main_);
    os::leave_fault_stack();
    delete s;
    return base::status::ok;
}

stream* this_stream() noexcept {
    return static_cast<stream*>(stream_record_of(core::this_worker_or_null()));
}

}  // namespace lazult::sched
