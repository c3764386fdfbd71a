// SPDX-License-Identifier: BSD-3-Clause
// Memory for the records of a wait for so many objects that they do not stand on the waiting unit's
// own stack. The record_block does stand there, so that reports, traces and debuggers find the
// records by it.
#pragma once

#include <cstddef>
#include <new>

#include "lazult/sync/waiter.hpp"

namespace lazult::sync {

// Its address is in each record_block that has memory.
inline constexpr char record_block_mark = 'r';

// Aligned as records are, so that one search finds both.
class alignas(32) record_block {
public:
    // Has no memory. Most waits need none, so this leaves the other fields as they are.
    record_block() noexcept {}  // NOLINT(modernize-use-equals-default)
    record_block(const record_block&) = delete;
    record_block& operator=(const record_block&) = delete;
    ~record_block() {
        if (mark_ != nullptr) {
            ::operator delete(begin_, std::align_val_t(alignof(record_block)));
            // A search may still meet this place on the stack, so the store must not be left out.
            *const_cast<const void* volatile*>(&mark_) = nullptr;
        }
    }

    // Returns memory that is aligned as records are, or nullptr if there is none. Called once.
    std::byte* allocate(const core::work_unit* unit, std::size_t bytes) noexcept {
        begin_ = static_cast<std::byte*>(
            ::operator new(bytes, std::align_val_t(alignof(record_block)), std::nothrow));
        if (begin_ != nullptr) {
            unit_ = unit;
            bytes_ = 0;
            mark_ = &record_block_mark;
        }
        return begin_;
    }
    // Records stand in the first `bytes` bytes.
    void show(std::size_t bytes) noexcept { bytes_ = bytes; }

    // For copies, and for what may be no record_block.
    bool is_of(const core::work_unit& unit) const noexcept {
        return mark_ == &record_block_mark && unit_ == &unit;
    }
    const std::byte* begin() const noexcept { return begin_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    friend struct record_block_layout;

    const void* mark_ = nullptr;
    const core::work_unit* unit_;
    std::byte* begin_;
    std::size_t bytes_;
};
static_assert(sizeof(record_block) == 32);

// Its offsets, for debuggers.
struct record_block_layout {
    static constexpr std::size_t mark = offsetof(record_block, mark_);
    static constexpr std::size_t unit = offsetof(record_block, unit_);
    static constexpr std::size_t begin = offsetof(record_block, begin_);
    static constexpr std::size_t bytes = offsetof(record_block, bytes_);
};

}  // namespace lazult::sync
