// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/channel.hpp"

#include <algorithm>
#include <cstring>

namespace lazult::sync {
namespace {

std::size_t rounded_up(std::size_t size, std::size_t alignment) noexcept {
    return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

channel_base::channel_base(std::size_t capacity, const element_type& elements)
    : capacity_(capacity),
      stride_(rounded_up(std::max<std::size_t>(elements.size, 1),
                         elements.move == nullptr ? 1 : elements.alignment)),
      elements_(elements) {
    if (capacity == 0) {
        base::fatal_misuse("channel", "it has room for no element",
                           "give it a capacity of one at least");
    }
    ring_ = static_cast<std::byte*>(
        ::operator new(capacity * stride_, std::align_val_t{elements.alignment}));
}

channel_base::~channel_base() {
    if (elements_.destroy != nullptr) {
        for (std::size_t i = size(); i-- > 0;) {
            elements_.destroy(slot(i));
        }
    }
    ::operator delete(ring_, std::align_val_t{elements_.alignment});
}

// Elements of 8 bytes are the usual case, and a call of memcpy() would cost more than their copy.
LAZULT_ALWAYS_INLINE void channel_base::move(void* to, void* from) const noexcept {
    if (elements_.move != nullptr) {
        elements_.move(to, from);
    } else if (elements_.size == sizeof(std::uint64_t)) {
        std::memcpy(to, from, sizeof(std::uint64_t));
    } else {
        std::memcpy(to, from, elements_.size);
    }
}

LAZULT_ALWAYS_INLINE void channel_base::move_out(void* to, void* slot) const noexcept {
    move(to, slot);
    if (elements_.destroy != nullptr) {
        elements_.destroy(slot);
    }
}

// Gives the element to the first waiting receiver, or puts it into the ring. Returns busy if the
// ring is full. Called under the spin bit.
base::status channel_base::send_held(word& w, void* from, record*& to_wake) noexcept {
    if ((w & closed_bit) != 0) {
        return base::status::closed;
    }
    const std::size_t filled = w / one_element;
    if (filled == capacity_) {
        return base::status::busy;
    }
    if (record* receiver = queue_.take(); receiver != nullptr) {
        receiver->next = nullptr;
        move(receiver->buffer, from);
        receiver->granted = true;
        to_wake = receiver;
    } else {
        move(slot(filled), from);
        w += one_element;
    }
    return base::status::ok;
}

// Takes the first element out of the ring, and puts the element of the first waiting sender into
// the free place. If the ring is empty, returns busy, or closed if the channel is closed.
base::status channel_base::receive_held(word& w, void* into, record*& to_wake) noexcept {
    const std::size_t filled = w / one_element;
    if (filled == 0) {
        return (w & closed_bit) != 0 ? base::status::closed : base::status::busy;
    }
    move_out(into, slot(0));
    drop_first();
    if (record* sender = filled == capacity_ ? queue_.take() : nullptr; sender != nullptr) {
        sender->next = nullptr;
        move(slot(capacity_ - 1), sender->buffer);
        sender->granted = true;
        to_wake = sender;
    } else {
        w -= one_element;
    }
    return base::status::ok;
}

// Does one transfer under the spin bit, clears the bit, and wakes the waiter that it served. The
// waiter shares data with the caller, so it runs on the caller's stream if its pool allows that.
LAZULT_NOINLINE base::status channel_base::finish_held(transfer how, word w,
                                                       void* buffer) noexcept {
    record* to_wake = nullptr;
    const base::status outcome = (this->*how)(w, buffer, to_wake);
    queue_.let_go(w);
    wake_all(to_wake, urgency::beside);
    return outcome;
}

base::status channel_base::try_send(void* from) noexcept {
    const word w = queue_.hold();
    if (!can_store(w)) LAZULT_UNLIKELY {
        return finish_held(&channel_base::send_held, w, from);
    }
    move(slot(w / one_element), from);
    queue_.let_go_unwaited(w + one_element);
    return base::status::ok;
}

base::status channel_base::try_receive(void* into) noexcept {
    const word w = queue_.hold();
    if (!can_load(w)) LAZULT_UNLIKELY {
        return finish_held(&channel_base::receive_held, w, into);
    }
    move_out(into, slot(0));
    drop_first();
    queue_.let_go_unwaited(w - one_element);
    return base::status::ok;
}

base::status channel_base::wait_for(transfer how, void* buffer, const wait_limit& limit) {
    const caller self = this_caller<>();
    record me(self.unit, wait_kind::channel, this);
    me.buffer = buffer;
    // The outcome is in the record if a waker ends the wait, and in `outcome` if the attempt does.
    // The attempt has a pointer to `outcome`, because it may run on another stack while this one
    // sleeps.
    base::status outcome = base::status::busy;
    base::status* result = &outcome;
    const base::status waited = queue_.wait(
        me, self.may_wait, limit,
        [this, how, buffer, result](word& w, record*& to_wake) noexcept {
            *result = (this->*how)(w, buffer, to_wake);
            return *result != base::status::busy;
        },
        urgency::beside);
    if (waited != base::status::ok) {
        return waited;
    }
    if (outcome != base::status::busy) {
        return outcome;
    }
    return me.granted ? base::status::ok : base::status::closed;
}

base::status channel_base::wait_to_send(void* from, const wait_limit& limit) {
    return wait_for(&channel_base::send_held, from, limit);
}
base::status channel_base::wait_to_receive(void* into, const wait_limit& limit) {
    return wait_for(&channel_base::receive_held, into, limit);
}

base::status channel_base::send(void* from, const wait_limit& limit) {
    const base::status at_once = try_send(from);
    return at_once == base::status::busy ? wait_to_send(from, limit) : at_once;
}
base::status channel_base::receive(void* into, const wait_limit& limit) {
    const base::status at_once = try_receive(into);
    return at_once == base::status::busy ? wait_to_receive(into, limit) : at_once;
}

bool channel_base::close() noexcept {
    const word w = queue_.hold();
    record* waiting = queue_.take_chain();
    queue_.let_go(w | closed_bit);
    wake_all(waiting);
    return (w & closed_bit) == 0;
}

}  // namespace lazult::sync
