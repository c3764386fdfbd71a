// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/fork_join.hpp>

#include <exception>
#include <utility>

#include "lazult/api/given_call.hpp"
#include "lazult/api/latent_flow.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::detail {
namespace {

void rethrow_if_any(std::exception_ptr failure) {
    if (failure != nullptr) LAZULT_UNLIKELY {
        std::rethrow_exception(std::move(failure));
    }
}

}  // namespace

bool may_have_slots() {
    api::birthplace::find();
    if (core::running_worker().here == nullptr) {
        return false;
    }
    if (!core::can_suspend()) {
        api::refuse(base::status::cannot_suspend, "fork",
                    "its caller is a tasklet, or another unit that cannot suspend",
                    "call it in a ULT");
    }
    return true;
}

latent_slot* open_slots(latent_slot* last) noexcept {
    api::latent_flow* const flow = api::take_flow();
    if (flow == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    return flow->open(last == nullptr ? nullptr : &api::latent_flow::of(last));
}

void refuse_slots() { api::refuse(base::status::out_of_memory, "fork"); }

void refuse_unwound() {
    api::refuse(base::status::canceled, "fork", "a call ended its thread, and returned no value",
                "return from what is forked");
}

void close_slots(latent_slot* first) noexcept {
    api::latent_flow& flow = api::latent_flow::of(first);
    flow.close();
    api::give_flow_back(flow);
}

fork_choice choose_fork(latent_slot* mine) noexcept {
    return api::latent_flow::of(mine).choose(mine);
}

bool take_back(latent_slot* mine, words& value) {
    api::latent_flow& flow = api::latent_flow::of(mine);
    given_call* const given = flow.take_back(mine);
    if (given == nullptr) {
        return true;
    }
    std::exception_ptr failure = api::await_call(given, value);
    flow.has_awaited(mine);
    rethrow_if_any(std::move(failure));
    return false;
}

void abandon(latent_slot* mine) noexcept {
    api::latent_flow& flow = api::latent_flow::of(mine);
    if (given_call* const given = flow.take_back(mine); given != nullptr) {
        abandon(given);
        flow.has_awaited(mine);
    }
}

given_call* give(latent_slot* mine, latent_slot::function call, words closure) noexcept {
    return api::latent_flow::of(mine).give_first_part(call, closure);
}

words await(given_call* given) {
    words value;
    rethrow_if_any(api::await_call(given, value));
    return value;
}

void abandon(given_call* given) noexcept {
    words value;
    api::await_call(given, value);
}

}  // namespace lazult::detail
