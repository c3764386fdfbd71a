// SPDX-License-Identifier: BSD-3-Clause
// A pull channel with a full window: a packet that waits for a long block gets it. All ranks are in
// this process.
#include "doors/concert/src/channels/pull_channel.hpp"
#include "doors/concert/src/memory/node_memory.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace lazult::concert {
namespace {

constexpr unsigned peers = 3;
constexpr std::size_t longest = 1024;

struct alignas(64) unit {
    std::byte bytes[unit_bytes];
};

struct full_window : ::testing::Test {
    segment_shape shape = segment_shape::for_pull(peers, 4096);
    std::vector<std::vector<unit>> memory{peers, std::vector<unit>(shape.units)};
    std::vector<std::unique_ptr<channel>> ranks;
    channel::message_count sent{0};
    std::vector<std::byte> unused;
    unsigned small_sent = 0;

    void SetUp() override {
        for (unsigned rank = 0; rank < peers; ++rank) {
            std::vector<std::byte*> segments;
            for (std::vector<unit>& each : memory) {
                segments.push_back(each.front().bytes);
            }
            node_memory<> mine(shape, rank, segments);
            mine.initialise();
            ranks.push_back(std::make_unique<pull_channel<node_memory<>>>(std::move(mine), shape,
                                                                          rank, longest));
        }
    }
    void send(unsigned to, std::size_t bytes) {
        const std::vector<std::byte> data(bytes);
        const packet_facts facts{static_cast<std::uint32_t>(framed(bytes)), 0, 0, 0, 1};
        ranks[0]->send_alone(to, facts, {0, static_cast<std::uint32_t>(bytes)}, data.data(), sent);
    }
    std::uint64_t backlogged() { return ranks[0]->counters().backlogged; }
    void fill_with_small_ones() {
        while (backlogged() == 0) {
            send(1, 16);
            ++small_sent;
        }
    }
    std::uint32_t receive_bytes(unsigned rank) { return ranks[rank]->receive(unused).facts.bytes; }
};

TEST_F(full_window, gives_the_long_block_to_the_sender_that_waited_first) {
    fill_with_small_ones();  // the last small block that went is the one for the longest packet
    send(2, longest - 64);   // waits
    // Rank 1 takes everything, bit by bit, and new small ones come all the while.
    bool has_come = false;
    for (unsigned round = 0; round < 20 * small_sent && !has_come; ++round) {
        receive_bytes(1);
        send(1, 16);
        ranks[0]->retry();
        has_come = receive_bytes(2) != 0;
    }
    EXPECT_TRUE(has_come);
}

// A small packet may not have the long block while a long one waits, even if it comes first when
// the block is free again.
TEST_F(full_window, leaves_the_long_block_to_a_long_packet) {
    send(2, longest - 64);
    // all is under way, and one small packet waits: as the oldest, it may have anything
    fill_with_small_ones();
    EXPECT_NE(receive_bytes(2), 0U);
    EXPECT_EQ(receive_bytes(2), 0U);  // the long block goes back
    ranks[0]->retry();                // ... to the small one
    send(2, longest - 64);            // waits for it
    for (unsigned i = 0; i < small_sent; ++i) {
        EXPECT_NE(receive_bytes(1), 0U);
    }
    EXPECT_EQ(receive_bytes(1), 0U);
    send(1, 16);
    ranks[0]->retry();
    EXPECT_NE(receive_bytes(2), 0U);
}

TEST_F(full_window, counts_what_waits_as_sent) {
    fill_with_small_ones();
    // pairs with: add_one()
    EXPECT_EQ(sent.load(std::memory_order_relaxed), small_sent);
}

}  // namespace
}  // namespace lazult::concert
