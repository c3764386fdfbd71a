// SPDX-License-Identifier: BSD-3-Clause
// A packet: a word of the queue's protocol, some facts, and one message or several. Each message is
// a header and its bytes, and begins and ends on multiples of eight.
#pragma once

#include "queues/reference.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lazult::concert {

struct packet_facts {
    std::uint32_t bytes = 0;   // of all messages, with headers and padding
    std::uint16_t source = 0;  // the sender's rank in the world
    std::uint16_t pushed = 0;  // see auto_queue.hpp; elsewhere 0
    std::uint32_t epoch = 0;   // the sender's epoch when it sent the packet
    std::uint32_t messages = 0;
};
static_assert(sizeof(packet_facts) == 16);

// What stands in front of the messages: the word and the facts.
inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);
inline constexpr std::size_t packet_prefix = word_bytes + sizeof(packet_facts);

struct message_header {
    std::uint32_t handler = 0;
    std::uint32_t bytes = 0;
};

constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + 7) & ~std::size_t{7}; }
constexpr std::size_t framed(std::size_t bytes) noexcept {
    return sizeof(message_header) + padded(bytes);
}
constexpr std::uint32_t units_for(std::size_t payload) noexcept {
    return static_cast<std::uint32_t>((packet_prefix + payload + unit_bytes - 1) / unit_bytes);
}

LAZULT_ALWAYS_INLINE std::byte* write_message(std::byte* at, message_header header,
                                              const void* data) noexcept {
    std::memcpy(at, &header, sizeof header);
    if (header.bytes != 0) {
        std::memcpy(at + sizeof header, data, header.bytes);
    }
    return at + framed(header.bytes);
}

// A packet that arrived. The receiver may read its messages until it asks for the next packet.
struct packet_view {
    const std::byte* payload = nullptr;
    packet_facts facts;

    explicit operator bool() const noexcept { return payload != nullptr; }
};

}  // namespace lazult::concert
