// SPDX-License-Identifier: BSD-3-Clause
#include "teams/unit_team.hpp"

#include <new>

#include "environment/environment.hpp"
#include "loops/work_sharing.hpp"
#include "schedulers/stream_scheduler.hpp"
#include "schedulers/unit_scheduler.hpp"
#include "tasks/caller.hpp"
#include "tasks/finding.hpp"
#include "tasks/implicit_task.hpp"
#include "tasks/keeping.hpp"
#include "tasks/running.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

// Spare teams for callers without a scheduler.
spare_list<team, &team::spare>& teams_without_scheduler() noexcept {
    return base::the_only<spare_list<team, &team::spare>>();
}

team* take_spare(thread_scheduler* scheduler) {
    if (team* found =
            scheduler != nullptr ? scheduler->spare_teams.pop() : teams_without_scheduler().take();
        found != nullptr) {
        return found;
    }
    auto* region = new team;
    region->kind = team_kind::units;
    reset_shares(*region);
    return region;
}

void give_spare(thread_scheduler* scheduler, team* region) noexcept {
    if (scheduler != nullptr) {
        scheduler->spare_teams.push(region);
    } else {
        teams_without_scheduler().keep(region);
    }
}

void resize(team& region, std::uint32_t size) {
    while (region.owned.size() < size) {
        region.owned.push_back(std::make_unique<thread>());
    }
    if (region.members.size() != size) {
        region.members.clear();
        for (std::uint32_t i = 0; i < size; ++i) {
            region.members.push_back(region.owned[i].get());
        }
        forget_history(region);
    }
}

[[noreturn]] void refuse_members() {
    base::fatal_misuse("OpenMP team", "no memory for its threads", "lower the number of threads");
}

work_unit* prepare_member(worker& w, core::pool& home, thread& t, core::entry_function entry,
                          void* argument) {
    work_unit* u = core::prepare(w, home, entry, argument, unit_attributes());
    if (u == nullptr) {
        refuse_members();
    }
    begin_data(*u, {&t.implicit, &t, t.number, t.its_team->size});
    u->join.reset_detached();
    return u;
}

// Makes a thread's unit available. Any stream_scheduler may take the unit, and then keeps it.
void offer_member(worker& w, stream_scheduler& scheduler, thread& t, core::entry_function entry) {
    t.cache = &scheduler.cache;
    core::launch_open(w, prepare_member(w, scheduler.fresh(), t, entry, &t));
}

// Makes the unit of a thread under a scheduler of its own, which becomes a unit of pool `among`.
void launch_member_among(worker& w, core::pool& among, thread& t, core::entry_function entry,
                         void* argument) {
    unit_scheduler& scheduler = unit_scheduler::take();
    bind_to_scheduler(t, scheduler);
    scheduler.add_resident();
    scheduler.add_unit(t);
    core::launch_open(w, prepare_member(w, scheduler.units(), t, entry, argument));
    if (!scheduler.launch(w, among)) {
        refuse_members();
    }
}

// Returns true if tasks were created by the caller, or by a unit that the caller has seen end.
// Other units that have created tasks run these themselves.
bool has_had_tasks(const team& region) noexcept {
    // relaxed: ordered by the threads' counts and by run_nested_member()
    return region.had_tasks.load(std::memory_order_relaxed);
}

void run_nested_member(void* member) {
    auto& t = *static_cast<thread*>(member);
    team& region = *t.its_team;
    run_part(region);
    settle_kept(t);
    while (task* left = has_had_tasks(region) ? find_task(t) : nullptr) {
        run_task(t, *left);
    }
    end_unit(t);
    // pairs with: is_busy(), load. The team may be gone after it.
    if (region.running.fetch_sub(1, std::memory_order_seq_cst) == 1) {
        wake_all(&region.running);
    }
}

void begin_members(team& region) {
    for (std::uint32_t i = 0; i < region.size; ++i) {
        begin_implicit(*region.members[i], region, i);
    }
    region.running.store(region.size - 1, std::memory_order_relaxed);  // published by the launches
    region.shows_affinity = region.size > 1 && variables().display_affinity;
}

void launch_members_among(worker& w, core::pool& among, team& region) {
    for (std::uint32_t i = 1; i < region.size; ++i) {
        thread& t = *region.members[i];
        launch_member_among(w, among, t, run_nested_member, &t);
    }
}

// Makes the units of all threads but thread 0 available.
void launch_members(team& region, thread_scheduler& scheduler) {
    worker& w = core::this_worker();
    if (scheduler.what() == thread_scheduler::kind::unit) {
        launch_members_among(w, scheduler.self_unit()->home->place_of_new_units(), region);
        return;
    }
    auto& here = static_cast<stream_scheduler&>(scheduler);
    for (std::uint32_t i = 1; i < region.size; ++i) {
        offer_member(w, here, *region.members[i], run_nested_member);
    }
    if (region.size > 1) {
        stream_scheduler::announce_fresh(region.size - 1);
    }
}

