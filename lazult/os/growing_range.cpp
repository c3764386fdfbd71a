// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/growing_range.hpp"

#include "lazult/os/memory.hpp"

namespace lazult::os {

// Sets begin_. The system maps downwards below the stack. Ranges begin 128 GiB below the place that
// it would map now, and 128 GiB below each other. They are not farther away, because
// ThreadSanitizer allows only the uppermost 1.5 TiB and ends programs that use other addresses.
bool growing_range::choose_place() noexcept {
    void* const anywhere = reserve_addresses(chunk_bytes_, chunk_bytes_);
    if (anywhere == nullptr) {
        return false;
    }
    release(anywhere, chunk_bytes_);
    constexpr std::uintptr_t distance = std::uintptr_t{128} << 30;
    const std::uintptr_t wanted =
        reinterpret_cast<std::uintptr_t>(anywhere) - (number_ + 1) * distance;
    void* const place = reserve_at(wanted, chunk_bytes_);
    if (place == nullptr) {
        return reserve_all();
    }
    release(place, chunk_bytes_);
    begin_ = wanted;
    return true;
}

// Reserves the addresses of all chunks at once, or of fewer chunks if there are not so many.
bool growing_range::reserve_all() noexcept {
    for (std::size_t bytes = most_bytes_; bytes >= 8 * chunk_bytes_; bytes /= 2) {
        if (bytes > free_addresses() / 4) {
            continue;  // the rest of the process needs addresses too
        }
        if (void* const memory = reserve_addresses(bytes, chunk_bytes_); memory != nullptr) {
            begin_ = reinterpret_cast<std::uintptr_t>(memory);
            reserved_ = bytes;
            return true;
        }
    }
    return false;
}

void* growing_range::make_chunk(std::size_t index) noexcept {
    if ((begin_ == 0 && !choose_place()) || index >= most_bytes_ / chunk_bytes_) {
        return nullptr;
    }
    const std::size_t offset = index * chunk_bytes_;
    if (reserved_ == 0) {
        return reserve_at(begin_ + offset, chunk_bytes_);
    }
    auto* const chunk = reinterpret_cast<void*>(begin_ + offset);
    return offset < reserved_ && commit(chunk, chunk_bytes_) ? chunk : nullptr;
}

}  // namespace lazult::os
