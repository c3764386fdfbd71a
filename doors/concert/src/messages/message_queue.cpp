// SPDX-License-Identifier: BSD-3-Clause
#include "messages/message_queue.hpp"

#include "messages/escape.hpp"
#include "support/patience.hpp"

#include "lazult/sched/sched.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lazult::concert {
namespace {

constinit thread_local int handler_depth = 0;

// Not inlined, because a ULT may go on on another OS thread. A handler does not suspend.
LAZULT_NOINLINE int& depth() noexcept { return handler_depth; }

// Forbids a handler to suspend, as if it were a tasklet. A handler that waited would hold up all
// other handlers of its queue, and might go on on another OS thread.
struct handler_scope {
    handler_scope() noexcept { ++depth(); }
    ~handler_scope() { --depth(); }
    core::no_suspension held{core::current_unit()};
};

[[noreturn]] LAZULT_COLD void refuse_late_message(const handler_entry& gone) noexcept {
    base::fatal_misuse("handler \"" + gone.name + "\"",
                       "a message came for it after it was destroyed",
                       "call quiesce() before a handler goes");
}

[[noreturn]] LAZULT_COLD void refuse_unknown_message() noexcept {
    base::fatal_misuse("message", "it names no handler: memory of its sender was overwritten",
                       "look for stray writes, with AddressSanitizer say");
}

}  // namespace

bool in_handler() noexcept { return depth() != 0; }

message_queue::message_queue(const concert_options& options, std::uint16_t self,
                             const handler_table& handlers, const epoch_word& epoch,
                             std::vector<std::unique_ptr<channel>> channels,
                             const std::vector<route>& routes,
                             std::function<void(std::int64_t)> take_in)
    : options_(options),
      self_(self),
      small_(static_cast<std::uint32_t>(options.aggregate_bytes / 4)),
      handlers_(handlers),
      epoch_(epoch),
      channels_(std::move(channels)),
      outboxes_(routes.size()),
      take_in_(std::move(take_in)) {
    for (std::size_t rank = 0; rank < routes.size(); ++rank) {
        outboxes_[rank].via = routes[rank].via;
        outboxes_[rank].peer = routes[rank].peer;
        outboxes_[rank].locks_itself = routes[rank].via->locks_itself();
    }
}

message_queue::~message_queue() { set_oldest_open(0); }

void message_queue::start_packet(outbox& to, std::uint32_t need) {
    if (to.packet.payload != nullptr) {
        commit(to);
    }
    if (to.via->is_crowded()) LAZULT_UNLIKELY {
        to.lock.unlock();
        wait_while_crowded(*to.via);
        to.lock.lock();
        if (to.packet.capacity - to.packet.used >= need) {
            return;  // another thread has opened a packet
        }
        if (to.packet.payload != nullptr) {
            commit(to);
        }
    }
    to.via->open(to.peer, to.packet,
                 static_cast<std::uint32_t>(options_.aggregate_bytes - packet_prefix));
    note_open_time(to);
}

// Waits until no more bytes wait in ordinary memory than may. A handler does not wait, because it
// may not suspend, and because handlers of two ranks would wait for each other.
LAZULT_COLD void message_queue::wait_while_crowded(channel& via) noexcept {
    if (in_handler()) {
        return;
    }
    constexpr std::int64_t warning_ns = 10'000'000'000;
    bool has_warned = false;
    for (patience wait(own_wait::room); via.is_crowded();) {
        wait.pause();
        const std::int64_t waited = wait.waited_ns();
        take_in_(waited);
        if (waited > warning_ns && !std::exchange(has_warned, true)) {
            base::warn(
                "a sender of messages has waited for ten seconds for other ranks to extract: have "
                "them call concert_extract(), or raise backlog_bytes (LAZULT_CONCERT_BACKLOG)");
        }
    }
}

void message_queue::note_open_time(outbox& to) {
    to.opened_ns = os::now_ns();
    if (oldest_open_.load(std::memory_order_relaxed) == 0) {
        set_oldest_open(to.opened_ns);
    }
}

// While a packet is open, idle streams check whether it is late. The thread that changes the time
// to or from 0 reports this to the streams, so that each such change is counted once.
void message_queue::set_oldest_open(std::int64_t ns) noexcept {
    // pairs with: itself
    const std::int64_t before = oldest_open_.exchange(ns, std::memory_order_relaxed);
    if ((before == 0) != (ns == 0)) {
        sched::expect_events(ns == 0 ? -1 : +1);
    }
}

// Sends the packet off. Its messages were counted as sent, so it must go, or no rank would find
// quiescence.
void message_queue::commit(outbox& to) noexcept {
    must_succeed(
        [&] { to.via->commit(to.peer, to.packet, self_, epoch_.load(std::memory_order_relaxed)); });
}

void message_queue::commit_if_late(outbox& to) {
    if (os::now_ns() - to.opened_ns >= options_.delay_ns) {
        commit(to);
    }
}