team& make_units_team(const region_request& wanted, const unit_data& mine,
                      thread_scheduler* scheduler, std::uint32_t threads) {
    team& region = *take_spare(scheduler);
    resize(region, threads);
    describe(region, wanted, mine, threads);
    begin_members(region);
    return region;
}

// Returns whether other units are in the region, or a task has not completed.
bool is_busy(const team& region) noexcept {
    // pairs with: run_nested_member(), end_of_runner(), complete_outside()
    return region.running.load(std::memory_order_seq_cst) != 0 ||
           (has_had_tasks(region) && has_pending_tasks(region));
}

// Looks for a task once more, and sleeps if there is none. `news` is team::news() before the caller
// looked for tasks.
void sleep_in_join(thread& t, team& region, std::uint64_t news) {
    task* found = nullptr;
    {
        const counted_sleeper here(region);
        found = find_late(region, [&] { return find_task(t); });
        if (found == nullptr) {
            park_while(own_wait::region, &region.running,
                       [all = &region, news] { return is_busy(*all) && all->news() == news; });
        }
    }
    if (found != nullptr) {
        run_found(t, *found);
    }
}

// Runs the tasks that are left, and waits for the other threads.
void join_units(thread& t, team& region) {
    settle_kept(t);
    spin_budget spin(region);
    while (is_busy(region)) {
        const std::uint64_t news = region.news();
        if (task* found = has_had_tasks(region) ? find_worthwhile(t) : nullptr; found != nullptr) {
            run_found(t, *found);
        } else if (!spin.again()) {
            sleep_in_join(t, region, news);
            spin = spin_budget(region);
        }
    }
}

void dismiss(team& region, thread_scheduler* scheduler) noexcept {
    uncount_busy(region);
    // A barrier at the region's end would reset these.
    region.has_tasks.store(false, std::memory_order_relaxed);
    region.share_cancelled.store(false, std::memory_order_relaxed);
    give_spare(scheduler, &region);
}

// A region that another door's ULT has entered. The object is on the stack of the ULT, which waits.
//
// field  written by  read by    order
// over   thread 0    the ULT    seq_cst: see parking.hpp
struct visit {
    team& region;
    atomic<std::uint32_t> over{0};
};

void run_first_member(void* argument) {
    auto& whole = *static_cast<visit*>(argument);
    team& region = whole.region;
    thread& t = *region.members[0];
    run_part(region);
    join_units(t, region);
    end_unit(t);
    // The team and `whole` may be gone after this, so only the address is used.
    atomic<std::uint32_t>* const over = &whole.over;
    over->fetch_add(1, std::memory_order_seq_cst);  // pairs with: run_visit(), load
    wake_all(over);
}

}  // namespace

team& begin_units(const region_request& wanted, unit_data& mine, std::uint32_t threads) {
    thread_scheduler* const scheduler = mine.here->scheduler;
    team& region = make_units_team(wanted, mine, scheduler, scheduler == nullptr ? 1 : threads);
    thread& t = *region.members[0];
    t.scheduler = scheduler;
    t.cache = mine.here->cache;
    mine = unit_data{&t.implicit, &t, 0, region.size};
    if (scheduler != nullptr) {
        scheduler->add_unit(t);
        launch_members(region, *scheduler);
    }
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_affinity();
    }
    return region;
}

void end_units(team& region) {
    thread& t = *region.members[0];
    join_units(t, region);
    if (t.scheduler != nullptr) {
        t.scheduler->drop_unit(t);
    }
    me() = outer_data(region);
    dismiss(region, t.scheduler);
}

// If the stream has a private pool beside the one that others steal from, uses the latter.
core::pool* pool_for_visits() noexcept {
    if (!core::can_suspend()) {
        return nullptr;
    }
    const worker& w = core::this_worker();
    core::pool* home = w.current->home;
    sched::stream* here = sched::this_stream();
    if (here != nullptr && home == here->pinned()) {
        home = &here->default_pool();
    }
    return home->takes_foreign_units() ? home : nullptr;
}

void run_visit(core::pool& among, const region_request& wanted, const unit_data& mine,
               std::uint32_t threads) {
    visit whole{make_units_team(wanted, mine, nullptr, threads)};
    team& region = whole.region;
    worker& w = core::this_worker();
    launch_members_among(w, among, region);
    launch_member_among(w, among, *region.members[0], run_first_member, &whole);
    const atomic<std::uint32_t>* const over = &whole.over;
    among.count_waiting(1);  // its streams must not end, because the schedulers need them, too
    // pairs with: run_first_member(), fetch_add
    wait_while(own_wait::region, over,
               [over] { return over->load(std::memory_order_seq_cst) == 0; });
    among.count_waiting(-1);
    dismiss(region, nullptr);
}

void forget_spare_teams() noexcept {
    new (&teams_without_scheduler()) spare_list<team, &team::spare>;
}

}  // namespace lazult::omp
