// SPDX-License-Identifier: BSD-3-Clause
// Level-1 teams consist of OS threads: the parent's, which its host adopts for the length of the
// region, and helpers of the pool. Teams inside active regions consist of ULTs, and so do those of
// other doors' ULTs: see stranger.hpp.
#include "teams/parallel.hpp"

#include <algorithm>
#include <new>

#include "flows/stranger.hpp"
#include "flows/unit_host.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/keeping.hpp"
#include "teams/barrier.hpp"
#include "threads/affinity.hpp"
#include "threads/os_thread.hpp"
#include "threads/spreading.hpp"
#include "threads/thread_pool.hpp"
#include "waiting/waiting.hpp"

namespace lazult::omp {

namespace {

// What end_region() needs to go back: it stands in the team's parent thread's place, in a list
// through the teams.
flow_part outer_part(const team& region) noexcept {
    const team* outer = region.outer;
    return flow_part{region.parent_task, region.parent, region.parent->number, outer->size};
}

// --- numbers of threads

std::uint32_t within_limit(std::uint32_t wanted, const task& self) noexcept {
    const std::uint32_t limit = self.variables.thread_limit;
    if (limit == UINT_MAX || wanted <= 1) {
        return wanted;
    }
    const std::uint32_t busy = self.its_team->group->busy.load(std::memory_order_relaxed);
    return std::clamp(limit > busy ? limit - busy + 1 : 1U, 1U, wanted);
}

void count_busy(const team& region, std::uint32_t change) noexcept {
    if (region.variables.thread_limit != UINT_MAX) {
        region.group->busy.fetch_add(change, std::memory_order_relaxed);
    }
}

// --- what all teams have

void reset_counts(team& region) noexcept {
    for (thread* each : region.members) {
        each->created.reset();
        each->completed.reset();
    }
    region.fulfilled.store(0, std::memory_order_relaxed);
    region.offered.store(0, std::memory_order_relaxed);
    region.had_tasks.store(false, std::memory_order_relaxed);
}

void inherit_variables(team& region, const task& parent) noexcept {
    region.variables = parent.variables;
    const process_variables& all = variables();
    if (region.level < all.threads_by_level.size()) {
        region.variables.threads = all.threads_by_level[region.level];
    }
    if (region.level < all.bind_by_level.size() && parent.variables.bind != bind_false) {
        region.variables.bind = all.bind_by_level[region.level];
    }
}

void describe(team& region, const region_request& wanted, const flow_part& mine,
              std::uint32_t size) {
    team& outer = *mine.here->its_team;
    if (region.size != size) {
        region.size = size;  // else a helper that has not left the last region may be reading it
    }
    region.level = outer.level + 1;
    region.active_level = outer.active_level + (size > 1 ? 1 : 0);
    region.outer = &outer;
    if (const team* root = outer.root != nullptr ? outer.root : &region; region.root != root) {
        region.root = root;
    }
    region.parent = mine.here;
    region.parent_task = mine.running;
    region.function = wanted.function;
    region.data = wanted.data;
    region.league = outer.league;
    region.group = outer.group;
    region.reduction_group = nullptr;
    region.begins_in_share = false;
    describe_no_loop(region);
    if (region.singles.load(std::memory_order_relaxed) != 0 ||
        region.used_shares.load(std::memory_order_relaxed)) {
        reset_shares(region);
        region.used_shares.store(false, std::memory_order_relaxed);
    }
    if (region.had_tasks.load(std::memory_order_relaxed)) LAZULT_UNLIKELY {
        reset_counts(region);
    }
    if (region.is_cancelled()) LAZULT_UNLIKELY {
        region.cancelled.store(false, std::memory_order_relaxed);
        region.inside.arrived.store(0, std::memory_order_relaxed);
        forget_loops(region);
        region.has_tasks.store(false, std::memory_order_relaxed);
    }
    inherit_variables(region, *mine.running);
}

bind_policy policy_of(const region_request& wanted, const task& self) noexcept {
    const auto asked = static_cast<bind_policy>(wanted.flags & 7);
    return asked != bind_false && self.variables.bind != bind_false ? asked : self.variables.bind;
}

// --- level-1 teams

os_thread::hot_team& hot_team_at(os_thread& self, std::size_t depth) {
    while (self.hot.size() <= depth) {
        auto fresh = std::make_unique<os_thread::hot_team>();
        fresh->region.kind = team_kind::streams;
        reset_shares(fresh->region);
        self.hot.push_back(std::move(fresh));
    }
    return *self.hot[depth];
}

void seat(os_thread& self, os_thread::hot_team& hot, std::uint32_t size) {
    hot.region.members.assign(1, &hot.self);
    for (std::uint32_t i = 1; i < size; ++i) {
        hot.region.members.push_back(&self.helpers[i - 1]->self);
    }
    reset_counts(hot.region);
    forget_loops(hot.region);
}

// Takes the helpers for a team, and returns the team's size. After a region with tasks it waits for
// the helpers: they may still be looking for tasks there. All teams of the OS thread have the same
// helpers. If these come from another team, their counts are that team's, and are reset.
std::uint32_t gather(os_thread& self, os_thread::hot_team& hot, std::uint32_t wanted) {
    if (self.helpers.size() + 1 < wanted) {
        take_helpers(self.helpers, wanted - 1);
    }
    const auto size =
        static_cast<std::uint32_t>(std::min<std::size_t>(self.helpers.size() + 1, wanted));
    const std::vector<thread*>& seated = hot.region.members;
    const bool changes =
        seated.size() != size || (size > 1 && (self.helped != &hot.region ||
                                               seated.back() != &self.helpers[size - 2]->self));
    if (changes || hot.region.had_tasks.load(std::memory_order_relaxed)) {
        await_helpers(self.helpers);
    }
    hot.region.shows_affinity = changes && size > 1 && variables().display_affinity;
    if (changes) {
        seat(self, hot, size);
        self.helped = size > 1 ? &hot.region : self.helped;
    }
    return size;
}

// The parent's flow becomes the host's primary unit, or is it already.
void become_thread_0(os_thread& self, team& region) {
    thread& t = *region.members[0];
    worker& w = core::this_worker();
    stream_host& host = host_of(self);
    begin_implicit(t, region, 0);
    bind_to_host(t, host);
    if (w.here == nullptr) {
        host.enter(w);
    }
    host.primary_part() = flow_part{&t.implicit, &t, 0, region.size};
    host.serve(&t);
}

void leave_thread_0(os_thread& self, const team& region) {
    stream_host& host = host_of(self);
    if (region.outer->kind == team_kind::initial) {
        host.serve(nullptr);
        host.leave(core::this_worker());
    } else {
        host.serve(region.parent);
        host.primary_part() = outer_part(region);
    }
}

team& begin_streams(os_thread& self, const region_request& wanted, std::uint32_t threads,
                    team_preparation prepare, void* argument) {
    const flow_part mine = me();
    os_thread::hot_team& hot = hot_team_at(self, self.depth);
    team& region = hot.region;
    const std::uint32_t size = gather(self, hot, threads);
    ++self.depth;
    count_engaged(static_cast<int>(size));
    describe(region, wanted, mine, size);
    count_busy(region, size - 1);
    note_processor_of_fork(region);
    assign_places(region, *mine.here, policy_of(wanted, *mine.running));
    if (prepare != nullptr) {
        prepare(region, argument);
    }
    become_thread_0(self, region);
    for (std::uint32_t i = 1; i < size; ++i) {
        start_helper(*self.helpers[i - 1], region, i);
    }
    apply_affinity(*region.members[0]);
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_own_affinity();
    }
    return region;
}

void end_streams(team& region) {
    wait_at_barrier(*region.members[0], region.end, cancellation::ignored);
    count_busy(region, 1 - region.size);
    os_thread& self = this_os_thread();
    leave_thread_0(self, region);
    count_engaged(-static_cast<int>(region.size));
    --self.depth;
}

// --- teams of ULTs

// Those of flows without a host.
spare_list<team, &team::spare>& teams_without_host() noexcept {
    static base::never_destroyed<spare_list<team, &team::spare>> instance;
    return *instance;
}

team* take_spare(flow_host* host) {
    if (team* found = host != nullptr ? host->spare_teams.pop() : teams_without_host().take();
        found != nullptr) {
        return found;
    }
    auto* region = new team;
    region->kind = team_kind::units;
    reset_shares(*region);
    return region;
}

void give_spare(flow_host* host, team* region) noexcept {
    if (host != nullptr) {
        host->spare_teams.push(region);
    } else {
        teams_without_host().keep(region);
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
        reset_counts(region);
        forget_loops(region);
    }
}

[[noreturn]] void refuse_members() {
    base::fatal_misuse("OpenMP team", "no memory for its threads", "lower the number of threads");
}

work_unit* prepare_member(worker& w, core::pool& home, thread& t, core::entry_function entry,
                          void* argument) {
    work_unit* u = core::prepare(w, home, entry, argument, flow_attributes());
    if (u == nullptr) {
        refuse_members();
    }
    begin_part(*u, {&t.implicit, &t, t.number, t.its_team->size});
    u->join.reset_detached();
    return u;
}

// Any host may take it, and then keeps it.
void offer_member(worker& w, stream_host& host, thread& t, core::entry_function entry) {
    t.cache = &host.cache;
    core::launch_open(w, prepare_member(w, host.fresh(), t, entry, &t));
}

// With a host of its own, which goes where there is room for it.
void launch_member_among(worker& w, core::pool& among, thread& t, core::entry_function entry,
                         void* argument) {
    unit_host& host = unit_host::take();
    bind_to_host(t, host);
    host.add_resident();
    host.add_flow(t);
    core::launch_open(w, prepare_member(w, host.flows(), t, entry, argument));
    if (!host.launch(w, among)) {
        refuse_members();
    }
}

// True if the caller has created tasks, or a flow has that the caller has seen end. Other flows may
// have created tasks, too, and see to them themselves.
bool has_had_tasks(const team& region) noexcept {
    // relaxed: their counts' and run_nested_member()'s order
    return region.had_tasks.load(std::memory_order_relaxed);
}

void run_nested_member(void* member) {
    auto& t = *static_cast<thread*>(member);
    team& region = *t.its_team;
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_own_affinity();
    }
    region.function(region.data);
    settle_kept(t);
    while (task* left = has_had_tasks(region) ? find_task(t) : nullptr) {
        run_task(t, *left);
    }
    end_flow(t);
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

void launch_members(team& region, flow_host& host) {
    worker& w = core::this_worker();
    if (host.what() == flow_host::kind::unit) {
        launch_members_among(w, *host.self_unit()->home, region);
        return;
    }
    auto& here = static_cast<stream_host&>(host);
    for (std::uint32_t i = 1; i < region.size; ++i) {
        offer_member(w, here, *region.members[i], run_nested_member);
    }
    if (region.size > 1) {
        stream_host::announce_fresh(region.size - 1);
    }
}

team& make_units_team(const region_request& wanted, flow_host* host, std::uint32_t threads,
                      team_preparation prepare, void* argument) {
    const flow_part& mine = me();
    team& region = *take_spare(host);
    resize(region, threads);
    describe(region, wanted, mine, threads);
    count_busy(region, threads - 1);
    assign_places(region, *mine.here, policy_of(wanted, *mine.running));
    if (prepare != nullptr) {
        prepare(region, argument);
    }
    begin_members(region);
    return region;
}

// The caller becomes thread 0. Without a host it is the only one.
team& begin_units(const region_request& wanted, std::uint32_t threads, team_preparation prepare,
                  void* argument) {
    flow_part& mine = me();
    flow_host* const host = mine.here->host;
    team& region = make_units_team(wanted, host, host == nullptr ? 1 : threads, prepare, argument);
    thread& t = *region.members[0];
    t.host = host;
    t.cache = mine.here->cache;
    mine = flow_part{&t.implicit, &t, 0, region.size};
    if (host != nullptr) {
        host->add_flow(t);
        launch_members(region, *host);
    }
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_own_affinity();
    }
    return region;
}

