// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/detail/deadline.hpp>
#include <lazult/task_group.hpp>

#include <cxxabi.h>

#include <mutex>
#include <string>
#include <utility>

#include "lazult/api/opaque.hpp"
#include "lazult/api/spin_lock.hpp"
#include "lazult/api/task_list.hpp"
#include "lazult/api/thread_record.hpp"
#include "lazult/api/unit.hpp"
#include "lazult/os/os.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::api {
namespace {

constexpr std::string_view object = "task group";

// Who creates tasks: the running unit, or the OS thread where there is none.
const void* this_flow(const worker& w) noexcept {
    return w.current != nullptr ? static_cast<const void*>(w.current) : &w;
}

}  // namespace

// field       who writes                     who reads   order
// how, where, may_start_at_once, may_keep
//             the constructor                creators    none needed; a null `where` is the creator's own pool
// owner       the constructor                creators    none needed
// mine, many_wait
//             the owner                      the owner   none needed
// kept        the owner, or the flow that    the same    none needed. It is the unit of a task that has ended; the next task that
//             waits for or destroys the group            starts at once uses it
// others      everybody else, under lock     the owner   the lock's
// added       any flow, under lock           all flows   relaxed: the length of `others`. A reader without the lock may see an old
//                                                        length, but not after all tasks have ended
// failure     the first task that threw      the owner   the task's end and its join
// stop        get_stop_token, under lock     cancel      the lock's
struct group_state {
    explicit group_state(const core::unit_attributes& attributes) noexcept
        : how(attributes),
          may_start_at_once(core::may_be_called_at_once(attributes.header())),
          may_keep(attributes.what() == attributes.usual_kind()) {}

    core::unit_attributes how;
    core::pool* where = nullptr;
    const void* owner = nullptr;
    task_list mine;
    work_unit* kept = nullptr;
    task_list others;
    ds::default_atomics::atomic<std::size_t> added{0};
    std::exception_ptr failure;
    std::stop_source stop{std::nostopstate};
    spin_lock lock;
    ds::default_atomics::atomic<bool> has_failure{false};
    const bool may_start_at_once;
    bool many_wait = false;  // when the owner looked through `mine`
    const bool may_keep;  // not where some of the units are observed, such as one in so many that are traced
};

}  // namespace lazult::api

namespace lazult::detail {

struct task_group_access {
    static api::group_state& state(task_group& g) noexcept {
        static_assert(sizeof(api::group_state) <= sizeof(g.state_) && alignof(api::group_state) <= 8);
        return *std::launder(reinterpret_cast<api::group_state*>(g.state_));
    }
    static task_scope& scope(task_group& g) noexcept { return g.scope_; }
    static api::group_state& construct(task_group& g, const core::unit_attributes& how) {
        return *new (g.state_) api::group_state(how);
    }
    static task_group& group_of(task_scope& scope) noexcept {
        return *reinterpret_cast<task_group*>(&scope);  // its first member
    }
};

}  // namespace lazult::detail

