// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/unit.hpp"

#include <algorithm>
#include <mutex>
#include <string>

namespace lazult::api {

constinit ds::default_atomics::atomic<const default_attributes*> composed_defaults{nullptr};

namespace {

const core::unit_kinds registered(kind_thread | kind_task | kind_job, "the C++ door");

constinit std::mutex composing;

[[gnu::constructor]] void hold_defaults_lock() {
    base::hold_across_fork(base::fork_lock::defaults, composing);
}

const default_attributes* latest = nullptr;

const default_attributes& compose_defaults() {
    const std::lock_guard hold(composing);
    if (composed_defaults.load(std::memory_order_relaxed) == nullptr) {
        // Never freed, because streams that end may still read old ones. There is one for each
        // start of a runtime.
        auto* fresh = new default_attributes(base::current_settings().technique);
        fresh->previous = latest;
        latest = fresh;
        // release pairs with: creation_context::here(), load of composed_defaults
        composed_defaults.store(fresh, std::memory_order_release);
    }
    return *latest;
}

}  // namespace

namespace {

attribute_set compose(core::technique configured, std::uint16_t bits) noexcept {
    attribute_set set{{}, configured};
    for (std::size_t i = 0; i < set.by_technique.size(); ++i) {
        set.by_technique[i] =
            core::unit_attributes(static_cast<core::technique>(i)).user_bits(bits);
    }
    return set;
}

}  // namespace

default_attributes::default_attributes(core::technique configured) noexcept
    : thread_of_words(compose(configured, kind_thread)),
      thread(compose(configured, kind_thread | closure_to_destroy)),
      task(compose(configured, kind_task)),
      job(compose(configured, kind_job)) {}

creation_context creation_context::slow() {
    sched::ensure_runtime();
    const default_attributes& defaults = compose_defaults();
    worker& w = core::this_worker();
    return {&w, &sched::default_pool(&w), &defaults};
}

void forget_defaults() noexcept { composed_defaults.store(nullptr, std::memory_order_relaxed); }

namespace {

[[noreturn]] void refuse_attribute(std::string_view object, std::string_view attribute,
                                   std::string_view value, std::string_view accepted) {
    std::string cause = "its attribute ";
    cause.append(attribute).append(" is ").append(value);
    refuse(base::status::invalid_argument, object, cause, std::string("give ").append(accepted));
}

core::technique technique_of(const thread_attributes& how, std::string_view object) {
    if (how.how == technique::configured) {
        return base::current_settings().technique;
    }
    if (how.how > technique::adaptive) {
        refuse_attribute(object, "how", std::to_string(static_cast<int>(how.how)),
                         "a lazult::technique");
    }
    return static_cast<core::technique>(how.how);
}

std::size_t stack_size_of(const thread_attributes& how, std::string_view object) {
    constexpr std::size_t least = std::size_t{1} << core::smallest_stack_class;
    constexpr std::size_t most = std::size_t{1} << core::largest_stack_class;
    if (how.stack_size != 0 && (how.stack_size < least || how.stack_size > most)) {
        refuse_attribute(object, "stack_size", std::to_string(how.stack_size),
                         "4 KiB to 1 GiB, or 0");
    }
    return how.stack_size;
}

std::uint8_t priority_of(const thread_attributes& how, std::string_view object) {
    if (how.priority < 0 || how.priority >= static_cast<int>(sched::priority_pool::levels)) {
        refuse_attribute(object, "priority", std::to_string(how.priority), "0 to 7");
    }
    return static_cast<std::uint8_t>(how.priority);
}

}  // namespace

core::unit_attributes translate(const thread_attributes& how, const attribute_set& set,
                                std::string_view object) {
    if (is_by_technique_alone(how)) {
        return set[how.how];
    }
    if (!how.stack.empty() && how.stack.size() < core::smallest_user_stack) {
        refuse_attribute(object, "stack", std::to_string(how.stack.size()) + " bytes",
                         "2 KiB at least");
    }
    core::unit_attributes result(technique_of(how, object), stack_size_of(how, object));
    result.priority(priority_of(how, object)).user_bits(set.standard().header().user_bits);
    return result;
}

void refuse_for_memory() { refuse(base::status::out_of_memory, "thread"); }

namespace {

bool is_served_by(const core::host* h, const core::pool* home) noexcept {
    const auto* s = dynamic_cast<const sched::scheduler*>(h);
    return s != nullptr && std::ranges::find(s->pools(), home) != s->pools().end();
}

// The caller's home lasts as long as the caller.
bool is_at_home_with_caller(const worker& w, const work_unit& u) noexcept {
    return w.current != nullptr && w.current->home == u.home;
}

}  // namespace

base::status join_placed(work_unit* u, core::cancelable how) {
    worker* w = core::this_worker_or_null();
    // The unit's pool may be destroyed if the unit has ended. So its address is only compared with
    // the pools of this stream, and with the caller's.
    if (w == nullptr || u->home == w->fast_pool || is_at_home_with_caller(*w, *u) ||
        is_served_by(w->here, u->home)) {
        return core::join(w, u, how);
    }
    return core::join_many(&u, 1, how);
}

void discard(work_unit* u) noexcept { free_unit(core::this_worker_or_null(), u); }

}  // namespace lazult::api
