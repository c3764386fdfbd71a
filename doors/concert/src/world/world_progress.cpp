// SPDX-License-Identifier: BSD-3-Clause
// What a world does again and again: it looks for messages, drives MPI, and finds quiescence.
#include "world/world.hpp"

#include "contexts/strand.hpp"
#include "support/failure.hpp"
#include "support/patience.hpp"

#include "lazult/core/core.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

namespace lazult::concert {

template <class Visit>
void world::for_each_queue(Visit&& visit) {
    if (default_queue_ != nullptr) LAZULT_LIKELY {
        visit(*default_queue_->messages);
    }
    if (other_count_.load(std::memory_order_relaxed) == 0) {
        return;
    }
    const visitor_count<>::visit counted(visitors_);
    for (queue_word& each : others_) {
        // pairs with: enter()
        if (concert_queue* const queue = each.load(std::memory_order_acquire); queue != nullptr) {
            visit(*queue->messages);
        }
    }
}

// Calls extract_some(most), and again while it has run as many messages as it might. An extract of
// no messages sends what was gathered all the same.
template <class Extract>
std::size_t world::extract_in_parts(std::size_t max, Extract extract_some) {
    std::size_t done = 0;
    std::size_t now = 0;
    do {
        now = extract_some(std::min(max - done, most_at_once));
        end_extract(now);
        done += now;
    } while (now == most_at_once && done < max && !is_stopped());
    return done;
}

std::size_t world::extract(std::size_t max) {
    rethrow_if_any(take_exception());
    if (is_stopped()) LAZULT_UNLIKELY {
        return 0;
    }
    return extract_in_parts(max, [this](std::size_t most) {
        std::size_t done = 0;
        for_each_queue([&](message_queue& queue) { done += queue.extract(most - done); });
        return done;
    });
}

// A caller that looks for messages in a loop may be the only one that can run what they leave in
// strands.
void world::end_extract(std::size_t done) noexcept {
    if (done == 0) {
        progress();
    }
    if (strands_in_use() == 1 && !in_handler() && !detail::is_inside()) {
        strand::make_due_visits();
    }
}

std::size_t world::extract_from(concert_queue& queue, std::size_t max) {
    rethrow_if_any(take_exception());
    return extract_in_parts(
        max, [&](std::size_t most) { return is_stopped() ? 0 : queue.messages->extract(most); });
}

namespace {

// Those who look at the world without knowing that it lives.
visitor_count<> visitors_of_world;

}  // namespace

std::size_t world::run_messages_of_current(std::size_t max) noexcept {
    const visitor_count<>::visit counted(visitors_of_world);
    world* const w = current();
    return w == nullptr ? 0 : w->run_messages(max);
}

void world::flush_current() noexcept {
    const visitor_count<>::visit counted(visitors_of_world);
    if (world* const w = current(); w != nullptr) {
        w->flush();
    }
}

std::size_t world::poll_current() noexcept {
    const visitor_count<>::visit counted(visitors_of_world);
    world* const w = current();
    return w == nullptr ? 0 : w->poll();
}

void world::await_visitors() noexcept {
    patience wait(own_wait::calls);
    visitors_of_world.await_earlier([&wait] { wait.pause(); });
}

std::size_t world::run_messages(std::size_t max) noexcept {
    if (is_stopped()) LAZULT_UNLIKELY {
        return 0;
    }
    std::size_t done = 0;
    expect_escape();
    try {
        for_each_queue([&](message_queue& queue) { done += queue.extract(max - done); });
    } catch (...) {
        keep_exception();
        return done + 1;
    }
    if (done == 0) {
        progress();
    }
    return done;
}

void world::flush() {
    for_each_queue([](message_queue& queue) { queue.flush(); });
}

void world::drain() noexcept {
    for_each_queue([](message_queue& queue) { queue.drain(); });
}

// Lets MPI serve other ranks' one-sided calls, which any call does that looks for messages.
void world::progress() noexcept {
    if (has_far_peers_.load(std::memory_order_relaxed)) {  // pairs with: make_queue(): a hint
        core::on_large_stack([&] {
            int found = 0;
            PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, all_, &found, MPI_STATUS_IGNORE);
        });
    }
}

void world::drain_and_progress() noexcept {
    drain();
    progress();
}

// Called by threads that wait for space or for other ranks: takes in messages that have come. A
// message of a pull queue stays in its sender's window until this rank takes it. A sender must wait
// while its window and backlog are full, so that it does not flood this rank. Hence such messages
// are copied into this rank's memory only after a while. If streams run the queue's handlers, these
// streams should take the messages, and copying begins only when they seem not to do so.
void world::take_in(std::int64_t waited_ns) noexcept {
    constexpr std::int64_t a_while_ns = 1'000'000;
    constexpr std::int64_t too_long_ns = 1'000'000'000;
    drain_and_progress();
    for_each_queue([&](message_queue& queue) {
        if (waited_ns > (queue.options().extract_when_idle != 0 ? too_long_ns : a_while_ns)) {
            queue.drain_pulled();
        }
        queue.retry();
    });
}

// The event callback, called by streams. A stream has no caller that could catch an exception. So
// the exception is kept, and the next call that looks for messages throws it.
std::size_t world::poll() noexcept {
    std::size_t done = 0;
    progress();
    for_each_queue([&](message_queue& queue) {
        expect_escape();
        try {
            queue.retry();
            queue.flush_late();
            if (queue.options().extract_when_idle != 0 && !is_stopped()) {
                done += queue.extract(most_at_once);
            }
        } catch (...) {
            keep_exception();
        }
    });
    return done;
}