namespace lazult::api {
namespace {

using access = detail::task_group_access;

LAZULT_COLD void free_finished(work_unit* tasks) noexcept {
    for (work_unit* next = nullptr; tasks != nullptr; tasks = next) {
        next = tasks->next;
        probe::acquire(tasks);
        free_unit(core::this_worker_or_null(), tasks);
    }
}

// By the group's owner. False when memory is exhausted.
LAZULT_ALWAYS_INLINE bool make_room(group_state& state) noexcept {
    return state.mine.make_room(free_finished);
}

LAZULT_ALWAYS_INLINE work_unit* prepare_task_at(const birthplace& at, task_group& g,
                                                core::entry_function run) {
    group_state& state = access::state(g);
    work_unit* u = prepare(*at.w, state.where == nullptr ? *at.home : *state.where, run, state.how);
    new (u->storage) detail::task_scope*(&access::scope(g));
    return u;
}

// Whether the task goes into the lane of the caller's stream. True only if the caller owns the group, and its list has room. This
// function makes the room.
LAZULT_ALWAYS_INLINE bool goes_into_lane(const birthplace& at, group_state& state) noexcept {
    return at.is_known() && state.where == nullptr && this_flow(*at.w) == state.owner && make_room(state) &&
           at.w->lane != nullptr && at.w->lane->is_open_for(at.home);
}

// Prepares a task without a call. nullptr, and nothing done, where that is not simple.
LAZULT_ALWAYS_INLINE work_unit* prepare_task_in(core::pool& home, worker& w, task_group& g,
                                                core::entry_function run, std::uint64_t first,
                                                std::uint64_t second) noexcept {
    work_unit* const u = prepare_at_once(w, home, run, access::state(g).how);
    if (u != nullptr) LAZULT_LIKELY {
        new (u->storage) detail::task_scope*(&access::scope(g));
        put_words(u, first, second);
    }
    return u;
}

LAZULT_COLD bool add_from_elsewhere(group_state& state, work_unit* u) noexcept {
    work_unit* finished = nullptr;
    bool has_room = false;
    {
        const std::lock_guard hold(state.lock);
        has_room = state.others.make_room([&](work_unit* tasks) { finished = tasks; });
        if (has_room) {
            state.others.push_into_room(u);
        }
        state.added.store(state.others.size(), std::memory_order_relaxed);
    }
    free_finished(finished);  // not under the lock
    return has_room;
}

// Of tasks that started at once and go on.
bool list_as_owner(void* group, work_unit* u) noexcept {
    static_cast<group_state*>(group)->mine.push_into_room(u);
    return true;
}
bool list_from_elsewhere(void* group, work_unit* u) noexcept {
    return add_from_elsewhere(*static_cast<group_state*>(group), u);
}

// If so many tasks are listed, and many of them wait, they probably wait for their creator. A task that starts takes a stack. One that
// does not start takes its descriptor alone. Tasks that are listed because they gave way end when their creator gives way to them.
constexpr std::size_t most_listed = 512;
constexpr std::size_t many_waiting = most_listed / 2;

LAZULT_COLD void shorten_others(group_state& state) noexcept {
    work_unit* finished = nullptr;
    {
        const std::lock_guard hold(state.lock);
        state.others.shorten(most_listed, [&](work_unit* tasks) { finished = tasks; });
        state.added.store(state.others.size(), std::memory_order_relaxed);
    }
    free_finished(finished);  // not under the lock
}

bool has_many_listed(group_state& state, bool is_owner) noexcept {
    if (is_owner) {
        if (state.mine.shorten(most_listed, free_finished)) LAZULT_UNLIKELY {
            state.many_wait = state.mine.count_blocked() > many_waiting;
        }
        return state.mine.size() > most_listed && state.many_wait;
    }
    if (state.added.load(std::memory_order_relaxed) > most_listed) LAZULT_UNLIKELY {
        shorten_others(state);
    }
    return state.added.load(std::memory_order_relaxed) > most_listed;
}

// Whether the caller's next task starts at once, where the lane is its home. Its owner has made room in its list.
LAZULT_ALWAYS_INLINE bool starts_tasks_at_once(worker& w, group_state& state, bool is_owner) {
    return w.lane->holds_enough() && !has_many_listed(state, is_owner) && state.may_start_at_once &&
           core::may_call_at_once(w);
}

LAZULT_ALWAYS_INLINE core::call_at_once::lister lister_of(bool is_owner) noexcept {
    return is_owner ? list_as_owner : list_from_elsewhere;
}

// Of a prepared task.
LAZULT_ALWAYS_INLINE void launch_later(worker& w, group_state& state, work_unit* u, bool is_owner) {
    if ((is_owner && !make_room(state)) || !lister_of(is_owner)(&state, u)) LAZULT_UNLIKELY {
        detail::discard_task(to_handle(u));
        refuse(base::status::out_of_memory, object);
    }
    core::launch_open(w, u);
}

void launch_in_group(worker& w, task_group& g, work_unit* u) {
    group_state& state = access::state(g);
    const bool is_owner = this_flow(w) == state.owner;
    const bool has_room = !is_owner || make_room(state);
    const bool is_of_lane = state.where == nullptr && w.lane != nullptr && w.lane->is_open_for(u->home);
    if (has_room && is_of_lane && !core::has_requests(*u) && starts_tasks_at_once(w, state, is_owner) &&
        core::call_new_unit(w, u, lister_of(is_owner), &state) != core::start_at_once::refused) {
        return;
    }
    launch_later(w, state, u, is_owner);
}

LAZULT_ALWAYS_INLINE void drop_kept(group_state& state) noexcept {
    if (state.kept != nullptr) {
        core::drop_kept_unit(core::this_worker_or_null(), std::exchange(state.kept, nullptr));
    }
}

// A unit for a task that starts at once: the one that the group keeps, or a new one. nullptr where that is not simple. The kept one does
// if its task ran the same function, for which it was planned, and if the creator's pool is the same still.
LAZULT_ALWAYS_INLINE work_unit* unit_at_once(core::pool& home, worker& w, task_group& g,
                                             core::entry_function run, std::uint64_t first,
                                             std::uint64_t second) noexcept {
    group_state& state = access::state(g);
    work_unit* const kept = state.kept;
    if (kept == nullptr || kept->home != &home || kept->entry != run) LAZULT_UNLIKELY {
        drop_kept(state);
        return prepare_task_in(home, w, g, run, first, second);
    }
    state.kept = nullptr;
    kept->clear_words();  // somebody may have used an old handle meanwhile
    put_words(kept, first, second);
    return kept;
}

work_unit* next_from_elsewhere(group_state& state) noexcept {
    if (state.added.load(std::memory_order_relaxed) == 0) LAZULT_LIKELY {
        return nullptr;
    }
    const std::lock_guard hold(state.lock);
    work_unit* const u = state.others.pop();
    state.added.store(state.others.size(), std::memory_order_relaxed);
    return u;
}

// Runs a task to its end and frees it. False, and nothing done, unless it is the newest of the caller's lane.
LAZULT_ALWAYS_INLINE bool runs_here(const group_state& state, work_unit* u) {
    worker* const w = core::this_worker_or_null();
    return state.where == nullptr && w != nullptr && core::is_newest_here(*w, u) &&
           core::run_newest_in_place<core::afterwards::freed>(*w, u);
}

work_unit* next_task(group_state& state) noexcept {
    work_unit* const u = state.mine.pop();
    return u != nullptr ? u : next_from_elsewhere(state);
}

// Puts a task back that next_task() has returned.
void list_again(group_state& state, work_unit* u) noexcept {
    state.mine.push_into_room(u);  // there is room: u came from this list, or the list is empty
}

// The last one first: it is the next in line of a work-stealing pool, so the join runs it in place.
base::status join_all(group_state& state, core::cancelable how) {
    drop_kept(state);
    for (;;) {
        work_unit* const u = next_task(state);
        if (u == nullptr) {
            return base::status::ok;
        }
        if (runs_here(state, u)) LAZULT_LIKELY {
            continue;
        }
        if (const base::status s = state.where == nullptr ? core::join(u, how) : join_placed(u, how);
            s != base::status::ok) LAZULT_UNLIKELY {
            list_again(state, u);
            return s;
        }
        free_unit(core::this_worker_or_null(), u);
    }
}

// A task that is not on its group's list while somebody waits for it. It goes back if the wait fails or throws.
class awaited_task {
public:
    explicit awaited_task(group_state& state) noexcept : state_(state), task_(next_task(state)) {}
    awaited_task(const awaited_task&) = delete;
    awaited_task& operator=(const awaited_task&) = delete;
    ~awaited_task() {
        if (task_ != nullptr) {
            list_again(state_, task_);
        }
    }
    work_unit* get() const noexcept { return task_; }
    work_unit* take() noexcept { return std::exchange(task_, nullptr); }

private:
    group_state& state_;
    work_unit* task_;
};

base::status join_all_until(group_state& state, const sync::wait_limit& limit) {
    drop_kept(state);
    for (;;) {
        awaited_task next(state);
        if (next.get() == nullptr) {
            return base::status::ok;
        }
        if (const base::status s = sync::join_until(next.get(), limit); s != base::status::ok) {
            return s;
        }
        free_unit(core::this_worker_or_null(), next.take());
    }
}

LAZULT_COLD std::exception_ptr renew(task_group& g) noexcept {
    group_state& state = access::state(g);
    access::scope(g).stopped.store(false, std::memory_order_relaxed);
    state.has_failure.store(false, std::memory_order_relaxed);
    state.stop = std::stop_source(std::nostopstate);
    return std::exchange(state.failure, nullptr);
}

// Call it when all tasks have ended.
void end_round(task_group& g) {
    if (g.is_canceled()) LAZULT_UNLIKELY {
        unwind_if_canceled();
        if (std::exception_ptr failure = renew(g); failure != nullptr) {
            std::rethrow_exception(std::move(failure));
        }
    }
}

}  // namespace

std::stop_token group_stop_token(detail::task_scope& scope) {
    group_state& state = access::state(access::group_of(scope));
    const std::lock_guard hold(state.lock);
    if (!state.stop.stop_possible()) {
        state.stop = std::stop_source();
        if (scope.stopped.load(std::memory_order_relaxed)) {
            state.stop.request_stop();
        }
    }
    return state.stop.get_token();
}

}  // namespace lazult::api

