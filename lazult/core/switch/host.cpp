// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/host.hpp"

#include <bit>

#include "lazult/core/observe/trace.hpp"
#include "lazult/core/switch/creators.hpp"
#include "lazult/core/switch/ready.hpp"

namespace lazult::core {

void left_stack(void* left) noexcept {
    auto* s = static_cast<stack*>(left);
    if (s != nullptr && s->owner != nullptr) {
        stack_cache::release(s, &running_worker().stacks);
    }
}

host::host(loop_kind loops) noexcept
    : stateless_(loops != loop_kind::own_stateful),
      has_own_loop_(loops != loop_kind::standard),
      stack_class_(stack_class_for(base::current_settings().scheduler_stack_bytes())) {
    set_budget(static_cast<int>(base::current_settings().event_period));
}

host::host(worker& w) noexcept
    : stk_(w.current != nullptr ? w.current->stk : &w.thread_stack),
      self_(w.current),
      parent_(w.here),
      stateless_(false),
      has_own_loop_(true) {
    const std::size_t room = stk_->headroom_below(arch::stack_position());
    stack_class_ = static_cast<std::uint8_t>(std::bit_width(room | 1) - 1);
    set_budget(1);
}

bool switches_in_order() noexcept {
    const host* here = running_worker().here;
    return here != nullptr && here->is_one_thread();
}

host::~host() = default;

bool host::take_stack(worker& w) noexcept {
    if (stk_ == nullptr) {
        stk_ = w.stacks.allocate_and_fetch_next(stack_class_);
    }
    return stk_ != nullptr;
}

void host::give_stack_back(worker& w) noexcept {
    if (stk_ != nullptr) {
        stack_cache::release(std::exchange(stk_, nullptr), &w.stacks);
    }
}

void host::ensure_stack(worker& w) noexcept {
    while (!take_stack(w)) {
        await_stack(w, stack_class_);
    }
    cleanse(stk_);
    if (self_ != nullptr) {
        self_->stk = stk_;
    }
}

void host::set_identity(work_unit& u) noexcept {
    u.set(flag_host | flag_tasklet);
    u.set_state(life_state::running);
    self_ = &u;
}

base::status host::adopt_thread(worker& w, work_unit* primary, primary_kind kind) noexcept {
    primary->stk = &w.thread_stack;
    if (kind == primary_kind::stays) {
        primary->set(flag_host);  // it cannot move to another stream
    }
    primary->set_started(w.alone_mark);
    if (is_traced_unit(*primary)) {
        trace_start(*primary);
    }
    w.here = this;
    w.current = primary;
    return base::status::ok;
}

void host::release_thread(worker& w) noexcept {
    probe::acquire(this);  // pairs with: execute()
    ended(w);
    give_stack_back(w);
    context_ = nullptr;
    latent_ = nullptr;  // callers that keep calls run these themselves
    w.here = nullptr;
    w.current = nullptr;
}

// Hands `next` to the loop. An earlier unit that was handed over becomes ready. It is there if a
// unit exits and names a successor, and a destructor of its ULT-local values then gives way.
void host::hand_over(worker& w, work_unit* next) noexcept {
    if (next == nullptr) {
        return;
    }
    if (work_unit* earlier = std::exchange(handed_over_, next); earlier != nullptr)
        LAZULT_UNLIKELY {
        make_ready(&w, earlier);
    }
}

// The rest of pick(), if the private pool has no unit at hand. The most frequent path makes no
// call, so the function has no frame.
LAZULT_NOINLINE work_unit* host::pick_beyond(worker& w) noexcept {
    if (has_open_lane(w) && (fast_pool_ == nullptr || !fast_pool_->has_any())) LAZULT_LIKELY {
        work_unit* const u = w.lane->pop();
        return u != nullptr ? u : next(w);
    }
    return pick_anywhere(w);
}

LAZULT_NOINLINE work_unit* host::pick_anywhere(worker& w) noexcept {
    const bool has_lane = has_open_lane(w);
    const bool is_private = fast_pool_ != nullptr && fast_pool_->is_private_to(&w);
    if (fast_pool_ != nullptr && (is_private ? fast_pool_->has_any() : !has_lane)) {
        if (work_unit* u = fast_pool_->pop(w); u != nullptr) {
            return u;
        }
    }
    if (has_lane) LAZULT_LIKELY {
        if (work_unit* u = w.lane->pop(); u != nullptr) LAZULT_LIKELY {
            return u;
        }
    }
    return next(w);
}

// The rest of pick_for(), for the lane. The most frequent path makes no call, so the function has
// no frame. If a private pool comes first and has a unit, that unit would be next. Then the case is
// not simple, and this returns nullptr. Nor is it simple where units stay that have begun: then
// one that suspends for the first time gets its new home before.
LAZULT_NOINLINE work_unit* host::pick_in_lane_for(worker& w, work_unit* self) noexcept {
    if (budget_ <= 0 || self->home != lane_pool_) LAZULT_UNLIKELY {
        return nullptr;
    }
    if (!has_open_lane(w) || fast_pool_->has_any() || w.stay_pool != nullptr) LAZULT_UNLIKELY {
        return change_turns_at_home(w, self);
    }
    --budget_;  // also if no unit is found: then the loop is due a little earlier
    return w.lane->change_turns(self);
}

// For a pool that neither has a lane nor is a private_fifo. It is the first one of the host, so no
// other pool comes before it.
LAZULT_NOINLINE work_unit* host::change_turns_at_home(worker& w, work_unit* self) noexcept {
    work_unit* const next = self->home == fast_pool_ ? fast_pool_->change_turns(w, self) : nullptr;
    budget_ -= next != nullptr;
    return next;
}

work_unit* host::take_handed_over() noexcept { return std::exchange(handed_over_, nullptr); }

// Makes the occupant fully fledged: at its first suspension, or that of a unit in place above it.
LAZULT_NOINLINE void host::promote() noexcept {
    work_unit* u = std::exchange(occupant_, nullptr);
    u->set(flag_promoted);
    switch (u->started) {
        case start_mode::return_on_completion:
            arch::lazult_redirect_return(u->stk->top(), &redirected_entry);
            if (calls_ != nullptr) {
                promote_creators();
            }
            return;  // context_ is valid
        case start_mode::stack_separation:
            arch::lazult_redirect_return(u->stk->top(), &redirected_entry);
            break;  // stk_ stays, and the loop restarts on it
        default:
            stk_ = nullptr;  // the unit keeps it
            break;
    }
    context_ = nullptr;
}

// The creators become ready last: another stream may run them at once, on stacks that the host must
// have let go of.
LAZULT_NOINLINE void host::promote_creators() noexcept {
    call_at_once* calls = std::exchange(calls_, nullptr);
    occupant_ = cut_off(calls, redirected_entry);
    if (occupant_ != nullptr) {
        promote();
    }
    free_creators(running_worker(), calls);
}

LAZULT_NOINLINE void host::give_kept_calls() noexcept {
    while (latent_ != nullptr) {
        latent_calls* const calls = latent_;
        latent_ = calls->below;
        calls->give_all(*calls);
    }
}

// Kept calls come first, while all below is as it was, because they may be run at once.
LAZULT_NOINLINE void host::settle_below() noexcept {
    give_kept_calls();
    if (occupant_ != nullptr) {
        promote();
    }
}

LAZULT_NOINLINE void host::switch_to_loop(worker& w, work_unit* self, work_unit* next,
                                          entry_function after, void* argument) noexcept {
    void* fake = nullptr;
    hand_over(w, next);
    w.current = self_;
    if (arch::context loop = std::exchange(context_, nullptr); loop != nullptr) {
        depart(stk_, &fake);
        arch::lazult_switch_to_host(&self->context, loop, after, argument);
    } else {
        ensure_stack(w);
        depart(stk_, &fake);
        arch::lazult_start(&self->context, stk_->top(), &loop_entry, this, after, argument);
    }
    arrive(fake);
}

void host::leave_for(worker& w, work_unit* next, stack* left) noexcept {
    if (next != nullptr && next->context != nullptr && !must_be_asked(*next)) LAZULT_LIKELY {
        const arch::departure end = departure_to(w, next, left);
        arch::lazult_jump(end.to, end.argument == nullptr ? nullptr : left_stack, left);
    }
    if (next != nullptr && next->context == nullptr && starts_alone(*next) && has_stack(w, *next)) {
        std::byte* top = begin_alone(w, *next);
        w.current = next;
        depart(next->stk, nullptr);
        arch::lazult_start_over(top, &full_unit_entry, next, left_stack, left);
    }
    hand_over(w, next);
    leave_for_loop(w, left_stack, left);
}

void host::leave_for_loop(worker& w, entry_function left, void* argument) noexcept {
    w.current = self_;
    // The ended unit has looked for the next one in this object. This is announced by a word of its
    // own, so that the host's units do not seem ordered.
    probe::release(&context_);  // pairs with: leave()
    if (arch::context loop = std::exchange(context_, nullptr); loop != nullptr) {
        depart(stk_, nullptr);
        arch::lazult_jump(loop, left, argument);
    }
    ensure_stack(w);
    depart(stk_, nullptr);
    arch::lazult_start_over(stk_->top(), &loop_entry, this, left, argument);
}

}  // namespace lazult::core
