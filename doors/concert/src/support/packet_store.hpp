// SPDX-License-Identifier: BSD-3-Clause
// Ordinary memory for packets that wait. They mostly go in the order in which they came, so it is
// cut from chunks that the system gets back as soon as all that was cut from one has gone: after a
// burst nothing stays but one chunk, where malloc may keep all of it. One thread at a time.
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
    // What was cut has gone before.
    ~packet_store();
    packet_store(const packet_store&) = delete;
    packet_store& operator=(const packet_store&) = delete;

    // Aligned to 16 bytes. Throws std::bad_alloc.
    memory cut(std::size_t bytes);

private:
    static void give_back(std::byte* packet) noexcept;

    chunk* current_ = nullptr;
};

}  // namespace lazult::concert
