// SPDX-License-Identifier: BSD-3-Clause
// A key-value store in the files of a folder. ULTs and OS threads may use it at the same time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/ioservice/shard.hpp"

namespace ioservice {

class store {
public:
    // Makes the folder where there is none. Throws std::runtime_error where a file is damaged.
    store(std::string folder, const store_settings& with);

    std::optional<value> get(key_type key);
    void put(key_type key, value& what);
    bool erase(key_type key);  // false: it was not there

    std::vector<key_type> keys();
    bool was_closed() const { return was_closed_; }
    // Blocks of unfinished puts that were found in a store that had not been closed.
    std::uint64_t dropped() const;
    // Without it the store looks as after a crash.
    void close();

private:
    static constexpr std::size_t shards = 4;
    static constexpr std::size_t locks = 256;

    shard& shard_of(key_type key) { return *shards_[mixed(key) % shards]; }
    readers_and_writer& lock_of(key_type key) { return locks_[mixed(key) / shards % locks]; }

    std::string folder_;
    bool was_closed_ = true;
    std::vector<std::unique_ptr<shard>> shards_;
    std::unique_ptr<readers_and_writer[]> locks_ = std::make_unique<readers_and_writer[]>(locks);
};

}  // namespace ioservice
