// SPDX-License-Identifier: BSD-3-Clause
// Chunks of memory that stand one behind another. A chunk is mapped when it is asked for, so chunks
// that a program does not need do not count against ulimit -v. The range begins far from the place
// where the system maps memory, so that there is room for more chunks. If there is no such place,
// all addresses are reserved at once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lazult::os {

class growing_range {
public:
    // `number` must be different for each range of a process. `chunk_bytes` is a power of two;
    // chunks are aligned to it.
    constexpr growing_range(unsigned number, std::size_t chunk_bytes,
                            std::size_t most_bytes) noexcept
        : number_(number), chunk_bytes_(chunk_bytes), most_bytes_(most_bytes) {}

    // Returns zeroed memory for the chunk `index`. Call it once for each index, in ascending order,
    // by one thread at a time. Returns nullptr if there is no memory, or if other memory is mapped
    // at that place.
    void* make_chunk(std::size_t index) noexcept;
    // Returns the address of chunk 0, or 0 before the first chunk was made. Never changes after
    // that.
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
