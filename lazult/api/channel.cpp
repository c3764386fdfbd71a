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
        case base::status::busy:
        case base::status::timed_out: return transfer::not_yet;
        default: api::refuse(s, object);
    }
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

transfer channel_base::send(void* from, std::int64_t deadline) {
    return outcome_of(channel_access::of(*this).send(from, deadline));
}
transfer channel_base::try_send(void* from) noexcept {
    return outcome_of(channel_access::of(*this).try_send(from));
}
transfer channel_base::receive(void* into, std::int64_t deadline) {
    return outcome_of(channel_access::of(*this).receive(into, deadline));
}
transfer channel_base::try_receive(void* into) noexcept {
    return outcome_of(channel_access::of(*this).try_receive(into));
}
bool channel_base::close() noexcept { return channel_access::of(*this).close(); }
bool channel_base::is_closed() const noexcept { return channel_access::of(*this).is_closed(); }
std::size_t channel_base::size() const noexcept { return channel_access::of(*this).size(); }
std::size_t channel_base::capacity() const noexcept { return channel_access::of(*this).capacity(); }

}  // namespace lazult::detail