void message_queue::flush() {
    if (oldest_open_.load(std::memory_order_relaxed) == 0) {
        return;
    }
    // This comes before the loop, as in flush_late().
    set_oldest_open(0);
    for (outbox& to : outboxes_) {
        const std::lock_guard hold(to.lock);
        if (to.packet.payload != nullptr) {
            commit(to);
        }
    }
}

void message_queue::flush_late() {
    const std::int64_t oldest = oldest_open_.load(std::memory_order_relaxed);
    if (oldest == 0) {
        return;
    }
    const std::int64_t late = os::now_ns() - options_.delay_ns;
    if (oldest > late) {
        return;
    }
    // This comes before the loop: if the loop does not see a packet, the thread that opens it takes
    // the outbox's lock later. So that thread finds the 0, and stores its own time, unless another
    // thread has stored one since.
    set_oldest_open(0);
    for (outbox& to : outboxes_) {
        const std::lock_guard hold(to.lock);
        if (to.packet.payload != nullptr && to.opened_ns <= late) {
            commit(to);
        } else if (to.packet.payload != nullptr &&
                   oldest_open_.load(std::memory_order_relaxed) == 0) {
            set_oldest_open(to.opened_ns);
        }
    }
}

bool message_queue::is_early(const packet_facts& facts, std::uint32_t epoch) noexcept {
    return static_cast<std::int32_t>(facts.epoch - epoch) > 0;
}

// Makes early packets ready if their epoch has begun, and returns this rank's epoch. The caller
// holds receiving_. No rank is ahead of another by more than one epoch, so all early packets are of
// one epoch.
std::uint32_t message_queue::admit_early() noexcept {
    // pairs with: world::end_epoch()
    const std::uint32_t now = epoch_.load(std::memory_order_acquire);
    if (!early_.empty() && !is_early(early_.front().facts, now)) LAZULT_UNLIKELY {
        ready_.splice(ready_.end(), early_);
    }
    return now;
}

void message_queue::keep(std::list<kept_packet>& in, const packet_view& packet) noexcept {
    must_succeed([&] {
        packet_store::memory payload = store_.cut(packet.facts.bytes);
        std::memcpy(payload.get(), packet.payload, packet.facts.bytes);
        in.push_back({std::move(payload), packet.facts});
    });
}

void message_queue::begin(packet_view packet) {
    cursor_.packet = packet;
    cursor_.offset = 0;
    cursor_.left = packet.facts.messages;
}

bool message_queue::take_ready() {
    if (ready_.empty()) LAZULT_LIKELY {
        return false;
    }
    cursor_.kept = std::move(ready_.front().payload);
    begin({cursor_.kept.get(), ready_.front().facts});
    ready_.pop_front();
    return true;
}

// Receives a packet. Without memory for it the process ends, because a far pull channel has taken
// the packet's link by then, and could not receive the packet again.
packet_view message_queue::receive(channel& from, std::vector<std::byte>& into) noexcept {
    packet_view packet;
    must_succeed([&] { packet = from.receive(into); });
    return packet;
}

bool message_queue::take_from(channel& c, std::uint32_t epoch) {
    while (const packet_view packet = receive(c, buffer_)) {
        if (!is_early(packet.facts, epoch)) LAZULT_LIKELY {
            begin(packet);
            return true;
        }
        keep(early_, packet);
    }
    return false;
}

bool message_queue::next_packet() {
    const std::lock_guard hold(receiving_);
    cursor_.kept.reset();
    const std::uint32_t epoch = admit_early();
    if (take_ready()) {
        return true;
    }
    for (std::size_t i = 0; i < channels_.size(); ++i) {
        next_channel_ = next_channel_ + 1 < channels_.size() ? next_channel_ + 1 : 0;
        if (take_from(*channels_[next_channel_], epoch)) {
            return true;
        }
    }
    return false;
}

void message_queue::drain() noexcept {
    if (!receiving_.try_lock()) {
        return;  // the holder receives the packets itself
    }
    const std::lock_guard hold(receiving_, std::adopt_lock);
    const std::uint32_t epoch = admit_early();
    for (const std::unique_ptr<channel>& each : channels_) {
        if (!each->is_pull()) {
            keep_all_from(*each, epoch);
        }
    }
}

void message_queue::keep_all_from(channel& from, std::uint32_t epoch) noexcept {
    while (const packet_view packet = receive(from, drain_buffer_)) {
        keep(is_early(packet.facts, epoch) ? early_ : ready_, packet);
        if (from.is_pull()) {
            warn_of_kept(packet.facts.bytes);
        }
    }
}

