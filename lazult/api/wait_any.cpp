// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/wait_any.hpp>

#include <vector>

#include "lazult/api/event_access.hpp"
#include "lazult/api/unit.hpp"

namespace lazult::detail {
namespace {

sync::choice translate(const raw_choice& c) {
    using kind = raw_choice::kind;
    if (c.object == nullptr) {
        api::refuse(base::status::invalid_handle, "wait_any");
    }
    switch (c.what) {
        case kind::set: return sync::choice::set(event_access::of(*static_cast<event*>(c.object)));
        case kind::acquired:
            return sync::choice::acquired(
                semaphore_access::of(*static_cast<semaphore_base*>(c.object)));
        case kind::sent:
            return sync::choice::sent(channel_access::of(*static_cast<channel_base*>(c.object)),
                                      c.buffer);
        case kind::received:
            return sync::choice::received(channel_access::of(*static_cast<channel_base*>(c.object)),
                                          c.buffer);
        case kind::finished: break;
    }
    return sync::choice::finished(static_cast<core::work_unit*>(c.object));
}

}  // namespace

raw_result wait_any_raw(std::span<const raw_choice> choices, std::int64_t deadline,
                        const std::stop_token* stop) {
    if (choices.empty()) {
        api::refuse(base::status::invalid_argument, "wait_any", "there is nothing to wait for",
                    "give it something");
    }
    std::vector<sync::choice> translated;
    translated.reserve(choices.size());
    for (const raw_choice& c : choices) {
        translated.push_back(translate(c));
    }
    sync::any_result first{};
    api::wait_cancelable(deadline, stop, [&](const sync::wait_limit& limit) {
        first = sync::wait_any(translated, limit);
        return first.outcome;
    });
    switch (first.outcome) {
        case base::status::ok: return {first.index, false};
        case base::status::closed: return {first.index, true};
        case base::status::canceled: api::unwind_if_canceled(); return {nobody, false};
        case base::status::timed_out: return {nobody, false};
        default: api::refuse(first.outcome, "wait_any");
    }
}

}  // namespace lazult::detail
