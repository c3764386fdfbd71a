// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/process.hpp"

#include "lazult/base/base.hpp"
#include "lazult/core/core.hpp"

#include <lazult/error.hpp>
#include <lazult_concert/cache.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace lazult::concert {

constinit bool newest_context_first = false;

namespace {

constexpr std::size_t longest_message = std::size_t{64} << 10;

[[noreturn]] LAZULT_COLD void refuse_rank(std::uint32_t to, std::uint32_t size) {
    throw error(errc::invalid_argument, "place", "there is no rank " + std::to_string(to),
                "give one from 0 to " + std::to_string(size - 1));
}

void move_last_to_front(detail::strand_data& in) noexcept {
    if (in.first == nullptr || in.first->next == nullptr) {
        return;
    }
    detail::context* before = in.first;
    while (before->next->next != nullptr) {
        before = before->next;
    }
    detail::context* const last = std::exchange(before->next, nullptr);
    in.last = &before->next;
    last->next = in.first;
    in.first = last;
}

method_counters counted_by(const detail::counters& c) noexcept {
    return {c.contexts,   c.heap_calls, c.fallbacks,    c.taken,      c.restarts,    c.foreign,
            c.sent_calls, c.served,     c.served_later, c.cache_hits, c.cache_misses};
}

}  // namespace

process::process(network& in, std::uint32_t own, strand& mine, std::unique_ptr<mailbox> mail)
    : net_(in), mail_(std::move(mail)), settled_(mine.count), began_(counted_by(mine.count)) {
    number = own;
    only = &mine;
    ranks = this;
    calls_in_contexts = !in.version().calls_on_stack;
}

void process::settle() noexcept {
    const detail::counters& now = only->count;
    clock_ += price_of(net_.costs(), net_.version(), settled_, now);
    settled_ = now;
}

void process::take_turn() {
    settle();
    net_.order().set_ready(number, clock_);
    net_.order().give_way(number);
    net_.set_now(clock_);
}

void process::wait_until(picoseconds at) {
    net_.order().set_waiting(number, clock_, at);
    clock_ = std::max(clock_, net_.order().give_way(number));
    net_.set_now(clock_);
}

// --- sending

// A packet takes half of a ring at most.
std::size_t process::longest() const noexcept {
    const ring_shape ring{net_.costs().ring_slots, net_.costs().slot_bytes};
    const std::size_t in_ring = ring.most_payload() - framed(sizeof(stamp));
    return net_.version().pulls ? longest_message : std::min(longest_message, in_ring);
}

void process::send(std::uint32_t to, const std::byte* data, std::size_t bytes) {
    if (bytes > longest()) {
        throw error(errc::invalid_argument, "concert::call",
                    "a message of " + std::to_string(bytes) + " bytes is longer than " +
                        std::to_string(longest()),
                    "pass less, or give the machine's ring more slots");
    }
    letter what;
    what.bytes.assign(data, data + bytes);
    what.when.priced_bytes = bytes;
    dispatch(to, std::move(what));
}

double process::send_bytes(std::uint32_t to, std::size_t bytes) {
    letter what;
    what.is_call = false;
    what.when.priced_bytes = bytes;
    return ns_of(dispatch(to, std::move(what)));
}

picoseconds process::dispatch(std::uint32_t to, letter what) {
    if (to >= net_.size()) LAZULT_UNLIKELY {
        refuse_rank(to, net_.size());
    }
    take_turn();
    what.source = number;
    const std::size_t bytes = what.when.priced_bytes;
    const bool pulls = net_.version().pulls;
    const message_price price = price_of(pulls ? net_.costs().pull : net_.costs().push, bytes);
    const picoseconds began = clock_;
    waits_for_ = to;
    std::byte* const at = mail_->put(to, what, [this] { wait_for_place(); });
    waits_for_ = -1;
    const picoseconds transfer =
        pulls ? 0
              : std::min(price.source, ps_of(net_.costs().byte_ns * static_cast<double>(bytes)));
    clock_ = net_.occupy(to, clock_ + price.source - transfer, transfer);
    what.when.arrival = clock_ + price.wire;
    std::memcpy(at, &what.when, sizeof what.when);
    net_.order().hasten(to, what.when.arrival);
    const picoseconds waited = clock_ - began - price.source;
    blocked_ += waited;
    done_.blocked += waited > 0 ? 1 : 0;
    ++done_.sent;
    done_.bytes += bytes;
    return clock_ - began;
}

