// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/scheduler.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "lazult/api/pool_access.hpp"
#include "lazult/api/refusal.hpp"

namespace lazult {
namespace {

constexpr std::string_view scheduler_object = "scheduler";

core::work_unit* to_unit(thread_id id) noexcept {
    return static_cast<core::work_unit*>(id.native_handle());
}

sched::ready_pool& to_pool(const pool* p) {
    if (p == nullptr || p->native_handle() == nullptr) {
        api::refuse(base::status::invalid_argument, scheduler_object, "one of its pools is null",
                    "give pools that live");
    }
    return *static_cast<sched::ready_pool*>(p->native_handle());
}

// A user's scheduler as the core sees it.
//
// The user's code runs on the loop's stack and on those of units that give way, one at a time on
// one OS thread. ThreadSanitizer takes these stacks for threads, so it must learn that they take
// turns, also with the scheduler's creator before the start and its destroyer after the end.
class user_scheduler final : public sched::scheduler {
public:
    user_scheduler(custom_scheduler& mine, custom_scheduler::loop_kind kind) noexcept
        : sched::scheduler(static_cast<loop_kind>(kind)), mine_(&mine) {}
    ~user_scheduler() override { probe::acquire(this); }

    // Without this, units that give way would take the next unit from the first pool, and the
    // user's scheduler would not be asked.
    void choose_alone() noexcept {
        set_fast_pool(nullptr);
        probe::release(this);
    }
    const char* name() const noexcept override { return mine_->name(); }

    void run_one(core::work_unit* u) noexcept {
        run_handed_over();
        if (loop_is_due()) {
            set_budget(static_cast<int>(base::current_settings().event_period));
            poll(core::this_worker());
        }
        if (u != nullptr) {
            run_in_loop(u);
        }
    }
    bool idle_once() noexcept { return run_handed_over() || wait(core::this_worker()); }

protected:
    core::work_unit* next(core::worker&) noexcept override {
        const turn mine(this);
        const core::program_callback inside;
        return to_unit(mine_->next());
    }
    bool has_work(core::worker& w) noexcept override {
        const turn mine(this);
        const core::program_callback inside;
        return mine_->has_work() || sched::scheduler::has_work(w);
    }
    core::work_unit* fair_turn(core::worker&) noexcept override { return nullptr; }
    // Never true: the user's loop may do more than run units, so control must return to it.
    bool would_only_poll(core::worker&) noexcept override { return false; }
    void own_loop() override;

private:
    class turn {
    public:
        explicit turn(const user_scheduler* of) noexcept : of_(of) { probe::acquire(of_); }
        ~turn() { probe::release(of_); }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        const user_scheduler* of_;
    };

    void run_in_loop(core::work_unit* u) noexcept {
        probe::release(this);
        run(u);
        probe::acquire(this);
    }

    // Runs the units that were handed over. There is room for one, so it must run before another
    // unit does, which may hand over a unit, too. The budget of scheduling points ends such chains.
    bool run_handed_over() noexcept {
        bool any = false;
        while (core::work_unit* u = take_handed_over()) {
            any = true;
            run_in_loop(u);
        }
        return any;
    }

    custom_scheduler* mine_;
};

}  // namespace

struct detail::scheduler_access {
    static void loop(custom_scheduler& s) { s.loop(); }
    static user_scheduler& host(custom_scheduler& s) noexcept {
        return *static_cast<user_scheduler*>(s.host_);
    }