void run_left(thread& t, task& left) {
    has_room_for_call() ? run_task(t, left) : run_apart(t, left);
}

// True while others are in the region, or a task has not completed.
bool is_busy(const team& region) noexcept {
    // pairs with: run_nested_member(), end_of_runner(), complete_task()
    return region.running.load(std::memory_order_seq_cst) != 0 ||
           (has_had_tasks(region) && has_pending_tasks(region));
}

// `news`: team::news() before the caller looked for tasks.
void sleep_in_join(thread& t, team& region, std::uint64_t news) {
    task* found = nullptr;
    {
        const counted_sleeper here(region);
        found = find_late(region, [&] { return find_task(t); });
        if (found == nullptr) {
            team* const all = &region;
            park_while(wait_kind::region, &region.running,
                       [=] { return is_busy(*all) && all->news() == news; });
        }
    }
    if (found != nullptr) {
        run_left(t, *found);
    }
}

// Runs what tasks are left, and waits for the others.
void join_units(thread& t, team& region) {
    settle_kept(t);
    spin_budget spin(region);
    while (is_busy(region)) {
        const std::uint64_t news = region.news();
        if (task* found = has_had_tasks(region) ? find_worthwhile(t) : nullptr; found != nullptr) {
            run_left(t, *found);
        } else if (!spin.again()) {
            sleep_in_join(t, region, news);
            spin = spin_budget(region);
        }
    }
}

