// SPDX-License-Identifier: BSD-3-Clause
// What a queue does with packets that come early. The test provides the packets of its channel.
#include "doors/concert/src/messages/message_queue.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace lazult::concert {
namespace {

struct arrival {
    std::uint32_t epoch;
    std::uint64_t number;
};

// One message of one number in each packet.
class scripted_channel final : public channel {
public:
    explicit scripted_channel(bool is_pull) : is_pull_(is_pull) {}

    std::deque<arrival> coming;
    std::function<void()> before_receive = [] {};

    bool is_far() const noexcept override { return false; }
    bool is_pull() const noexcept override { return is_pull_; }
    void open(unsigned, open_packet&, std::uint32_t) override { throw std::bad_alloc(); }
    void commit(unsigned, open_packet&, std::uint16_t, std::uint32_t) override {}
    bool send_alone(unsigned, const packet_facts&, message_header, const void*,
                    message_count&) override {
        return false;
    }
    void retry() override {}
    channel_counters counters() override { return {}; }
    packet_view receive(std::vector<std::byte>& into) override {
        if (coming.empty()) {
            return {};
        }
        before_receive();
        const arrival next = coming.front();
        coming.pop_front();
        into.resize(framed(sizeof next.number));
        write_message(into.data(), {0, sizeof next.number}, &next.number);
        return {into.data(), {static_cast<std::uint32_t>(into.size()), 0, 0, next.epoch, 1}};
    }

private:
    bool is_pull_;
};

struct early_packets : ::testing::Test {
    handler_table handlers;
    epoch_word epoch{0};
    std::vector<std::uint64_t> ran;
    scripted_channel* source = nullptr;
    std::unique_ptr<message_queue> queue;

    void SetUp() override { make(true); }
    void make(bool is_pull) {
        if (handlers.find(0) == nullptr) {
            handlers.add({[](int, const void* data, std::size_t, void* all) {
                              static_cast<std::vector<std::uint64_t>*>(all)->push_back(
                                  *static_cast<const std::uint64_t*>(data));
                          },
                          nullptr, &ran, "note"});
        }
        auto owned = std::make_unique<scripted_channel>(is_pull);
        source = owned.get();
        std::vector<std::unique_ptr<channel>> channels;
        channels.push_back(std::move(owned));
        concert_options options{};
        options.aggregate_bytes = 4096;
        queue = std::make_unique<message_queue>(options, 0, handlers, epoch, std::move(channels),
                                                std::vector<message_queue::route>{{source, 0}});
    }
};

using numbers = std::vector<std::uint64_t>;

TEST_F(early_packets, wait_for_their_epoch) {
    source->coming = {{1, 1}, {0, 2}};
    EXPECT_EQ(queue->extract(10), 1U);
    EXPECT_EQ(ran, numbers{2});
    EXPECT_EQ(queue->extract(10), 0U);
    epoch.store(1, std::memory_order_release);  // pairs with: message_queue::admit_early()
    EXPECT_EQ(queue->extract(10), 1U);
    EXPECT_EQ(ran, (numbers{2, 1}));
}

// The word says that the epoch has ended, and nobody has looked at what waited for that.
TEST_F(early_packets, run_before_later_ones_of_their_sender) {
    source->coming = {{1, 1}};
    EXPECT_EQ(queue->extract(10), 0U);
    epoch.store(1, std::memory_order_release);  // pairs with: message_queue::admit_early()
    source->coming = {{1, 2}, {1, 3}};
    EXPECT_EQ(queue->extract(10), 3U);
    EXPECT_EQ(ran, (numbers{1, 2, 3}));
}

TEST_F(early_packets, are_drained_in_order) {
    make(false);
    source->coming = {{1, 1}};
    queue->drain();
    epoch.store(1, std::memory_order_release);  // pairs with: message_queue::admit_early()
    source->coming = {{1, 2}};
    queue->drain();
    source->coming = {{1, 3}};
    EXPECT_EQ(queue->extract(10), 3U);
    EXPECT_EQ(ran, (numbers{1, 2, 3}));
}

// The epoch ends between two packets that one look takes out.
TEST_F(early_packets, keep_their_order_when_the_epoch_ends_meanwhile) {
    for (const bool by_drain : {false, true}) {
        make(!by_drain);
        ran.clear();
        epoch.store(0, std::memory_order_release);  // pairs with: message_queue::admit_early()
        source->coming = {{1, 1}, {1, 2}};
        source->before_receive = [&] {
            if (source->coming.size() == 1) {
                // pairs with: message_queue::admit_early()
                epoch.store(1, std::memory_order_release);
            }
        };
        if (by_drain) {
            queue->drain();
        }
        while (queue->extract(10) != 0 || ran.size() < 2) {
        }
        EXPECT_EQ(ran, (numbers{1, 2}));
    }
}

// Opening a packet fails: nothing was accepted, and so quiescence does not wait for anything.
using a_message = early_packets;

TEST_F(a_message, without_memory_is_not_counted) {
    const std::uint64_t number = 1;
    EXPECT_THROW(queue->send(0, {0, sizeof number}, &number), std::bad_alloc);
    EXPECT_EQ(queue->sent(), 0U);
}

// It could not be asked for again, and nobody would come to quiescence.
TEST_F(early_packets, end_the_process_when_there_is_no_memory_for_them) {
    for (const bool is_pull : {true, false}) {
        make(is_pull);
        source->coming = {{0, 1}};
        source->before_receive = [] { throw std::bad_alloc(); };
        EXPECT_DEATH(queue->extract(1), "memory is exhausted");
    }
    EXPECT_DEATH(queue->drain(), "memory is exhausted");
}

}  // namespace
}  // namespace lazult::concert
