// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/channel.hpp>

#include "lazult/api/event_access.hpp"

namespace lazult::detail {
namespace {

constexpr std::string_view object = "channel";

transfer outcome_of(base::status s) {
    switch (s) {
        case base::status::ok: return transfer::done;
        case base::status::closed: return transfer::closed;
        case base::status::canceled: api::unwind_if_canceled(); return transfer::not_yet;
        case base::status::busy:
        case base::status::timed_out: return transfer::not_yet;
        default: api::refuse(s, object);
    }
}

using transfer_function = base::status (sync::channel_base::*)(void*, const sync::wait_limit&);
constexpr transfer_function inner_send = &sync::channel_base::wait_to_send;
constexpr transfer_function inner_receive = &sync::channel_base::wait_to_receive;

// Not inlined, so that callers that need not wait need no stack frame.
LAZULT_NOINLINE transfer transfer_long(sync::channel_base& c, transfer_function how, void* element,
                                       std::int64_t deadline, const std::stop_token* stop) {
    return outcome_of(api::wait_cancelable(
        deadline, stop, [&](const sync::wait_limit& limit) { return (c.*how)(element, limit); }));
}

}  // namespace

channel_base::channel_base(std::size_t capacity, const channel_element& type) {
    if (capacity == 0) {
        api::refuse(base::status::invalid_argument, object, "it has room for nothing",
                    "give a capacity of 1 or more");
    }
    static_assert(sizeof(sync::channel_base) <= sizeof(state_));
    new (state_) sync::channel_base(capacity, {type.size, type.alignment, type.move, type.destroy});
}

channel_base::~channel_base() { std::destroy_at(&channel_access::of(*this)); }

transfer channel_base::send(void* from, std::int64_t deadline, const std::stop_token* stop) {
    sync::channel_base& inner = channel_access::of(*this);
    const base::status at_once = inner.try_send(from);
    return at_once != base::status::busy ? outcome_of(at_once)
                                         : transfer_long(inner, inner_send, from, deadline, stop);
}
transfer channel_base::try_send(void* from) noexcept {
    return outcome_of(channel_access::of(*this).try_send(from));
}
transfer channel_base::receive(void* into, std::int64_t deadline, const std::stop_token* stop) {
    sync::channel_base& inner = channel_access::of(*this);
    const base::status at_once = inner.try_receive(into);
    return at_once != base::status::busy
               ? outcome_of(at_once)
               : transfer_long(inner, inner_receive, into, deadline, stop);
}
transfer channel_base::try_receive(void* into) noexcept {
    return outcome_of(channel_access::of(*this).try_receive(into));
}
bool channel_base::close() noexcept { return channel_access::of(*this).close(); }
bool channel_base::is_closed() const noexcept { return channel_access::of(*this).is_closed(); }
std::size_t channel_base::size() const noexcept { return channel_access::of(*this).size(); }
std::size_t channel_base::capacity() const noexcept { return channel_access::of(*this).capacity(); }

}  // namespace lazult::detail
