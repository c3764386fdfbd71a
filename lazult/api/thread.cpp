// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/thread.hpp>

#include <cxxabi.h>

#include <ostream>
#include <utility>
#include <vector>

#include "lazult/api/blocks.hpp"
#include "lazult/api/opaque.hpp"
#include "lazult/api/thread_record.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult {
namespace api {
namespace {

constexpr std::string_view object = "thread";

LAZULT_ALWAYS_INLINE work_unit* begin_record(work_unit* u) noexcept {
    new (u->storage) thread_frame::word{thread_frame::none};
    return u;
}

LAZULT_ALWAYS_INLINE work_unit* prepare_here(worker& w, core::pool& home, core::entry_function run,
                                             const core::unit_attributes& how) {
    return begin_record(prepare(w, home, run, how));
}

// Prepares a thread for any pool, with any attributes.
LAZULT_NOINLINE work_unit* prepare_specially(const thread_attributes& how, core::entry_function run,
                                             attribute_set default_attributes::* which) {
    const creation_context at = creation_context::find();
    core::unit_attributes attributes = translate(how, at.defaults->*which, object);
    if (!how.stack.empty()) {
        attributes.user_stack(core::adopt_user_stack(how.stack.data(), how.stack.size()));
    }
    work_unit* u = prepare_here(*at.w, home_of(how, at), run, attributes);
    if (how.where != nullptr) {
        set_bit(*u, placed);
    }
    if (how.name != nullptr || attributes.its_stack() != nullptr) {
        equip(*u, how.name, attributes.its_stack());
    }
    return u;
}

LAZULT_ALWAYS_INLINE void launch(worker& w, work_unit* u, bool child_first) {
    if (child_first) {
        core::launch_child_first(u);
    } else {
        core::launch_open(w, u);
    }
}

LAZULT_COLD void refuse_null() {
    refuse(base::status::invalid_handle, object,
           "it is not joinable: it was joined, detached, moved from or never started",
           "test joinable() first");
}

LAZULT_ALWAYS_INLINE base::status join_unit(work_unit* u,
                                            core::cancelable how = core::cancelable::yes) {
    return (bits_of(*u) & placed) != 0 ? join_placed(u, how) : core::join(u, how);
}

// Returns true if more is left of a thread that has ended than its descriptor.
LAZULT_ALWAYS_INLINE bool leaves_something(const work_unit& u) noexcept {
    constexpr std::uint16_t plain = kind_thread | closure_to_destroy | placed;
    return (bits_of(u) & ~plain) != 0;
}

// Frees a thread that has ended. Returns its exception, or null.
std::exception_ptr settle(work_unit* u) noexcept {
    std::exception_ptr failure;
    if (leaves_something(*u)) {
        failure = clean_up(*u);
    }
    free_unit(core::this_worker_or_null(), u);
    return failure;
}

LAZULT_NOINLINE void settle_and_rethrow(work_unit* u) {
    const bool was_unwound = (bits_of(*u) & unwound) != 0;
    if (std::exception_ptr failure = settle(u); failure != nullptr) {
        std::rethrow_exception(std::move(failure));
    }
    if (was_unwound) {
        unwind_if_canceled();  // the joiner was cancelled while it ran the thread in its place
    }
}

// Waits again after a join that failed. Not inlined, so that joins in place do not pay for it.
LAZULT_COLD void join_again(work_unit* u, base::status s) {
    require(wait_again(s, [u] { return join_unit(u); }), object);
}

// Returns true if the caller runs in a destructor because cancellation unwinds its stack.
LAZULT_COLD bool is_unwound_by_cancellation() noexcept {
    const work_unit* self = core::current_unit();
    return self != nullptr && core::running_worker().exceptions->uncaught != 0 &&
           core::was_canceled(*self);
}

LAZULT_COLD void ask_to_end(work_unit* u) noexcept {
    if (is_unwound_by_cancellation()) {
        set_bit(*u, needs_cleanup);
        core::cancel_waits(*u);
    }
    detail::request_stop(to_handle(u));
}

// Reports the exception of a thread, and ends the process. Describes the unit first, because
// settle() frees its name.
[[noreturn]] LAZULT_COLD void die_of(work_unit* u) noexcept {
    const std::string unit = core::describe_unit(*u);
    try {
        std::rethrow_exception(settle(u));
    } catch (...) {
        core::report_uncaught(
            unit, "an exception left it, and nobody joins it",
            "join() it, which rethrows the exception, or catch that in the thread");
        std::terminate();
    }
}

LAZULT_NOINLINE void settle_or_die(work_unit* u) noexcept {
    if ((bits_of(*u) & threw) != 0) LAZULT_UNLIKELY {
        die_of(u);
    }
    settle(u);
}

struct detached : core::completion {
    work_unit* unit;

