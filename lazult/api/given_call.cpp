// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/given_call.hpp"

#include <memory>
#include <new>
#include <utility>

#include "lazult/api/blocks.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::api {
namespace {

using detail::given_call;
using detail::words;

// Returns a technique by which a unit may suspend, because a fork may.
core::technique technique_of_given() noexcept {
    const core::technique configured = base::current_settings().technique;
    return configured == core::technique::run_to_completion ? core::technique::return_on_completion
                                                            : configured;
}

core::work_unit* prepare_given(core::entry_function entry, given_call& given,
                               std::size_t stack_bytes) noexcept {
    try {
        const creation_context at = creation_context::find();
        core::work_unit* const u =
            core::prepare(*at.w, *at.home, entry, &given,
                          core::unit_attributes(technique_of_given(), stack_bytes));
        if (u != nullptr && !sched::provide_node(*u)) LAZULT_UNLIKELY {
            free_unit(at.w, u);
            return nullptr;
        }
        return u;
    } catch (...) {  // the runtime cannot be started
        return nullptr;
    }
}

void launch(core::work_unit* u, receiver to) noexcept {
    core::worker& w = core::running_worker();
    const bool is_in_own_lane = w.lane != nullptr && w.lane->home() == u->home;
    if (to == receiver::idle_stream && is_in_own_lane) {
        core::launch_to_seekers(w, u);  // this stream runs it if no other stream takes it
    } else {
        core::launch_open(w, u);
    }
}

void free_given(given_call* given) noexcept {
    std::destroy_at(given);
    give_block(given, sizeof(*given));
}

}  // namespace

void refuse_unwound() {
    refuse(base::status::canceled, "fork", "a call ended its thread, and returned no value",
           "return from what is forked");
}

std::exception_ptr thrown_by(void (*refuse)()) noexcept {
    try {
        refuse();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

given_call* give_call(core::entry_function entry, detail::latent_slot::function call, words closure,
                      std::size_t stack_bytes, receiver to) noexcept {
    void* const memory = take_block(sizeof(given_call));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const given = new (memory) given_call{call, closure};
    given->unit = prepare_given(entry, *given, stack_bytes);
    if (given->unit == nullptr) {
        free_given(given);
        return nullptr;
    }
    launch(given->unit, to);
    return given;
}

std::exception_ptr await_call(given_call* given, words& value) noexcept {
    {
        const core::cancellation_mask here;
        core::join(given->unit);
    }
    // true if the runtime ended before the unit started
    if (core::was_canceled_at_once(*given->unit)) LAZULT_UNLIKELY {
        given->failure = thrown_by(refuse_unwound);
    }
    free_unit(core::this_worker_or_null(), given->unit);
    value = given->value;
    std::exception_ptr failure = std::move(given->failure);
    free_given(given);
    return failure;
}

}  // namespace lazult::api