namespace lazult {

using api::access;

task_group::task_group() {
    const api::birthplace at = api::birthplace::find();
    api::group_state& state = access::construct(*this, at.defaults->task.standard());
    state.owner = api::this_flow(*at.w);
}

task_group::task_group(const thread_attributes& how) {
    if (!how.stack.empty() || how.name != nullptr || how.child_first) {
        api::refuse(base::status::invalid_argument, api::object,
                    "its attributes hold a stack, a name or child_first, which are for single threads",
                    "create lazult::thread objects with them");
    }
    const api::birthplace at = api::birthplace::find();
    api::group_state& state = access::construct(*this, api::translate(how, at.defaults->task, api::object));
    state.owner = api::this_flow(*at.w);
    state.where = how.where == nullptr ? nullptr : &api::home_of(how, at);
}

task_group::~task_group() {
    api::group_state& state = access::state(*this);
    if (!state.mine.empty() || state.added.load(std::memory_order_relaxed) != 0) LAZULT_UNLIKELY {
        const core::cancellation_mask here;
        cancel();
        if (api::join_all(state, core::cancelable::no) != base::status::ok) {
            base::fatal_misuse(api::object, "it is destroyed where it cannot wait for its tasks",
                               "wait() for them, and use it in ULTs and not in tasklets");
        }
    }
    api::drop_kept(state);
    std::destroy_at(&state);
}

void task_group::wait() {
    const auto join_all = [this] { return api::join_all(access::state(*this), core::cancelable::yes); };
    api::require(api::wait_to_its_end(join_all), api::object);
    api::end_round(*this);
}

bool task_group::wait(std::stop_token stop) {
    const auto join_all = [this](const sync::wait_limit& limit) {
        return api::join_all_until(api::access::state(*this), limit);
    };
    if (!api::in_time(api::wait_cancelable(detail::no_deadline, &stop, join_all), api::object)) {
        return false;
    }
    api::end_round(*this);
    return true;
}

void task_group::cancel() noexcept {
    scope_.stopped.store(true, std::memory_order_relaxed);
    api::group_state& state = access::state(*this);
    std::stop_source stop(std::nostopstate);
    {
        const std::lock_guard hold(state.lock);
        stop = state.stop;
    }
    stop.request_stop();  // runs callbacks: not under the lock
}

namespace detail {

namespace {

LAZULT_NOINLINE void start_task_anywhere(task_group& group, entry_function run, std::uint64_t first,
                                         std::uint64_t second) {
    const api::birthplace at = api::birthplace::find();
    core::work_unit* u = api::prepare_task_at(at, group, run);
    api::put_words(u, first, second);
    api::launch_in_group(*at.w, group, u);
}

// The group's owner calls this function. The owner's list has room, and the lane of its stream is open.
LAZULT_NOINLINE void start_task_at_once(core::pool& home, core::worker& w, task_group& group,
                                        entry_function run, std::uint64_t first, std::uint64_t second) {
    api::group_state& state = api::access::state(group);
    core::work_unit* const u = api::starts_tasks_at_once(w, state, true)
                                   ? api::unit_at_once(home, w, group, run, first, second)
                                   : nullptr;
    if (u == nullptr) LAZULT_UNLIKELY {
        start_task_anywhere(group, run, first, second);
        return;
    }
    core::work_unit** const again = state.may_keep ? &state.kept : nullptr;
    if (core::call_new_unit(w, u, api::list_as_owner, &state, again) == core::start_at_once::refused)
        LAZULT_UNLIKELY {
        api::launch_later(w, state, u, true);
    }
}

}  // namespace

void start_task(task_group& group, entry_function run, std::uint64_t first, std::uint64_t second) {
    const api::birthplace at = api::birthplace::here();
    api::group_state& state = api::access::state(group);
    if (!api::goes_into_lane(at, state)) LAZULT_UNLIKELY {
        start_task_anywhere(group, run, first, second);
        return;
    }
    if (!at.w->lane->has_room_and_wants_more()) LAZULT_UNLIKELY {
        start_task_at_once(*at.home, *at.w, group, run, first, second);
        return;
    }
    core::work_unit* const u = api::prepare_task_in(*at.home, *at.w, group, run, first, second);
    if (u == nullptr) LAZULT_UNLIKELY {
        start_task_anywhere(group, run, first, second);
        return;
    }
    state.mine.push_into_room(u);
    api::launch_in_lane(*at.w, u);
}

task_place prepare_task(task_group& group, entry_function run) {
    core::work_unit* u = api::prepare_task_at(api::birthplace::find(), group, run);
    return {api::to_handle(u), u->argument};
}

void launch_task(task_group& group, unit* u) {
    api::launch_in_group(core::this_worker(), group, api::to_unit(u));
}

void discard_task(unit* u) noexcept { api::discard(api::to_unit(u)); }

void task_threw(task_scope& scope) {
    task_group& group = api::access::group_of(scope);
    try {
        throw;
    } catch (const core::exit_unwind& exit) {
        if (exit.ends_waits()) {
            group
                .cancel();  // a task that was cancelled with its group's owner: wait() must not seem to have succeeded
        }
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        throw;
    } catch (...) {
        api::group_state& state = api::access::state(group);
        // relaxed: the winner's write is ordered by its end, which the waiter joins
        if (!state.has_failure.exchange(true, std::memory_order_relaxed)) {
            state.failure = std::current_exception();
        }
        group.cancel();
    }
}

}  // namespace detail
}  // namespace lazult