    explicit detached(work_unit* u) noexcept : unit(u) { notify = ended; }

    static work_unit* ended(core::completion* self, worker&) noexcept {
        auto* me = static_cast<detached*>(self);
        probe::acquire(me);  // pairs with: detach()
        work_unit* u = me->unit;
        give_block(me, sizeof(detached));
        settle_or_die(u);
        return nullptr;
    }
};

void detach(work_unit* u) {
    void* memory = take_block(sizeof(detached));
    if (memory == nullptr) {
        refuse(base::status::out_of_memory, object);
    }
    auto* record = new (memory) detached(u);
    core::join_word<>::value found;
    core::forbid_claims(core::this_worker_or_null(), *u);
    probe::release(record);
    if (u->join.try_wait(record->as_waiter(), &found)) {
        return;
    }
    if (found != core::join_word<>::finished) {
        give_block(memory, sizeof(detached));
        refuse(base::status::already_joined, object);
    }
    probe::acquire(u);
    detached::ended(record, core::this_worker());
}

LAZULT_COLD void die_unjoined(base::status s) noexcept {
    base::fatal_misuse(
        object,
        s == base::status::would_deadlock ? "its object is destroyed by the thread itself"
        : s == base::status::cannot_suspend
            ? "its object is destroyed before its end, in a tasklet, which cannot wait for it"
            : "its object is destroyed while somebody else waits for it",
        "join() or detach() it before");
}

}  // namespace
}  // namespace api

