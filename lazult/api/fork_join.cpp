// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/fork_join.hpp>

#include <cxxabi.h>

#include <exception>
#include <utility>

#include "lazult/api/latent_slots.hpp"
#include "lazult/api/latent_watch.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::detail {
namespace {

void rethrow_if_any(std::exception_ptr failure) {
    if (failure != nullptr) LAZULT_UNLIKELY {
        std::rethrow_exception(std::move(failure));
    }
}

// The entry function of a unit that makes a given call.
void run_given(void* argument) {
    auto& given = *static_cast<given_call*>(argument);
    const opened_slots slots;
    if (slots.first() == nullptr) LAZULT_UNLIKELY {
        given.failure = api::thrown_by(refuse_slots);
        return;
    }
    api::call_another_seeker();
    try {
        given.value = given.call(given.closure, slots.first());
    } catch (const core::exit_unwind&) {
        given.failure = api::thrown_by(refuse_unwound);
        throw;
    } catch (const abi::__forced_unwind&) {  // pthread_exit()
        given.failure = api::thrown_by(refuse_unwound);
        throw;
    } catch (...) {
        given.failure = std::current_exception();
    }
}

// Makes the caller's scheduler list the slots, and has an idle stream watch them. Only calls in
// listed slots can be given to other streams.
void arm(api::latent_slots& slots) noexcept {
    if (slots.arm()) {
        api::have_slots_watched();
    }
}

}  // namespace

bool may_have_slots() {
    api::creation_context::find();
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
    api::latent_slots* const slots = api::take_slots(run_given);
    if (slots == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    latent_slot* const first =
        slots->open(last == nullptr ? nullptr : &api::latent_slots::of(last));
    arm(*slots);
    return first;
}

void refuse_slots() { api::refuse(base::status::out_of_memory, "fork"); }

void refuse_unwound() { api::refuse_unwound(); }

void close_slots(latent_slot* first) noexcept {
    api::latent_slots& slots = api::latent_slots::of(first);
    slots.close();
    api::give_slots_back(slots);
}

fork_choice choose_fork(latent_slot* mine) noexcept {
    api::latent_slots& slots = api::latent_slots::of(mine);
    arm(slots);
    return slots.choose(mine);
}

bool take_back(latent_slot* mine, words& value) {
    api::latent_slots& slots = api::latent_slots::of(mine);
    given_call* const given = slots.take_back(mine);
    if (given == nullptr) {
        return true;
    }
    std::exception_ptr failure = api::await_call(given, value);
    slots.has_awaited(mine);
    rethrow_if_any(std::move(failure));
    return false;
}

void abandon(latent_slot* mine) noexcept {
    api::latent_slots& slots = api::latent_slots::of(mine);
    if (given_call* const given = slots.take_back(mine); given != nullptr) {
        abandon(given);
        slots.has_awaited(mine);
    }
}

given_call* give(latent_slot* mine, latent_slot::function call, words closure) noexcept {
    return api::latent_slots::of(mine).give_first_part(call, closure);
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
