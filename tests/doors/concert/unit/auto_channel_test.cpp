// SPDX-License-Identifier: BSD-3-Clause
// A channel of both ways: which way packets go, and that they come in order. All ranks are in this
// process.
#include "doors/concert/src/channels/auto_channel.hpp"
#include "doors/concert/src/memory/node_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace lazult::concert {
namespace {

constexpr unsigned auto_peers = 3;
constexpr std::size_t long_bytes = 2048;  // of no slot

struct alignas(64) line {
    std::byte bytes[unit_bytes];
};

struct both_ways : ::testing::Test {
    std::vector<std::vector<line>> push_memory{auto_peers};
    std::vector<std::vector<line>> pull_memory{auto_peers};
    std::vector<std::unique_ptr<channel>> ranks;
    channel::message_count sent{0};
    std::vector<std::byte> into;
    std::uint64_t next_sent = 0;
    std::uint64_t next_received = 0;

    void make(std::uint32_t slots) {
        const segment_shape push = segment_shape::for_push(auto_peers, {slots, 1088});
        const segment_shape pull = segment_shape::for_pull(auto_peers, std::size_t{64} << 10);
        const auto memory_of = [](std::vector<std::vector<line>>& all, segment_shape shape,
                                  unsigned rank) {
            std::vector<std::byte*> segments;
            for (std::vector<line>& each : all) {
                each.resize(shape.units);
                segments.push_back(each.front().bytes);
            }
            node_memory<> made(shape, rank, segments);
            made.initialise();
            return made;
        };
        for (unsigned rank = 0; rank < auto_peers; ++rank) {
            node_memory<> pushed = memory_of(push_memory, push, rank);
            ranks.push_back(std::make_unique<auto_channel<node_memory<>>>(
                std::move(pushed), push, memory_of(pull_memory, pull, rank), pull, rank, long_bytes,
                0, auto_peers, [] { FAIL() << "a sender waited"; }));
        }
    }
    // From rank 0 to rank 1, beginning with its number.
    void send(std::size_t bytes) {
        std::vector<std::byte> data(bytes);
        std::memcpy(data.data(), &next_sent, sizeof next_sent);
        ++next_sent;
        const packet_facts facts{static_cast<std::uint32_t>(framed(bytes)), 0, 0, 0, 1};
        ranks[0]->send_alone(1, facts, {0, static_cast<std::uint32_t>(bytes)}, data.data(), sent);
    }
    bool receive() {
        const packet_view packet = ranks[1]->receive(into);
        if (!packet) {
            return false;
        }
        std::uint64_t number = 0;
        std::memcpy(&number, packet.payload + sizeof(message_header), sizeof number);
        EXPECT_EQ(number, next_received);
        ++next_received;
        return true;
    }
    void receive_all() {
        while (next_received != next_sent) {
            const std::uint64_t before = next_received;
            while (receive()) {
            }
            ranks[0]->retry();
            ASSERT_TRUE(next_received != before || receive());
        }
        EXPECT_FALSE(receive());
    }
    std::uint64_t refused() { return ranks[0]->counters().waits; }
};

TEST_F(both_ways, fill_the_senders_share_and_then_wait_for_nobody) {
    make(12);  // four for each of three
    for (unsigned i = 0; i < 100; ++i) {
        send(16);
    }
    EXPECT_EQ(refused(), 96U);
    receive_all();
}

TEST_F(both_ways, go_back_to_push_when_the_receiver_has_caught_up) {
    make(12);
    for (unsigned i = 0; i < 6; ++i) {
        send(16);
    }
    EXPECT_EQ(refused(), 2U);
    for (unsigned i = 0; i < 5; ++i) {
        EXPECT_TRUE(receive());
    }
    send(16);  // one that was pulled is not released yet
    EXPECT_EQ(refused(), 3U);
    receive_all();
    for (unsigned i = 0; i < 4; ++i) {
        send(16);
    }
    EXPECT_EQ(refused(), 3U);
    receive_all();
}

TEST_F(both_ways, keep_the_order_of_long_and_short_ones) {
    make(12);
    for (unsigned round = 0; round < 2000; ++round) {
        send(round % 7 == 3 ? long_bytes - 64 : 16);
        if (round % 3 != 0) {
            receive();
        }
    }
    receive_all();
}

// 16 bits count what was pushed before a packet that is pulled.
TEST_F(both_ways, keep_the_order_when_the_count_of_pushed_packets_wraps) {
    make(12);
    for (unsigned round = 0; round < 140'000; ++round) {
        send(round % 1000 == 999 ? long_bytes - 64 : 16);
        receive_all();
    }
}

TEST_F(both_ways, leave_all_to_pull_where_there_are_fewer_slots_than_ranks) {
    make(2);
    for (unsigned i = 0; i < 10; ++i) {
        send(16);
        receive_all();
    }
    EXPECT_EQ(refused(), 10U);
}

}  // namespace
}  // namespace lazult::concert