    static std::unique_ptr<user_scheduler> make(custom_scheduler& s) {
        auto made = std::make_unique<user_scheduler>(s, s.kind_);
        s.host_ = made.get();
        return made;
    }
};

namespace {

void user_scheduler::own_loop() {
    const turn mine(this);
    detail::scheduler_access::loop(*mine_);
}

void add_pools(sched::scheduler& s, std::initializer_list<pool*> pools) {
    if (pools.size() == 0) {
        api::refuse(base::status::invalid_argument, scheduler_object, "it has no pools",
                    "give it one at least");
    }
    for (const pool* p : pools) {
        api::require(s.add_pool(to_pool(p)), scheduler_object);
    }
}

std::unique_ptr<sched::scheduler> make(scheduler_kind kind, std::initializer_list<pool*> pools) {
    if (kind == scheduler_kind::work_stealing) {
        auto* own = pools.size() == 0
                        ? nullptr
                        : dynamic_cast<sched::stealing_pool*>(&to_pool(*pools.begin()));
        if (own == nullptr) {
            api::refuse(base::status::invalid_argument, scheduler_object,
                        "work_stealing has no work-stealing pool",
                        "give it a pool of pool_kind::work_stealing first");
        }
        auto made = std::make_unique<sched::work_stealing_scheduler>(*own);
        add_pools(*made, pools);
        return made;
    }
    auto made = sched::make_scheduler(static_cast<base::scheduler_kind>(kind));
    add_pools(*made, pools);
    return made;
}

std::unique_ptr<sched::scheduler> make(custom_scheduler& mine, std::initializer_list<pool*> pools) {
    auto made = detail::scheduler_access::make(mine);
    add_pools(*made, pools);
    made->choose_alone();
    return made;
}

detail::stream_handle* to_handle(sched::stream* s) noexcept {
    return reinterpret_cast<detail::stream_handle*>(s);
}

sched::stream* to_stream(detail::stream_handle* s) {
    if (s == nullptr) {
        api::refuse(base::status::invalid_handle, "execution stream",
                    "it was joined, moved from or never started", "test joinable() first");
    }
    return reinterpret_cast<sched::stream*>(s);
}

detail::stream_handle* start(std::unique_ptr<sched::scheduler> s) {
    sched::ensure_runtime();
    sched::stream* started = nullptr;
    const base::status outcome = sched::stream::start(std::move(s), &started);
    if (outcome == base::status::busy) {
        api::refuse(outcome, "execution stream", "one of its pools belongs to another stream",
                    "give it a shared_fifo or priority pool, or one of its own");
    }
    api::require(outcome, "execution stream");
    return to_handle(started);
}

}  // namespace

custom_scheduler::~custom_scheduler() = default;

bool custom_scheduler::has_work() noexcept { return false; }

const char* custom_scheduler::name() const noexcept { return "custom"; }

void custom_scheduler::loop() {
    do {
        for (thread_id u = next(); u != thread_id(); u = next()) {
            run(u);
        }
    } while (wait());
}

thread_id custom_scheduler::pop(pool& from) noexcept {
    return thread_id(
        static_cast<sched::ready_pool*>(from.native_handle())->pop(core::this_worker()));
}

void custom_scheduler::run(thread_id unit) noexcept {
    detail::scheduler_access::host(*this).run_one(to_unit(unit));
}

bool custom_scheduler::wait() noexcept { return detail::scheduler_access::host(*this).idle_once(); }

execution_stream::execution_stream() : execution_stream(stream_options()) {}

execution_stream::execution_stream(const stream_options& options) {
    sched::ensure_runtime();
    std::optional<base::started_kind> rule;
    if (options.started.has_value()) {
        rule = static_cast<base::started_kind>(*options.started);
    }
    sched::stream* started = nullptr;
    api::require(sched::stream::start_default(&started, rule), "execution stream");
    stream_ = to_handle(started);
}

execution_stream::execution_stream(scheduler_kind kind, std::initializer_list<pool*> pools)
    : stream_(start(make(kind, pools))) {}

execution_stream::execution_stream(custom_scheduler& scheduler, std::initializer_list<pool*> pools)
    : stream_(start(make(scheduler, pools))) {}

namespace {

// Joins a stream. The stream's last look at its pools comes before the caller destroys these, and
// ThreadSanitizer must learn that. Other builds do not allocate, which a destructor should not.
base::status end(sched::stream* s) {
    const core::cancellation_mask here;
    if constexpr (!probe::tsan) {
        return sched::stream::join(s);
    }
    const auto pools = s->main_scheduler().pools();
    const std::vector<sched::ready_pool*> used(pools.begin(), pools.end());
    const base::status outcome = sched::stream::join(s);
    for (const sched::ready_pool* p : used) {
        probe::acquire(p);
    }
    return outcome;
}

}  // namespace

execution_stream::~execution_stream() {
    if (stream_ != nullptr && end(to_stream(stream_)) != base::status::ok) {
        base::fatal_misuse(
            "execution stream",
            "its object is destroyed by a unit that it runs, and that cannot go on elsewhere",
            "destroy it on another stream, or in a ULT while there is another stream");
    }
}

void execution_stream::join() {
    api::require(end(to_stream(stream_)), "execution stream");
    stream_ = nullptr;
}

int execution_stream::rank() const { return to_stream(stream_)->rank(); }

pool execution_stream::default_pool() const {
    return pool_access::borrow(to_stream(stream_)->default_pool());
}

struct detail::stacked_handle {
    std::unique_ptr<sched::scheduler> scheduler;
    core::work_unit* unit = nullptr;

    static stacked_handle* push(pool& into, std::unique_ptr<sched::scheduler> s) {
        sched::ensure_runtime();
        if (sched::may_leave_kept(*s, to_pool(&into))) {
            api::refuse(base::status::invalid_argument, scheduler_object,
                        "its pools keep ULTs on their streams, and the pool that it is pushed to "
                        "would let it move",
                        "push it to a pool with pool_options::started = stay, or to a pool of one "
                        "stream");
        }
        auto made = std::make_unique<stacked_handle>();
        made->scheduler = std::move(s);
        api::require(sched::push_scheduler(*made->scheduler, to_pool(&into), &made->unit),
                     scheduler_object);
        return made.release();
    }
};

stacked_scheduler::stacked_scheduler(pool& into, scheduler_kind kind,
                                     std::initializer_list<pool*> pools)
    : scheduler_(detail::stacked_handle::push(into, make(kind, pools))) {}

stacked_scheduler::stacked_scheduler(pool& into, custom_scheduler& scheduler,
                                     std::initializer_list<pool*> pools)
    : scheduler_(detail::stacked_handle::push(into, make(scheduler, pools))) {}

void stacked_scheduler::join() {
    if (scheduler_ == nullptr) {
        api::refuse(base::status::invalid_handle, scheduler_object);
    }
    // Not core::join(), because that may run the scheduler in place on the joiner's stream, which
    // the scheduler would then take over.
    api::require(core::join_many(&scheduler_->unit, 1), scheduler_object);
    core::dispose(core::this_worker_or_null(), scheduler_->unit);
    delete std::exchange(scheduler_, nullptr);
}

stacked_scheduler::~stacked_scheduler() {
    if (scheduler_ != nullptr) {
        const core::cancellation_mask here;
        join();
    }
}

event_callback::event_callback(std::function<int()> poll, awaited_events when)
    : poll_(std::move(poll)) {
    id_ = sched::add_event_callback(
        [](void* self) noexcept -> int { return static_cast<event_callback*>(self)->poll_(); },
        this,
        when == awaited_events::always ? sched::awaited::always : sched::awaited::when_expected);
    if (id_ == 0) {
        api::refuse(base::status::out_of_memory, "event callback");
    }
}

event_callback::~event_callback() { sched::remove_event_callback(id_); }

void expect_events(int change) noexcept { sched::expect_events(change); }

}  // namespace lazult
