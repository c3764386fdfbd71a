// SPDX-License-Identifier: BSD-3-Clause
// The collective calls of a world besides beginning and ending: for handlers, and for queues.
#include "world/world.hpp"

#include "channels/auto_channel.hpp"
#include "memory/far_memory.hpp"
#include "memory/node_memory.hpp"
#include "support/failure.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>

// Has idle streams poll for the queue. One-sided calls may need a call of MPI at their target, and
// idle streams make such calls.
void concert_queue::look_after() {
    lazult::sched::ensure_runtime();
    lazult::sched::expect_events(+1);
    is_looked_after = true;
}

concert_queue::~concert_queue() {
    if (is_looked_after) {
        lazult::sched::expect_events(-1);
    }
}

namespace lazult::concert {
namespace {

int refuse_in_handler(std::string_view call) {
    return fail(CONCERT_ERR_CONTEXT, call, "it is called in a handler",
                "call it outside of handlers");
}

// A text that ranks compare, padded or cut to a fixed length.
using text = std::array<char, 256>;

// Makes the channel of one tier. make_memory(shape) makes a window of that shape, and the memory
// over it. All ranks make the same windows in the same order.
template <class MakeMemory>
std::unique_ptr<channel> make_channel(const concert_options& options, unsigned peers, unsigned self,
                                      unsigned sources, std::function<void()> meanwhile,
                                      MakeMemory make_memory) {
    using memory = std::invoke_result_t<MakeMemory, segment_shape>;
    const auto made = [&](segment_shape shape) {
        memory result = make_memory(shape);
        result.initialise();
        return result;
    };
    const segment_shape push = segment_shape::for_push(peers, ring_of(options));
    const segment_shape pull = segment_shape::for_pull(peers, options.pool_bytes);
    const std::size_t longest =
        std::max(framed(options.max_message_bytes), options.aggregate_bytes);
    switch (options.scheme) {
        case CONCERT_PULL:
            return std::make_unique<pull_channel<memory>>(made(pull), pull, self, longest,
                                                          options.backlog_bytes);
        case CONCERT_PUSH:
            return std::make_unique<push_channel<memory>>(made(push), push, std::move(meanwhile));
        default: {
            memory pushed = made(push);
            return std::make_unique<auto_channel<memory>>(std::move(pushed), push, made(pull), pull,
                                                          self, longest, options.backlog_bytes,
                                                          sources, std::move(meanwhile));
        }
    }
}

std::string describe(const concert_options& o) {
    return "scheme " + std::to_string(o.scheme) + ", tiers " + std::to_string(o.tiers) +
           ", aggregate_bytes " + std::to_string(o.aggregate_bytes) + ", delay_ns " +
           std::to_string(o.delay_ns) + ", max_message_bytes " +
           std::to_string(o.max_message_bytes) + ", pool_bytes " + std::to_string(o.pool_bytes) +
           ", slots " + std::to_string(o.slots) + ", extract_when_idle " +
           std::to_string(o.extract_when_idle) + ", backlog_bytes " +
           std::to_string(o.backlog_bytes);
}

}  // namespace

// Returns CONCERT_OK on all ranks if each rank gives the words that rank 0 gives.
int world::compare_names(const std::string& what, const std::string& mine) {
    text words{};
    mine.copy(words.data(), words.size() - 1);
    text first = words;
    MPI_Request request = MPI_REQUEST_NULL;
    core::on_large_stack([&] {
        PMPI_Ibcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, all_, &request);
    });
    await(request, nullptr);
    const bool same = std::strcmp(first.data(), words.data()) == 0;
    if (all_agree(same)) {
        return CONCERT_OK;
    }
    const std::string cause =
        same ? "another rank does not give what rank 0 gives: \"" + mine + "\""
             : "this rank gives \"" + mine + "\", rank 0 \"" + first.data() + "\"";
    return fail(CONCERT_ERR_MISMATCH, what, cause,
                "make the same collective calls in the same order on all ranks");
}

int world::add_handler(handler_entry entry, int* id) {
    if (in_handler()) {
        return refuse_in_handler("concert_register");
    }
    const collective_turn turn(*this);
    if (!turn) {
        return refuse_second_caller("concert_register");
    }
    const std::string name = entry.name;
    // The entry is in the table before any rank knows its number.
    const int at = handlers_.add(std::move(entry));
    *id = at;  // now, because a stream may soon run a message that wants it
    const int result = compare_names("concert_register", name);
    if (!all_agree(at >= 0)) {
        return fail(CONCERT_ERR_HANDLER, "concert_register",
                    "there are " + std::to_string(handler_table::most) + " handlers already",
                    "register fewer, and tell messages apart by what is in them");
    }
    if (result != CONCERT_OK) {
        handlers_.take_back();
        *id = -1;
        return result;
    }
    return CONCERT_OK;
}

void world::add_node_channel(concert_queue& queue, const concert_options& options, channels& into) {
    const auto make_memory = [&](segment_shape shape) {
        queue.windows.push_back(window::shared(node_, shape.bytes()));
        return node_memory<>(shape, node_rank_, queue.windows.back().segments(node_size_));
    };
    into.push_back(make_channel(
        options, node_size_, node_rank_, size_, [this] { drain_and_progress(); }, make_memory));
}

