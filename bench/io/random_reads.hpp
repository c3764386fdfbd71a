// SPDX-License-Identifier: BSD-3-Clause
// What the programs of random reads share: the file, and what keeps one read under way.
#pragma once

#include "bench/io/latencies.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lazult::bench {

inline constexpr std::size_t block_bytes = 4096;
using block = std::array<std::uint64_t, block_bytes / sizeof(std::uint64_t)>;

// Each block carries its number, and words that depend on it.
void fill(block& into, std::uint64_t number);
bool is_block(const block& what, std::uint64_t number);

struct block_file {
    int descriptor;
    std::uint64_t blocks;
};

// Writes the file unless it is there, opens it, and reads it once unless it is to be read past the
// page cache.
block_file open_blocks(const std::string& name, double gib, bool direct);

// One read under way after the other, each of another block.
class reader {
public:
    reader(const block_file& from, unsigned name)
        : from_(from), state_(mixed(name)), into_(std::make_unique<aligned>()) {}

    void begin() {
        state_ = mixed(state_);
        number_ = state_ % from_.blocks;
        begun_ = now_ns();
    }
    // `result`: bytes.
    void end(std::int64_t result) {
        times_.add(now_ns() - begun_);
        errors_ += result != block_bytes || !is_block(into_->words, number_) ? 1 : 0;
    }

    int descriptor() const { return from_.descriptor; }
    std::int64_t offset() const { return static_cast<std::int64_t>(number_ * block_bytes); }
    void* into() { return into_->words.data(); }
    const latencies& times() const { return times_; }
    std::uint64_t errors() const { return errors_; }

private:
    struct alignas(block_bytes) aligned {
        block words{};
    };

    block_file from_;
    std::uint64_t state_;
    std::uint64_t number_ = 0;
    std::int64_t begun_ = 0;
    std::uint64_t errors_ = 0;
    latencies times_;
    std::unique_ptr<aligned> into_;
};

using readers = std::vector<reader>;

// Each keeps all readers busy until then.
void read_by_ults(readers& all, std::int64_t until);
void read_by_ring(readers& all, std::int64_t until);
void read_by_threads(readers& all, std::int64_t until);

}  // namespace lazult::bench
