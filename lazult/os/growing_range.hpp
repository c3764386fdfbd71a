// SPDX-License-Identifier: BSD-3-Clause
// Chunks of memory that stand one behind another, though only those are mapped that were asked for:
// what a program does not need counts against no limit (ulimit -v). The range begins far from where
// the system puts things, so that there is room behind it. Where there is no such place, the
// addresses are reserved at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

class growing_range {
public:
    // `number`: each range of a process has its own. The chunk is a power of two, to which chunks
    // are aligned.
    constexpr growing_range(unsigned number, std::size_t chunk_bytes,
                            std::size_t most_bytes) noexcept
        : number_(number), chunk_bytes_(chunk_bytes), most_bytes_(most_bytes) {}

    // Zeroed memory, once for each index, in order. nullptr: no memory, or something else stands
    // there. By one thread at a time.
    void* make_chunk(std::size_t index) noexcept;
    // 0 before the first chunk was made. Never changes after that.
    std::uintptr_t begin() const noexcept { return begin_; }

private:
    bool choose_place() noexcept;
    bool reserve_all() noexcept;

    unsigned number_;
    std::size_t chunk_bytes_;
    std::size_t most_bytes_;
    std::uintptr_t begin_ = 0;
    std::size_t reserved_ = 0;  // 0: chunks are mapped one by one
};

}  // namespace lazult::os
