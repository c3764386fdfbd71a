// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/life/create.hpp"

#include "lazult/core/memory/stack_slab.hpp"
#include "lazult/core/observe/trace.hpp"
#include "lazult/core/switch/finish.hpp"
#include "lazult/core/switch/suspend.hpp"
#include "lazult/core/worker/home_guard.hpp"

namespace lazult::core {

std::uint8_t default_stack_class = 16;
std::uint8_t default_tasklet_class = 16;
bool joiners_lend_stacks = true;

namespace {

std::uint8_t headroom_class_of(std::uint8_t stack_class) noexcept {
    constexpr int log2_of_eight = 3;
    return joiners_lend_stacks ? static_cast<std::uint8_t>(stack_class - log2_of_eight)
                               : unit_header::no_headroom;
}

}  // namespace

void refresh_defaults() noexcept {
    const base::settings& now = base::current_settings();
    default_stack_class = stack_class_for(now.stack_size);
    default_tasklet_class = stack_class_for(now.scheduler_stack_bytes());
    joiners_lend_stacks = !now.exact_stacks && now.stack_use == base::output_off;
    refit_guards();
    choose_observation();
}

void unit_attributes::compose() noexcept {
    header_.how = how_;
    header_.plan = how_ == technique::adaptive ? technique::scheduler_creation : how_;
    const bool is_tasklet = how_ == technique::run_to_completion;
    const std::uint8_t usual_class = is_tasklet ? default_tasklet_class : default_stack_class;
    header_.stack_class = stack_class_ != 0 ? stack_class_ : usual_class;
    header_.flags =
        static_cast<std::uint8_t>((how_ == technique::run_to_completion ? flag_tasklet : 0) |
                                  (user_stack_ != nullptr ? flag_user_stack : 0));
    const bool on_caller =
        header_.plan == technique::scheduler_creation || how_ == technique::run_to_completion;
    header_.headroom_class =
        on_caller ? headroom_class_of(header_.stack_class) : unit_header::no_headroom;
    header_on_stack_ = header_;
    if (how_ == technique::adaptive) {
        header_on_stack_.plan = technique::lazy_stack;
        header_on_stack_.headroom_class = unit_header::no_headroom;
    }
    kind_ = user_stack_ != nullptr        ? kind::on_users_stack
            : how_ == technique::adaptive ? kind::planned
            : how_ == technique::full     ? kind::with_stack
                                          : kind::plain;
    if (observes_units()) {
        kind_ = static_cast<kind>(static_cast<std::uint8_t>(kind_) +
                                  static_cast<std::uint8_t>(kind::observed_plain));
    }
}

namespace {

LAZULT_ALWAYS_INLINE work_unit* finish_as_usual(worker& w, work_unit* u,
                                                const unit_attributes& attributes) noexcept {
    using kind = unit_attributes::kind;
    const kind usual = attributes.usual_kind();
    if (usual == kind::planned) LAZULT_LIKELY {
        return plan(w, u, attributes);
    }
    if (usual == kind::with_stack) {
        return take_stack_for(w, u);
    }
    if (usual == kind::on_users_stack) {
        u->stk = attributes.its_stack();
    }
    return u;
}

}  // namespace

work_unit* finish_observed(worker& w, work_unit* u, const unit_attributes& attributes) noexcept {
    u->header = attributes.header();
    u = finish_as_usual(w, u, attributes);
    if (u != nullptr) {
        observe_creation(w, *u);
    }
    return u;
}

LAZULT_COLD work_unit* give_up_without_stack(worker& w, work_unit* u) noexcept {
    descriptor_cache::release(u, &w.descriptors);
    return nullptr;
}

void push_first(worker& w, work_unit* u) noexcept {
    if (!is_biased_towards(&w, *u)) {
        // The unit goes to other threads. They shall not need a barrier to write its join word.
        u->join.reset_bias();
    }
    u->home->push(&w, u);
}

void push_known_first(worker& w, work_unit* u) noexcept {
    if (!is_biased_towards(&w, *u)) {
        // For the reason given in push_first(). A plain store is not enough here: a thread that has
        // found the unit in a list may be writing the join word.
        u->join.open();
    }
    u->home->push(&w, u);
}

void launch_child_first(work_unit* u) {
    probe::release(u);
    const bool begins_elsewhere = u->home->keeps() && !u->home->may_run_on(this_worker(), *u);
    if (u->header.how == technique::run_to_completion || begins_elsewhere ||
        !suspend_parent_into(u)) {
        launch_open(this_worker(), u);
    }
}

void renew(work_unit* u, pool& home, entry_function entry, void* argument) noexcept {
    // flag_locals stays, because the end of the unit's next life may have to be traced, too.
    constexpr auto kept = flag_tasklet | flag_user_stack | flag_locals;
    u->header.flags = static_cast<std::uint8_t>(u->header.flags & kept);
    u->entry = entry;
    u->argument = argument;
    u->context = nullptr;
    constexpr std::uint32_t lasting =
        owns_something | is_traced | traced_ended | ~(traced_life - 1U);
    const std::uint32_t owned = u->notes.load(std::memory_order_relaxed) & lasting;
    u->notes.store(0, std::memory_order_relaxed);
    if (!u->has(flag_user_stack) && (owned & owns_stack) == 0) {
        u->stk = nullptr;  // the stack where it ran last may be in other use
    }
    u->home = &home;
    if (u->header.how == technique::adaptive) {
        worker& w = this_worker();
        const bool on_stack = w.predict.wants_stack(entry);
        u->header.plan = on_stack ? technique::lazy_stack : technique::scheduler_creation;
        u->header.headroom_class =
            on_stack ? unit_header::no_headroom : headroom_class_of(u->header.stack_class);
        if (predictor::is_due(*u, w.count)) {
            w.predict.take_sample(*u, w.count);
        }
    } else if (runs_on_caller(u->header.how)) {
        u->header.headroom_class = headroom_class_of(u->header.stack_class);
    }
    forget_cancellation(*u);
    u->notes.store(u->notes.load(std::memory_order_relaxed) | owned, std::memory_order_relaxed);
    u->park.reset();
    // `wait` needs no reset: each wait leaves it open
    u->asked.store(0, std::memory_order_relaxed);
    // A thread that sees the bias must not take the mark of the unit's last life for a start. The
    // two stores alone do not ensure that. But every thread that may read the join word got the
    // unit by a hand-over that comes after both stores.
    const std::uint16_t ran_on = u->ran_on.load(std::memory_order_relaxed);
    u->set_started(std::bit_cast<std::uint32_t>(running_mark{
        .life = life_state::ready, .started = start_mode::full, .stream_number = ran_on}));
    u->join.reset(is_biased_towards(this_worker_or_null(), *u) ? join_word<>::biased
                                                               : join_word<>::live);
}

base::status revive(work_unit* u, pool& home, entry_function entry, void* argument) noexcept {
    if (u == nullptr) {
        return base::status::invalid_handle;
    }
    if (!u->join.is_finished()) {
        return base::status::busy;
    }
    renew(u, home, entry, argument);
    make_ready(this_worker_or_null(), u);
    return base::status::ok;
}

}  // namespace lazult::core