namespace detail {

using namespace api;

namespace {

LAZULT_NOINLINE unit* start_thread_slow(const thread_attributes& how, entry_function run,
                                        std::uint64_t first, std::uint64_t second) {
    work_unit* u = prepare_specially(how, run, &default_attributes::thread_of_words);
    put_words(u, first, second);
    api::launch(core::this_worker(), u, how.child_first);
    return to_handle(u);
}

LAZULT_NOINLINE unit* start_thread_anywhere(entry_function run, std::uint64_t first,
                                            std::uint64_t second) {
    const creation_context at = creation_context::here();
    if (!at.is_known()) LAZULT_UNLIKELY {
        return start_thread_slow({}, run, first, second);
    }
    work_unit* u = prepare_here(*at.w, *at.home, run, at.defaults->thread_of_words.standard());
    put_words(u, first, second);
    core::launch_open(*at.w, u);
    return to_handle(u);
}

}  // namespace

unit* start_thread(entry_function run, std::uint64_t first, std::uint64_t second) {
    const creation_context at = creation_context::here();
    work_unit* const u =
        at.is_known() ? prepare_in_lane(at, run, at.defaults->thread_of_words.standard()) : nullptr;
    if (u != nullptr) LAZULT_LIKELY {
        put_words(begin_record(u), first, second);
        launch_in_lane(*at.w, u);
        return to_handle(u);
    }
    return start_thread_anywhere(run, first, second);
}

unit* start_thread_with(const thread_attributes& how, entry_function run, std::uint64_t first,
                        std::uint64_t second) {
    const creation_context at = creation_context::here();
    if (!at.is_known() || !is_by_technique_alone(how)) LAZULT_UNLIKELY {
        return start_thread_slow(how, run, first, second);
    }
    work_unit* u =
        prepare_here(*at.w, home_of(how, at), run, at.defaults->thread_of_words[how.how]);
    if (how.where != nullptr) {
        u->header.user_bits = kind_thread | placed;
    }
    put_words(u, first, second);
    api::launch(*at.w, u, how.child_first);
    return to_handle(u);
}

closure_storage prepare_thread(const thread_attributes* how, entry_function run) {
    const creation_context at = creation_context::here();
    if (how == nullptr && at.is_known()) LAZULT_LIKELY {
        work_unit* u = prepare_here(*at.w, *at.home, run, at.defaults->thread.standard());
        return {to_handle(u), u->argument};
    }
    work_unit* u = prepare_specially(how == nullptr ? thread_attributes{} : *how, run,
                                     &default_attributes::thread);
    return {to_handle(u), u->argument};
}

void launch_thread(unit* u, bool child_first) {
    api::launch(core::this_worker(), to_unit(u), child_first);
}

void discard_thread(unit* u) noexcept {
    drop_record(*to_unit(u));
    discard(to_unit(u));
}

void thread_threw() {
    work_unit& u = *core::current_unit();
    try {
        throw;
    } catch (const core::exit_unwind&) {
        set_bit(u, unwound);
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        set_bit(u, unwound);
        throw;
    } catch (...) {
        new (frame_of(u).closure) std::exception_ptr(std::current_exception());
        set_bit(u, threw);
    }
}

namespace {

// Frees a thread that has ended, and rethrows its exception. `w` is the caller's worker or nullptr.
LAZULT_ALWAYS_INLINE void settle_joined(worker* w, unit*& handle) {
    work_unit* const u = to_unit(std::exchange(handle, nullptr));
    if (leaves_something(*u)) LAZULT_UNLIKELY {
        settle_and_rethrow(u);
        return;
    }
    free_unit(w, u);
}

LAZULT_NOINLINE void join_thread_anywhere(unit*& handle) {
    work_unit* const u = to_unit(handle);
    if (u == nullptr) LAZULT_UNLIKELY {
        refuse_null();
    }
    if (u->join.is_finished()) {
        probe::acquire(u);  // pairs with: its end
    } else if (const base::status s = join_unit(u); s != base::status::ok) LAZULT_UNLIKELY {
        join_again(u, s);
    }
    settle_joined(core::this_worker_or_null(), handle);
}

}  // namespace

void join_thread(unit*& handle) {
    work_unit* const u = to_unit(handle);
    worker* const w = core::this_worker_or_null();
    if (u != nullptr && w != nullptr && (bits_of(*u) & placed) == 0) LAZULT_LIKELY {
        if (worker* const now = core::call_own_in_place(*w, u); now != nullptr) LAZULT_LIKELY {
            settle_joined(now, handle);
            return;
        }
    }
    join_thread_anywhere(handle);
}

void await_thread(unit* handle) {
    if (handle == nullptr) {
        refuse_null();
    }
    require(api::wait_to_its_end([=] { return join_unit(to_unit(handle)); }), object);
}

bool await_thread_until(unit* handle, std::int64_t deadline, const std::stop_token* stop) {
    if (handle == nullptr) {
        refuse_null();
    }
    const auto wait = [=](const sync::wait_limit& limit) {
        return sync::join_until(to_unit(handle), limit);
    };
    return in_time(wait_cancelable(deadline, stop, wait), object);
}

void detach_thread(unit*& handle) {
    if (handle == nullptr) {
        refuse_null();
    }
    api::detach(to_unit(handle));
    handle = nullptr;
}

void end_thread(unit* handle) noexcept {
    work_unit* u = to_unit(handle);
    const core::cancellation_mask here;
    if (!u->join.is_finished()) {
        ask_to_end(u);
    }
    if (const base::status s = join_unit(u, core::cancelable::no); s != base::status::ok)
        LAZULT_UNLIKELY {
        die_unjoined(s);
    }
    if (leaves_something(*u)) LAZULT_UNLIKELY {
        settle_or_die(u);
        return;
    }
    free_unit(core::this_worker_or_null(), u);
}

closure_storage revive_thread(unit* handle, entry_function run) {
    work_unit* u = to_unit(handle);
    if (u == nullptr) {
        refuse_null();
    }
    if (!u->join.is_finished()) {
        refuse(base::status::busy, object,
               "it has not ended, and only an ended thread can be revived", "wait() for it first");
    }
    settle_for_revival(*u);
    u->entry = run;
    return {handle, u->argument};
}

void relaunch_thread(unit* handle) noexcept {
    work_unit* u = to_unit(handle);
    core::revive(u, u->home->place_of_new_units(), u->entry, u->argument);
}

bool is_canceled(const unit* handle) noexcept {
    return handle != nullptr && core::was_canceled(*to_unit(handle));
}

bool is_finished(const unit* handle) noexcept {
    return handle != nullptr && to_unit(handle)->join.is_finished();
}

}  // namespace detail

unsigned thread::hardware_concurrency() noexcept {
    return static_cast<unsigned>(topo::machine().processors());
}

void join_many(std::span<thread> threads) {
    std::vector<core::work_unit*> units;
    units.reserve(threads.size());
    for (const thread& t : threads) {
        if (t.unit_ == nullptr) {
            api::refuse_null();
        }
        units.push_back(api::to_unit(t.unit_));
    }
    const auto join_all = [&] {
        return core::join_many(units.data(), units.size(), core::cancelable::yes);
    };
    api::require(api::wait_to_its_end(join_all), api::object);
    std::exception_ptr first;
    for (thread& t : threads) {
        std::exception_ptr failure = api::settle(api::to_unit(std::exchange(t.unit_, nullptr)));
        if (first == nullptr) {
            first = std::move(failure);
        }
    }
    if (first != nullptr) {
        std::rethrow_exception(first);
    }
}

bool join_many(std::span<thread> threads, std::stop_token stop) {
    for (thread& t : threads) {
        if (!t.wait(stop)) {
            return false;
        }
    }
    join_many(threads);
    return true;
}

std::ostream& operator<<(std::ostream& out, thread_id id) {
    return id == thread_id() ? out << "no thread" : out << id.native_handle();
}

}  // namespace lazult
