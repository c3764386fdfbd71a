// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/sample_value.hpp"

#include <cstring>

namespace ioservice {
namespace {

constexpr std::size_t words_in_block = block_bytes / sizeof(std::uint64_t);

std::uint64_t base_of(key_type key, std::uint64_t stamp) { return mixed(mixed(key) + stamp); }

std::uint64_t word(std::uint64_t base, std::uint64_t at) {
    return (base + at) * 0x9e3779b97f4a7c15;
}

bool is_right(const value& what, std::size_t part, std::uint64_t base) {
    const std::size_t words = what.bytes_of(part) / sizeof base;
    std::uint64_t differences = 0;
    for (std::size_t i = part == 0 ? 1 : 0; i < words; ++i) {
        std::uint64_t found = 0;
        std::memcpy(&found, what.part(part).data + i * sizeof found, sizeof found);
        differences |= found ^ word(base, part * words_in_block + i);
    }
    return differences == 0;
}

}  // namespace

value sample_value(key_type key, std::uint64_t stamp, std::uint64_t most_blocks) {
    const std::uint64_t base = base_of(key, stamp);
    const std::uint64_t blocks = 1 + base % most_blocks;
    value made(blocks * block_bytes - (base >> 32) % 64 * sizeof base);
    for (std::size_t part = 0; part < made.parts(); ++part) {
        for (std::size_t i = 0; i < made.bytes_of(part) / sizeof base; ++i) {
            const std::uint64_t next = word(base, part * words_in_block + i);
            std::memcpy(made.part(part).data + i * sizeof next, &next, sizeof next);
        }
    }
    std::memcpy(made.part(0).data, &stamp, sizeof stamp);
    return made;
}

std::optional<std::uint64_t> stamp_of(const value& what, key_type key) {
    std::uint64_t stamp = 0;
    if (what.bytes() < sizeof stamp || what.bytes() % sizeof stamp != 0) {
        return std::nullopt;
    }
    std::memcpy(&stamp, what.part(0).data, sizeof stamp);
    for (std::size_t part = 0; part < what.parts(); ++part) {
        if (!is_right(what, part, base_of(key, stamp))) {
            return std::nullopt;
        }
    }
    return stamp;
}

}  // namespace ioservice
