// SPDX-License-Identifier: BSD-3-Clause
#include "support/packet_store.hpp"

#include "lazult/os/os.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace lazult::concert {

// The head of a chunk, which is at the beginning of the chunk's memory.
struct alignas(16) packet_store::chunk {
    packet_store* store;
    std::size_t bytes;
    std::size_t used = sizeof(chunk);
    std::size_t live = 0;  // how many packets were cut and have not come back

    static chunk* make(packet_store& store, std::size_t bytes) {
        void* const memory = os::reserve(bytes, alignof(chunk));
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return ::new (memory) chunk{&store, bytes};
    }
    void release() noexcept { os::release(this, bytes); }
    std::byte* at(std::size_t offset) noexcept {
        return reinterpret_cast<std::byte*>(this) + offset;
    }
};

namespace {

constexpr std::size_t chunk_bytes = std::size_t{256} << 10;
constexpr std::size_t unit = 16;  // bytes in front of each packet, which hold its chunk's address

constexpr std::size_t whole_units(std::size_t bytes) noexcept {
    return (bytes + 2 * unit - 1) / unit * unit;
}

}  // namespace

packet_store::~packet_store() {
    if (current_ != nullptr) {
        current_->release();
    }
}

packet_store::memory packet_store::cut(std::size_t bytes) {
    const std::size_t need = whole_units(bytes);
    if (current_ == nullptr || current_->bytes - current_->used < need) {
        chunk* const fresh = chunk::make(*this, std::max(chunk_bytes, sizeof(chunk) + need));
        if (current_ != nullptr && current_->live == 0) {
            current_->release();
        }
        current_ = fresh;
    }
    std::byte* const packet = current_->at(current_->used);
    std::memcpy(packet, &current_, sizeof current_);
    current_->used += need;
    ++current_->live;
    return memory(packet + unit);
}

void packet_store::give_back(std::byte* packet) noexcept {
    chunk* its = nullptr;
    std::memcpy(&its, packet - unit, sizeof its);
    if (--its->live != 0) {
        return;
    }
    if (its == its->store->current_) {
        its->used = sizeof(chunk);
    } else {
        its->release();
    }
}

}  // namespace lazult::concert