void dismiss(team& region, flow_host* host) noexcept {
    count_busy(region, 1 - region.size);
    // What a barrier at the end would do.
    region.has_tasks.store(false, std::memory_order_relaxed);
    region.share_cancelled.store(false, std::memory_order_relaxed);
    give_spare(host, &region);
}

void end_units(team& region) {
    thread& t = *region.members[0];
    join_units(t, region);
    if (t.host != nullptr) {
        t.host->drop_flow(t);
    }
    me() = outer_part(region);
    dismiss(region, t.host);
}

// --- regions that other doors' ULTs enter

// On the stack of the ULT, which waits.
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
    if (region.shows_affinity) LAZULT_UNLIKELY {
        display_own_affinity();
    }
    region.function(region.data);
    join_units(t, region);
    end_flow(t);
    // By the address alone: both may be gone after it.
    atomic<std::uint32_t>* const over = &whole.over;
    over->fetch_add(1, std::memory_order_seq_cst);  // pairs with: run_visit(), load
    wake_all(over);
}

void run_visit(core::pool& among, const region_request& wanted, std::uint32_t threads,
               team_preparation prepare, void* argument) {
    visit whole{make_units_team(wanted, nullptr, threads, prepare, argument)};
    team& region = whole.region;
    worker& w = core::this_worker();
    launch_members_among(w, among, region);
    launch_member_among(w, among, *region.members[0], run_first_member, &whole);
    const atomic<std::uint32_t>* const over = &whole.over;
    among.count_waiting(1);  // the hosts have it for their home, too
    // pairs with: run_first_member(), fetch_add
    wait_while(wait_kind::region, over,
               [over] { return over->load(std::memory_order_seq_cst) == 0; });
    among.count_waiting(-1);
    dismiss(region, nullptr);
}

