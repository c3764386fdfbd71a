// SPDX-License-Identifier: BSD-3-Clause
// What stands in the files: blocks of 64 KiB, each behind a page that says what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "apps/ioservice/checksum.hpp"

namespace ioservice {

using key_type = std::uint64_t;

inline constexpr std::size_t block_bytes = 64 << 10;
inline constexpr std::size_t page_bytes = 4096;

struct block_header {
    std::uint64_t magic = 0;  // 0 where nothing stands
    std::uint64_t sum = 0;    // of the rest of the header and of the data
    key_type key = 0;
    std::uint64_t version = 0;  // of two values of a key the newer one has the greater
    std::uint64_t value_bytes = 0;
    std::uint64_t part = 0;  // of the value
    std::uint64_t parts = 0;
    std::uint64_t unused = 0;
};

inline constexpr std::uint64_t block_magic = 0x316b636f6c627a6c;

// The alignment is what O_DIRECT asks for.
struct alignas(page_bytes) block {
    block_header header;
    unsigned char unused[page_bytes - sizeof(block_header)];
    unsigned char data[block_bytes];

    std::uint64_t right_sum() const {
        block_header hashed = header;
        hashed.magic = hashed.sum = 0;
        return checksum(data, sizeof data, checksum(&hashed, sizeof hashed, block_magic));
    }
    bool is_whole() const { return header.magic == block_magic && header.sum == right_sum(); }
};

// Room for a value of so many bytes. The rest of the last block is zeros.
class value {
public:
    value() = default;
    explicit value(std::uint64_t bytes)
        : bytes_(bytes),
          parts_(bytes == 0 ? 1 : (bytes + block_bytes - 1) / block_bytes),
          blocks_(std::make_unique<block[]>(parts_)) {}

    std::uint64_t bytes() const { return bytes_; }
    std::size_t parts() const { return parts_; }
    block& part(std::size_t which) { return blocks_[which]; }
    const block& part(std::size_t which) const { return blocks_[which]; }
    // How many bytes of a part belong to the value.
    std::size_t bytes_of(std::size_t which) const {
        return which + 1 < parts_ ? block_bytes : bytes_ - which * block_bytes;
    }

private:
    std::uint64_t bytes_ = 0;
    std::size_t parts_ = 0;
    std::unique_ptr<block[]> blocks_;
};

}  // namespace ioservice