// A sender has no place. Meanwhile it takes what has come, so that full rings do not wait for each
// other. That runs later, because a method may be under way here.
void process::wait_for_place() {
    if (mail_->next_arrival() <= clock_) {
        put_aside_.push_back(take_letter());
    } else {
        wait_until(mail_->next_arrival());
    }
}

// --- receiving

letter process::take_letter() {
    letter taken = mail_->take();
    const auto& table = net_.version().pulls ? net_.costs().pull : net_.costs().push;
    clock_ += price_of(table, taken.when.priced_bytes).destination;
    return taken;
}

void process::deliver(const letter& what) {
    if (what.is_call) {
        take_message(what.source, what.bytes.data(), what.bytes.size());
    }
}

bool process::take_one() {
    if (!put_aside_.empty()) {
        const letter oldest = std::move(put_aside_.front());
        put_aside_.pop_front();
        deliver(oldest);
        return true;
    }
    if (mail_->next_arrival() <= clock_) {
        deliver(take_letter());
        return true;
    }
    return false;
}

void process::plant_order() noexcept {
    if (newest_context_first) {
        move_last_to_front(*only);
    }
}

void process::take_all() noexcept {
    do {
        take_turn();
    } while (take_one());
    plant_order();
}

bool process::step() {
    take_turn();
    if (take_one()) {
        return true;
    }
    if (!owes_visit) {
        return false;
    }
    owes_visit = false;
    plant_order();
    only->visit();
    return true;
}

std::int64_t process::now_ns() noexcept {
    settle();
    return static_cast<std::int64_t>(ns_of(clock_));
}

void process::await(sync::event_cell& until) noexcept {
    while (!until.is_set()) {
        if (!step()) {
            const picoseconds before = clock_;
            wait_until(mail_->next_arrival());
            idle_ += clock_ - before;
        }
    }
    settle();
}

void process::drain() {
    while (step()) {
    }
}

void process::wait_for_all(bool is_last) {
    is_last_wait_ = is_last;
    for (;;) {
        if (step()) {
            continue;
        }
        waits_for_all_ = true;
        const picoseconds before = clock_;
        wait_until(mail_->next_arrival());
        if (!waits_for_all_) {
            done_.clock_ns = ns_of(before);
            return;
        }
        waits_for_all_ = false;
        idle_ += clock_ - before;
    }
}

// --- computing

void process::spend(double ns) noexcept {
    settle();
    clock_ += ps_of(ns);
    spent_ += ps_of(ns);
}

void process::spend_calls(unsigned count) noexcept {
    if (net_.version().calls_on_stack) {
        clock_ += ps_of(count * net_.costs().stack_call_ns);
    }
}

// --- the rank's ULT

std::exception_ptr process::live(const std::function<void(simulated_rank&)>& program) {
    std::exception_ptr failure;
    stand_for(this);
    forget_cached();
    try {
        program(*this);
    } catch (...) {
        failure = std::current_exception();
    }
    wait_for_all(true);
    stand_for(nullptr);
    return failure;
}

rank_report process::report() const {
    rank_report r = done_;
    r.spent_ns = ns_of(spent_);
    r.idle_ns = ns_of(idle_);
    r.blocked_ns = ns_of(blocked_);
    const method_counters now = counted_by(only->count);
    for (const auto field : method_fields) {
        r.methods.*field = now.*field - began_.*field;
    }
    return r;
}

}  // namespace lazult::concert