bool is_outside() noexcept {
    const worker* w = core::this_worker_or_null();
    return w == nullptr || w->here == nullptr;
}

// Whether the flow may be the parent of a team of OS threads: in no active region, and in the task
// region that the thread began with. A target region in an active region has an initial task too,
// but on a host.
bool forks_streams(const flow_part& mine) noexcept {
    const team& outer = *mine.here->its_team;
    if (outer.kind == team_kind::initial) {
        return is_outside();
    }
    return outer.kind == team_kind::streams && outer.active_level == 0 &&
           mine.running == &mine.here->implicit;
}

// Whether it is a flow without a host, that may wait for a team. Where those are.
core::pool* visits(const flow_part& mine) noexcept {
    return mine.here->host != nullptr || is_outside() ? nullptr : pool_for_visits();
}

}  // namespace

std::uint32_t resolve_threads(std::uint32_t wanted) noexcept {
    const task& self = *me().running;
    if (wanted == 1 || self.its_team->active_level >= self.variables.max_active_levels) {
        return 1;
    }
    std::uint32_t threads = wanted == 0 ? self.variables.threads : wanted;
    if (self.variables.dynamic) {
        threads =
            std::min(threads, static_cast<std::uint32_t>(std::max(1, variables().processors)));
    }
    return within_limit(threads, self);
}

team& begin_region(const region_request& wanted, team_preparation prepare, void* argument) {
    const std::uint32_t threads = resolve_threads(wanted.threads);
    if (forks_streams(me())) LAZULT_LIKELY {
        return begin_streams(this_os_thread(), wanted, threads, prepare, argument);
    }
    return begin_units(wanted, threads, prepare, argument);
}

void end_region() {
    team& region = *me().here->its_team;
    if (region.kind == team_kind::streams) LAZULT_LIKELY {
        end_streams(region);
    } else {
        end_units(region);
    }
}

void run_region(const region_request& wanted, team_preparation prepare, void* argument) {
    if (core::pool* among = visits(me()); among != nullptr) LAZULT_UNLIKELY {
        run_visit(*among, wanted, resolve_threads(wanted.threads), prepare, argument);
        return;
    }
    begin_region(wanted, prepare, argument);
    wanted.function(wanted.data);
    end_region();
}

void forget_spare_teams() noexcept { new (&teams_without_host()) spare_list<team, &team::spare>; }

// In a crowd all but as many as there are processors leave at once: nobody misses their help.
void end_member(thread& t) {
    const bool may_leave = is_crowded() && !t.host->has_residents();
    const auto stay = static_cast<std::uint32_t>(variables().processors);
    finish_at_barrier(t, t.its_team->end,
                      may_leave && t.its_team->size > stay ? t.its_team->size - stay : 0);
}

}  // namespace lazult::omp
