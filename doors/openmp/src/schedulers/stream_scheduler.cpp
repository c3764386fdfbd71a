// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/stream_scheduler.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "environment/environment.hpp"
#include "tasks/running.hpp"
#include "threads/headroom.hpp"
#include "waiting/crowd.hpp"
#include "waiting/patience.hpp"

namespace lazult::omp {
namespace {

// All schedulers that were ever made. The pools of those without a thread are empty.
//
// field  written by       read by    order
// at     under the lock   thieves    published by count
// count  under the lock   thieves    release / acquire
struct scheduler_registry {
    static constexpr unsigned most = 4096;
    spin_lock lock;
    stream_scheduler* at[most] = {};
    atomic<unsigned> count{0};
};

scheduler_registry& schedulers() noexcept { return base::the_only<scheduler_registry>(); }

sched::gate& fresh_gate() noexcept {
    static base::never_destroyed<sched::gate> instance(sched::sleepers());
    return *instance;
}

void remember(stream_scheduler* h) noexcept {
    scheduler_registry& all = schedulers();
    const std::lock_guard hold(all.lock);
    const unsigned count = all.count.load(std::memory_order_relaxed);
    if (count < scheduler_registry::most) {
        all.at[count] = h;
        all.count.store(count + 1, std::memory_order_release);  // pairs with: steal_fresh(), load
    }
}

}  // namespace

void enter_process_once() noexcept {
    static std::once_flag once;
    std::call_once(once, [] {
        sched::enter_process();
        // These statics are made before a second thread asks for them. A thread that waits for the
        // guard of a static finds another errno afterwards, and ThreadSanitizer does not see the
        // guard.
        sched::sleepers();
        unit_attributes();
        has_headroom();
    });
}

stream_scheduler::stream_scheduler(worker& w)
    : thread_scheduler(kind::stream), slot_(sched::sleepers().take_slot()) {
    set_stack_size(unit_stack_bytes());
    set_fast_pool(&pinned_);
    primary_ = core::prepare(
        w, pinned_, [](void*) {}, nullptr,
        core::unit_attributes(core::technique::lazy_stack).user_bits(omp_unit));
    if (primary_ == nullptr) {
        throw std::bad_alloc();
    }
    begin_data(*primary_, {});
    attach(w);
    remember(this);
}

// When its thread has ended, a scheduler is kept for another thread, and never destroyed.
stream_scheduler::~stream_scheduler() = default;

// Attaching a pool may set the worker's `fast_pool` and `lane`. They are restored here: these fast
// paths of the core belong to another front end that may have streams on this thread.
void stream_scheduler::attach(worker& w) noexcept {
    core::pool* const fast = w.fast_pool;
    core::steal_lane* const lane = w.lane;
    pinned_.attach(w);
    fresh_.attach(w);
    w.fast_pool = fast;
    w.lane = lane;
}

namespace {

// The thread looks there no more. Units of other threads may still wait there: then a service
// thread looks.
void give_port_up(worker& w) noexcept {
    // relaxed: see the table of worker
    if (core::kernel_port* const port = w.port.exchange(nullptr, std::memory_order_relaxed);
        port != nullptr) {
        port->leave();
    }
}

}  // namespace

void stream_scheduler::detach(worker& w) noexcept {
    fresh_.detach(w);
    pinned_.detach(w);
}

void stream_scheduler::enter(worker& w) noexcept { adopt_thread(w, primary_); }

void stream_scheduler::leave(worker& w) noexcept { release_thread(w); }

bool stream_scheduler::has_other_work(const worker& w) const noexcept {
    return pinned_.maybe_has_work(w) || fresh_.maybe_has_work(w) || sched::poll_port(w) != 0;
}

work_unit* stream_scheduler::poll(worker& w) noexcept {
    sched::poll_port(w);
    return nullptr;
}

// Wakes none in a crowd: it would take a processor from the threads that have the units.
void stream_scheduler::announce_fresh(unsigned count) noexcept {
    if (!is_crowded()) {
        fresh_gate().notify_many(count);
    }
}

// Binds a nested implicit task to this scheduler, under which it starts and stays.
work_unit* stream_scheduler::settle(work_unit* u) noexcept {
    probe::acquire(u);  // pairs with: offer_member(), launch_open()
    u->home = &pinned_;
    thread& t = *data_of(*u).here;
    bind_to_scheduler(t, *this);
    add_resident();
    add_unit(t);
    return u;
}

// Now and then a new unit comes first: ready units that yield to each other may wait for it.
work_unit* stream_scheduler::next(worker& w) noexcept {
    constexpr unsigned patience = 8;
    if (++choices_ % patience == 0 && fresh_.maybe_has_work(w)) LAZULT_UNLIKELY {
        if (work_unit* u = fresh_.pop(w); u != nullptr) {
            return settle(u);
        }
    }
    if (work_unit* u = pinned_.pop(w); u != nullptr) {
        return u;
    }
    if (work_unit* u = fresh_.pop(w); u != nullptr) {
        return settle(u);
    }
    if (serves_ != nullptr) {
        if (work_unit* u = make_runner(w, *serves_, pinned_); u != nullptr) {
            return u;
        }
    }
    if (work_unit* u = make_runner_for_served(w, *this, pinned_); u != nullptr) {
        return u;
    }
    return steal_fresh(w);
}

void stream_scheduler::serve(thread* level_1) noexcept {
    serves_ = level_1;
    root_.store(level_1 == nullptr ? nullptr : level_1->its_team->root, std::memory_order_relaxed);
    if (level_1 == nullptr) {
        give_port_up(core::this_worker());
    }
}

// Takes a nested implicit task from `victim`, but only if its team has the same root (team::root):
// a started unit stays here, and this scheduler runs only as long as its own team lasts.
work_unit* stream_scheduler::take_fresh_of(stream_scheduler& victim, worker& w) noexcept {
    const team* const mine = root_.load(std::memory_order_relaxed);
    if (mine == nullptr || victim.root_.load(std::memory_order_relaxed) != mine ||
        !victim.fresh_.maybe_has_work(w)) {
        return nullptr;
    }
    work_unit* u = victim.fresh_.pop(w);
    if (u == nullptr) {
        return nullptr;
    }
    probe::acquire(u);  // pairs with: offer_member(), launch_open()
    if (data_of(*u).here->its_team->root == mine) LAZULT_LIKELY {
        return u;
    }
    core::launch_open(w, u);  // the victim has changed teams meanwhile
    // Announced again, because a scheduler that was notified before may have looked in between.
    announce_fresh(1);
    return nullptr;
}

work_unit* stream_scheduler::steal_fresh(worker& w) noexcept {
    scheduler_registry& all = schedulers();
    // pairs with: remember(), store
    const unsigned count = all.count.load(std::memory_order_acquire);
    for (unsigned i = 0; i < count; ++i) {
        stream_scheduler* victim = all.at[i];
        if (work_unit* u = victim == this ? nullptr : take_fresh_of(*victim, w); u != nullptr) {
            w.count.steals.increment();
            return settle(u);
        }
    }
    return nullptr;
}

// Hands a unit to the loop, if there is one. Looks at other threads' units, too, because spinning
// threads are not notified of these.
bool stream_scheduler::found_work(worker& w) noexcept {
    work_unit* u = next(w);
    if (u != nullptr) {
        run_first(w, u);
    }
    return u != nullptr;
}

bool stream_scheduler::spin(worker& w) noexcept {
    unsigned looks = 0;
    patience left(rivals_for_processor());
    do {
        for (int i = 0; i < 8; ++i) {
            ds::default_atomics::pause();
            if (has_other_work(w)) {
                return true;
            }
        }
        if (found_work(w)) {
            return true;
        }
        if (++looks % 4 == 0 && !left.is_crowded()) {
            left.yield();  // after 32 pauses, as rounds_per_yield in patience.hpp
        }
    } while (left.lasts());
    return false;
}

// Returns whether the waiting has lasted for as long as passive waiting is to last: an OS thread's
// own unit has spun before it suspended, and other units have not.
bool stream_scheduler::has_spun() const noexcept {
    return variables().waiting == waiting_policy::passive && !is_crowded() && !has_residents();
}

bool stream_scheduler::wait(worker& w) noexcept {
    if (has_spun() ? has_other_work(w) : spin(w)) {
        return true;
    }
    if (slot_ == sched::lot::no_slot) {
        os::yield_thread();
    } else {
        sleep(w);
    }
    return true;
}

void stream_scheduler::sleep(worker& w) noexcept {
    sched::gate* const gates[] = {&pinned_.idle_gate(), &fresh_.idle_gate(), &fresh_gate()};
    sched::stream_sleep(w, slot_, gates).until(-1, [this, &w] { return found_work(w); });
}

stream_scheduler& provide(std::unique_ptr<stream_scheduler>& mine) {
    if (mine == nullptr) {
        enter_process_once();
        mine = std::make_unique<stream_scheduler>(core::this_worker());
    }
    return *mine;
}

}  // namespace lazult::omp