// Keeps the current exception, unless an earlier one has not been taken yet.
void world::keep_exception() noexcept {
    const std::lock_guard hold(kept_lock_);
    if (!kept_) {
        kept_ = keep_escape();
        has_kept_.store(true, std::memory_order_relaxed);  // pairs with: take_exception()
    }
}

escape world::take_exception() noexcept {
    if (!has_kept_.load(std::memory_order_relaxed)) LAZULT_LIKELY {  // pairs with: keep_exception()
        return {};
    }
    const std::lock_guard hold(kept_lock_);
    has_kept_.store(false, std::memory_order_relaxed);  // pairs with: itself
    return std::exchange(kept_, {});
}

void world::retire(int handler, const void* context) noexcept {
    if (!handlers_.retire(handler, context) || in_handler()) {
        return;
    }
    for_each_queue([](message_queue& queue) { queue.await_handler(); });
}

bool world::extract_keeping(escape& thrown) {
    expect_escape();
    try {
        return extract(std::numeric_limits<std::size_t>::max()) != 0;
    } catch (...) {
        escape now = keep_escape();
        if (!thrown) {
            thrown = std::move(now);
        }
        return true;
    }
}

// The wait is no cancellation point, because MPI still writes to the caller's frames.
template <class IsDone>
void world::await(IsDone is_done, escape* thrown) {
    for (patience wait(own_wait::ranks); !is_done();) {
        take_in(wait.waited_ns());
        if (thrown != nullptr && extract_keeping(*thrown)) {
            wait.restart();
        } else {
            wait.pause();
        }
    }
}

// Waits until the request is done. `thrown` has the meaning that it has for the other await().
void world::await(MPI_Request& request, escape* thrown) {
    const auto is_done = [&] {
        int done = 0;
        core::on_large_stack([&] { PMPI_Test(&request, &done, MPI_STATUS_IGNORE); });
        return done != 0;
    };
    await(is_done, thrown);
}

// Reads the deliveries first: if a delivery is counted, all that its handler sent is counted, too.
world::tally world::tally_now() {
    tally mine{held_work_.released() + strands_at_work.released(), 0};
    for_each_queue([&](message_queue& queue) { mine.delivered += queue.delivered(); });
    for_each_queue([&](message_queue& queue) { mine.sent += queue.sent(); });
    mine.sent += held_work_.held() + strands_at_work.held();
    return mine;
}

world::tally world::sum(tally mine, escape& thrown) {
    if (!sums_) {
        return sum_by_mpi(mine, thrown);
    }
    sums_->begin({mine.delivered, mine.sent});
    await([this] { return sums_->has_ended(); }, &thrown);
    return {sums_->sum()[0], sums_->sum()[1]};
}

world::tally world::sum_by_mpi(tally mine, escape& thrown) {
    std::uint64_t numbers[2] = {mine.delivered, mine.sent};
    MPI_Request request = MPI_REQUEST_NULL;
    core::on_large_stack(
        [&] { PMPI_Iallreduce(MPI_IN_PLACE, numbers, 2, MPI_UINT64_T, MPI_SUM, all_, &request); });
    await(request, &thrown);
    return {numbers[0], numbers[1]};
}

void world::end_epoch() {
    const std::uint32_t now = epoch_.load(std::memory_order_relaxed);
    // pairs with: epoch(), message_queue::admit_early()
    epoch_.store(now + 1, std::memory_order_release);
}

int refuse_when_stopped(std::string_view call) {
    return fail(CONCERT_ERR_STATE, call, "an exception left a session's or a handler's block",
                "catch exceptions outside of the session");
}

int refuse_second_caller(std::string_view call) {
    return fail(CONCERT_ERR_CONTEXT, call, "another thread of this rank makes a collective call",
                "make collective calls from one thread");
}

int world::quiesce() {
    if (in_handler() || detail::is_inside()) {
        return fail(CONCERT_ERR_CONTEXT, "concert_quiesce", "it is called in a handler or a method",
                    "call it outside of handlers and methods");
    }
    if (is_stopped()) {
        return refuse_when_stopped("concert_quiesce");
    }
    const collective_turn turn(*this);
    if (!turn) {
        return refuse_second_caller("concert_quiesce");
    }
    rethrow_if_any(settle());
    return CONCERT_OK;
}

// Mattern's four counters ("Algorithms for distributed termination detection", 1987). Two waves
// count the messages of all ranks. If the first wave counts as many deliveries as the second counts
// sends, then nothing was under way between the waves, and no handler was left that could send. A
// wave is a sum over all ranks, so the second begins on no rank before each rank has given its
// numbers for the first. The last wave of an epoch is the first wave of the next epoch, too, so one
// wave is enough if nothing was sent.
escape world::settle() {
    escape thrown;
    for (patience wait(own_wait::quiescence);;
         wait.pause()) {  // for held work, which may be a ULT of this stream
        while (extract_keeping(thrown)) {
            wait.restart();
        }
        const tally total = sum(tally_now(), thrown);
        if (total.sent == delivered_before_) {
            break;
        }
        delivered_before_ = total.delivered;
    }
    end_epoch();
    for_each_queue([](message_queue& queue) { queue.shrink(); });
    escape of_streams = take_exception();
    return thrown ? thrown : of_streams;
}

}  // namespace lazult::concert
