// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/given_call.hpp"

#include <cxxabi.h>

#include <lazult/fork_join.hpp>

#include <memory>
#include <new>
#include <utility>

#include "lazult/api/blocks.hpp"
#include "lazult/api/latent_flow.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::detail {

struct given_call {
    latent_slot::function call;
    words closure;
    words value{};
    std::exception_ptr failure{};
    core::work_unit* unit = nullptr;
};

}  // namespace lazult::detail

namespace lazult::api {
namespace {

using detail::given_call;
using detail::words;

std::exception_ptr thrown_by(void (*refuse)()) noexcept {
    try {
        refuse();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

void run_given(void* argument) {
    auto& given = *static_cast<given_call*>(argument);
    const detail::open_flow flow;
    if (flow.first() == nullptr) LAZULT_UNLIKELY {
        given.failure = thrown_by(detail::refuse_slots);
        return;
    }
    call_another_seeker();
    try {
        given.value = given.call(given.closure, flow.first());
    } catch (const core::exit_unwind&) {
        given.failure = thrown_by(detail::refuse_unwound);
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        given.failure = thrown_by(detail::refuse_unwound);
        throw;
    } catch (...) {
        given.failure = std::current_exception();
    }
}

// Forks may suspend, whatever the program's technique is.
core::technique technique_of_given() noexcept {
    const core::technique configured = base::current_settings().technique;
    return configured == core::technique::run_to_completion ? core::technique::return_on_completion
                                                            : configured;
}

core::work_unit* prepare(given_call& given, std::size_t stack_bytes) noexcept {
    try {
        const birthplace at = birthplace::find();
        core::work_unit* const u =
            core::prepare(*at.w, *at.home, run_given, &given,
                          core::unit_attributes(technique_of_given(), stack_bytes));
        if (u != nullptr && !sched::provide_node(*u)) LAZULT_UNLIKELY {
            free_unit(at.w, u);
            return nullptr;
        }
        return u;
    } catch (...) {  // there is no memory for a runtime
        return nullptr;
    }
}

void launch(core::work_unit* u, receiver to) noexcept {
    core::worker& w = core::running_worker();
    const bool is_in_own_lane = w.lane != nullptr && w.lane->home() == u->home;
    if (to == receiver::idle_stream && is_in_own_lane) {
        core::launch_to_seekers(w, u);  // this stream takes it itself, if nobody else does
    } else {
        core::launch_open(w, u);
    }
}

void free_given(given_call* given) noexcept {
    std::destroy_at(given);
    give_block(given, sizeof(*given));
}

}  // namespace

given_call* give_call(detail::latent_slot::function call, words closure, std::size_t stack_bytes,
                      receiver to) noexcept {
    void* const memory = take_block(sizeof(given_call));
    if (memory == nullptr) {
        return nullptr;
    }
    auto* const given = new (memory) given_call{call, closure};
    given->unit = prepare(*given, stack_bytes);
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
    // the runtime has ended before it began
    if (core::was_canceled_at_once(*given->unit)) LAZULT_UNLIKELY {
        given->failure = thrown_by(detail::refuse_unwound);
    }
    free_unit(core::this_worker_or_null(), given->unit);
    value = given->value;
    std::exception_ptr failure = std::move(given->failure);
    free_given(given);
    return failure;
}

}  // namespace lazult::api
