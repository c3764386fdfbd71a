// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/this_thread.hpp>

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "lazult/api/group_state.hpp"
#include "lazult/api/opaque.hpp"
#include "lazult/api/thread_record.hpp"

namespace lazult {
namespace {

using namespace api;

constexpr std::string_view this_thread_object = "this thread";

work_unit& running_unit(std::string_view what) {
    work_unit* u = core::current_unit();
    if (u == nullptr) {
        refuse(base::status::not_supported, this_thread_object,
               "the caller is an outside OS thread or a scheduler",
               std::string(what) + " in a lazult::thread");
    }
    return *u;
}

bool is_a(const work_unit* u, unit_bit kind) noexcept {
    return u != nullptr && (bits_of(*u) & kind) != 0;
}

}  // namespace

namespace this_thread {

thread_id get_id() noexcept {
    worker& w = core::this_worker();
    return w.current != nullptr ? thread_id(w.current) : thread_id(&w);
}

void yield() { core::yield(); }

void yield_to(const thread& target) {
    if (!target.joinable()) {
        refuse(base::status::invalid_handle, "yield_to");
    }
    require(core::yield_to(to_unit(target.native_handle())), "yield_to");
}

void suspend() {
    if (!core::can_suspend()) {
        refuse(base::status::cannot_suspend, this_thread_object);
    }
    const auto park = [] {
        const core::guarded_wait guard(core::current_unit(), core::cancelable::yes);
        return core::park(guard) ? base::status::ok : base::status::canceled;
    };
    api::wait_to_its_end(park);
}

bool suspend(std::stop_token stop) {
    if (!core::can_suspend()) {
        refuse(base::status::cannot_suspend, this_thread_object);
    }
    // The wait may also end by a cancellation that must not take effect now; then it waits again.
    while (!stop.stop_requested()) {
        bool was_resumed = false;
        {
            core::guarded_wait guard(*core::current_unit());
            const std::stop_callback wake(stop, [&guard]() noexcept { guard.interrupt(); });
            was_resumed = core::park(guard);
        }
        if (was_resumed) {
            return true;
        }
        unwind_if_canceled();
    }
    return false;
}

void exit() {
    const work_unit& u = running_unit("call exit()");
    if (u.has(core::flag_host)) {
        refuse(base::status::not_supported, this_thread_object,
               "the primary ULT, which is main(), cannot exit by itself", "return from main()");
    }
    core::exit_running();
}

std::stop_token get_stop_token() {
    work_unit* u = core::current_unit();
    if (is_a(u, kind_thread)) {
        return record_of(*u).stop.get_token();
    }
    if (is_a(u, kind_task)) {
        return group_stop_token(detail::task_frame::scope_of(u->argument));
    }
    return {};
}

bool stop_requested() noexcept {
    work_unit* u = core::current_unit();
    if (is_a(u, kind_thread)) {
        // acquire pairs with: request_stop(), record_of(), CAS of record
        const std::uintptr_t word = frame_of(*u).record.load(std::memory_order_acquire);
        return word == thread_frame::requested ||
               (word != thread_frame::none && record_if_any(*u)->stop.stop_requested());
    }
    return is_a(u, kind_task) &&
           detail::task_frame::scope_of(u->argument).stopped.load(std::memory_order_relaxed);
}

cancellation_disabled::cancellation_disabled() noexcept {
    static_assert(sizeof(core::cancellation_mask) <= sizeof(state_));
    new (state_) core::cancellation_mask;
}
cancellation_disabled::~cancellation_disabled() {
    std::destroy_at(std::launder(reinterpret_cast<core::cancellation_mask*>(state_)));
}

technique technique_used() noexcept {
    const work_unit* u = core::current_unit();
    if (u == nullptr) {
        return technique::full;
    }
    const bool by_joiner = u->started >= core::start_mode::in_place;
    return by_joiner ? static_cast<technique>(u->header.plan) : static_cast<technique>(u->started);
}

bool can_suspend() noexcept { return core::can_suspend(); }

int stream_rank() noexcept {
    const sched::stream* s = sched::this_stream();
    return s == nullptr ? -1 : s->rank();
}

int priority() noexcept {
    const work_unit* u = core::current_unit();
    return u == nullptr ? 0 : u->header.priority;
}

void set_priority(int level) {
    work_unit& u = running_unit("set priorities");
    if (level < 0 || level >= static_cast<int>(sched::priority_pool::levels)) {
        refuse(base::status::invalid_argument, "priority", "it is " + std::to_string(level),
               "give 0 to 7");
    }
    u.header.priority = static_cast<std::uint8_t>(level);
}

std::string name() {
    work_unit* u = core::current_unit();
    return is_a(u, kind_thread) ? detail::name_of(to_handle(u)) : std::string();
}

}  // namespace this_thread

void resume(thread_id id) {
    auto* u = static_cast<work_unit*>(id.native_handle());
    if (!core::is_descriptor(u)) {
        refuse(base::status::invalid_handle, "resume", "the id names no ULT",
               "give the id of a lazult::thread");
    }
    if (u->state() == core::life_state::unused) {
        refuse(base::status::freed_handle, "resume");
    }
    core::unpark(u);
}

void cancel(const thread& t) {
    if (!t.joinable()) {
        refuse(base::status::invalid_handle, "cancel");
    }
    work_unit& u = *to_unit(t.native_handle());
    set_bit(u, needs_cleanup);
    require(core::cancel_waits(u), "cancel");
}

namespace {

// Calls the callback of a migration, once. The core calls this at each migration.
void migrated(work_unit* u, void*) {
    thread_record* record = record_if_any(*u);
    probe::acquire(record);  // pairs with: migrate()
    if (const auto then = std::exchange(record->migrated, nullptr); then != nullptr) {
        then(thread_id(u));
    }
}

}  // namespace

void migrate(const thread& t, pool& to, std::function<void(thread_id)> then) {
    if (!t.joinable()) {
        refuse(base::status::invalid_handle, "migrate");
    }
    work_unit& u = *to_unit(t.native_handle());
    if ((u.notes.load(std::memory_order_relaxed) & core::request_migrate) != 0) {
        refuse(base::status::busy, "migrate",
               "the last migration of this thread has not happened yet",
               "wait for it, by its callback");
    }
    set_bit(u, needs_cleanup);
    thread_record& record = record_of(u);
    record.migrated = std::move(then);
    probe::release(&record);
    require(core::on_migration(u, migrated, nullptr), "migrate");
    require(core::migrate(u, *static_cast<sched::ready_pool*>(to.native_handle())), "migrate");
}

namespace detail {

bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop) {
    return in_time(wait_cancelable(deadline, stop, sync::sleep_until), "sleep");
}

}  // namespace detail
}  // namespace lazult
