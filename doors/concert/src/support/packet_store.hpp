// SPDX-License-Identifier: BSD-3-Clause
// Ordinary memory for packets that wait, cut from chunks. Packets mostly come back in the order in
// which they were cut. The system gets a chunk back when all packets of the chunk are back. So one
// chunk stays after a burst, where malloc() may keep all. One thread at a time uses a store.
#pragma once

#include <cstddef>
#include <memory>

namespace lazult::concert {

class packet_store {
    struct chunk;

public:
    struct giver_back {
        void operator()(std::byte* packet) const noexcept { give_back(packet); }
    };
    using memory = std::unique_ptr<std::byte, giver_back>;

    packet_store() = default;
    // All packets must have come back before.
    ~packet_store();
    packet_store(const packet_store&) = delete;
    packet_store& operator=(const packet_store&) = delete;

    // Returns memory that is aligned to 16 bytes. Throws std::bad_alloc.
    memory cut(std::size_t bytes);

private:
    static void give_back(std::byte* packet) noexcept;

    chunk* current_ = nullptr;
};

}  // namespace lazult::concert