void world::add_far_channel(concert_queue& queue, const concert_options& options, channels& into) {
    const auto make_memory = [&](segment_shape shape) {
        queue.windows.push_back(window::far(all_, shape.bytes()));
        return far_memory(shape, rank_, queue.windows.back().handle(),
                          queue.windows.back().segment());
    };
    into.push_back(
        make_channel(options, size_, rank_, size_, [this] { drain_and_progress(); }, make_memory));
}

std::vector<message_queue::route> world::routes_over(const channels& by) const {
    std::vector<message_queue::route> routes;
    for (unsigned rank = 0; rank < size_; ++rank) {
        const bool near = node_rank_of_[rank] >= 0 && !by.front()->is_far();
        routes.push_back(near ? message_queue::route{by.front().get(),
                                                     static_cast<unsigned>(node_rank_of_[rank])}
                              : message_queue::route{by.back().get(), rank});
    }
    return routes;
}

std::unique_ptr<concert_queue> world::make_queue(const concert_options& options) {
    auto queue = std::make_unique<concert_queue>();
    channels by;
    if (options.tiers == CONCERT_TIERS_AUTO) {
        add_node_channel(*queue, options, by);
    }
    if (options.tiers == CONCERT_TIERS_FAR || !is_one_node_) {
        add_far_channel(*queue, options, by);
        has_far_peers_.store(true, std::memory_order_relaxed);  // pairs with: progress(): a hint
    }
    const std::vector<message_queue::route> routes = routes_over(by);
    queue->messages = std::make_unique<message_queue>(
        options, static_cast<std::uint16_t>(rank_), handlers_, epoch_, std::move(by), routes,
        [this](std::int64_t waited_ns) { take_in(waited_ns); });
    if (queue->messages->has_far_peers() || options.extract_when_idle != 0) {
        queue->look_after();
    }
    return queue;
}

int world::create_queue(const concert_options& options, concert_queue** result) {
    if (in_handler()) {
        return refuse_in_handler("concert_queue_create");
    }
    const collective_turn turn(*this);
    if (!turn) {
        return refuse_second_caller("concert_queue_create");
    }
    const int checked = check_options(options);
    if (!all_agree(checked == CONCERT_OK)) {
        return checked != CONCERT_OK
                   ? checked
                   : fail(CONCERT_ERR_MISMATCH, "concert_queue_create",
                          "its options were refused on another rank", "give all ranks the same");
    }
    if (const int same = compare_names("concert_queue_create", describe(options));
        same != CONCERT_OK) {
        return same;
    }
    std::unique_ptr<concert_queue> made = make_queue(options);
    // No rank sends before all segments are ready.
    all_agree(true);
    if (default_queue_ == nullptr) {
        default_queue_ = std::move(made);
        *result = default_queue_.get();
        return CONCERT_OK;
    }
    if (!enter(made.get())) {
        return fail(CONCERT_ERR_ARGUMENT, "concert_queue_create",
                    "there are " + std::to_string(most_queues) + " queues already",
                    "free one before");
    }
    *result = made.release();
    return CONCERT_OK;
}

bool world::enter(concert_queue* queue) noexcept {
    for (queue_word& each : others_) {
        if (each.load(std::memory_order_relaxed) == nullptr) {
            each.store(queue, std::memory_order_release);  // pairs with: for_each_queue()
            other_count_.fetch_add(1, std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

bool world::leave(concert_queue* queue) noexcept {
    for (queue_word& each : others_) {
        if (each.load(std::memory_order_relaxed) == queue) {
            // relaxed: the wait below orders it
            each.store(nullptr, std::memory_order_relaxed);
            // A visitor may run a handler that waits for ranks that wait for this rank's ring.
            visitors_.await_earlier([this] {
                drain_and_progress();
                os::yield_thread();
            });
            other_count_.fetch_sub(1, std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

int world::free_queue(concert_queue* queue) {
    if (in_handler()) {
        return refuse_in_handler("concert_queue_free");
    }
    if (is_stopped()) {
        return refuse_when_stopped("concert_queue_free");
    }
    if (queue == default_queue_.get()) {
        return fail(CONCERT_ERR_ARGUMENT, "concert_queue_free", "it is the default queue",
                    "leave it to concert_finalize()");
    }
    const collective_turn turn(*this);
    if (!turn) {
        return refuse_second_caller("concert_queue_free");
    }
    const escape thrown = settle();
    delivered_before_ = never_delivered;  // the queue's messages are not counted any more
    if (!leave(queue)) {
        return fail(CONCERT_ERR_ARGUMENT, "concert_queue_free", "there is no such queue",
                    "give one of concert_queue_create(), once");
    }
    // Freeing the windows waits for all ranks, and empties no ring meanwhile. A rank may come late,
    // because its visitors wait for this rank; so all ranks meet here before.
    all_agree(true);
    delete queue;
    // Last, because the other ranks wait for this one in the calls above.
    rethrow_if_any(thrown);
    return CONCERT_OK;
}

}  // namespace lazult::concert