// Copies the packet that is being delivered. The packet may lie in its sender's memory, and the
// next receive() gives it back to the sender.
void message_queue::keep_rest_of_current() noexcept {
    if (cursor_.left != 0 && cursor_.kept == nullptr) {
        must_succeed([this] {
            cursor_.kept = store_.cut(cursor_.packet.facts.bytes);
            std::memcpy(cursor_.kept.get(), cursor_.packet.payload, cursor_.packet.facts.bytes);
        });
        cursor_.packet.payload = cursor_.kept.get();
    }
}

void message_queue::drain_pulled() noexcept {
    if (!delivering_.try_lock()) {
        return;
    }
    const std::lock_guard deliver(delivering_, std::adopt_lock);
    if (!receiving_.try_lock()) {
        return;
    }
    const std::lock_guard hold(receiving_, std::adopt_lock);
    keep_rest_of_current();
    if (ready_.empty()) {
        pulled_bytes_ = 0;
    }
    const std::uint32_t epoch = admit_early();
    for (const std::unique_ptr<channel>& each : channels_) {
        if (each->is_pull()) {
            keep_all_from(*each, epoch);
        }
    }
}

// Warns once in a process, when waiting senders keep too many bytes that came by pull.
void message_queue::warn_of_kept(std::size_t more) noexcept {
    const std::size_t most = options_.backlog_bytes;
    const std::size_t before = std::exchange(pulled_bytes_, pulled_bytes_ + more);
    static constinit ds::default_atomics::atomic<bool> has_warned{false};
    if (most != 0 && before <= most && pulled_bytes_ > most &&
        !has_warned.exchange(true, std::memory_order_relaxed)) {  // relaxed: a mark
        base::warn(
            "ranks that wait to send to each other keep more messages that have come than "
            "backlog_bytes (LAZULT_CONCERT_BACKLOG): call concert_extract() between sends");
    }
}

void message_queue::shrink() {
    for (const std::unique_ptr<channel>& each : channels_) {
        each->shrink();
    }
}

void message_queue::await_handler() noexcept { const std::lock_guard hold(delivering_); }

void message_queue::retry() {
    for (const std::unique_ptr<channel>& each : channels_) {
        each->retry();
    }
}

void message_queue::deliver_one() {
    struct counted {
        message_queue& queue;
        ~counted() {
            const std::uint64_t before = queue.delivered_.load(std::memory_order_relaxed);
            // pairs with: delivered()
            queue.delivered_.store(before + 1, std::memory_order_release);
        }
    };
    const std::byte* const at = cursor_.packet.payload + cursor_.offset;
    message_header header;
    std::memcpy(&header, at, sizeof header);
    cursor_.offset += static_cast<std::uint32_t>(framed(header.bytes));
    --cursor_.left;
    const handler_entry* const handler = handlers_.find(header.handler);
    if (handler == nullptr || cursor_.offset > cursor_.packet.facts.bytes) LAZULT_UNLIKELY {
        refuse_unknown_message();
    }
    if (handlers_.is_retired(header.handler)) LAZULT_UNLIKELY {
        refuse_late_message(*handler);
    }
    const counted when_done{*this};
    try {
        handler->invoke(static_cast<int>(cursor_.packet.facts.source), at + sizeof header,
                        header.bytes);
    } catch (const core::exit_unwind&) {
        throw;
    } catch (...) {
        describe_escape(handler->name, cursor_.packet.facts.source,
                        handlers_.is_first_escape(header.handler));
        throw;
    }
}

std::size_t message_queue::deliver(std::size_t max) {
    const handler_scope scope;
    std::size_t done = 0;
    while (done < max && (cursor_.left != 0 || next_packet())) {
        deliver_one();
        ++done;
    }
    return done;
}

std::size_t message_queue::extract(std::size_t max) {
    std::size_t done = 0;
    if (max != 0 && delivering_.try_lock()) {
        const std::lock_guard hold(delivering_, std::adopt_lock);
        done = deliver(max);
    }
    if (in_handler()) {
        return done;
    }
    retry();
    // A caller that ran no message has no more to send, so it does not wait for packets to fill up.
    if (done == 0) {
        flush();
    } else {
        flush_late();
    }
    return done;
}

std::uint64_t message_queue::sent() const noexcept {
    std::uint64_t sum = 0;
    for (const outbox& to : outboxes_) {
        sum += to.sent.load(std::memory_order_relaxed);  // pairs with: add_one()
    }
    return sum;
}

concert_counters message_queue::counters() {
    concert_counters result{sent(), delivered(), 0, 0, 0, 0};
    for (const std::unique_ptr<channel>& each : channels_) {
        const channel_counters counted = each->counters();
        result.packets += counted.packets;
        result.waits += counted.waits;
        result.backlogged += counted.backlogged;
        result.window_bytes += counted.window_bytes;
    }
    return result;
}

bool message_queue::has_far_peers() const noexcept {
    return std::any_of(channels_.begin(), channels_.end(),
                       [](const std::unique_ptr<channel>& each) { return each->is_far(); });
}

}  // namespace lazult::concert
