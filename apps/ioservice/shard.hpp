// SPDX-License-Identifier: BSD-3-Clause
// The values of a part of the keys: one file, and an index of it in memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/ioservice/abt_objects.hpp"
#include "apps/ioservice/block_file.hpp"
#include "apps/ioservice/recovery.hpp"

namespace ioservice {

struct store_settings {
    bool direct = false;  // no page cache
    bool sync = false;    // what was put outlives the machine, and not the process alone
    const file_calls* by = &plain_calls();
};

// What a file held when the store was closed.
struct closed_file {
    std::uint64_t bytes = 0;
    std::uint64_t values = 0;
    bool operator==(const closed_file&) const = default;
};

// While a caller puts or erases a key, there must be no other caller with that key.
class shard {
public:
    shard(const std::string& path, const store_settings& with,
          const std::optional<closed_file>& closed);

    std::optional<value> get(key_type key);
    void put(key_type key, value& what);
    bool erase(key_type key);  // false: it was not there
    std::vector<key_type> keys();
    std::uint64_t dropped() const { return found_.dropped; }
    // Has the device keep everything. No result: something could not be erased.
    std::optional<closed_file> close();

private:
    std::optional<stored_value> find(key_type key);
    stored_value allocate(std::uint64_t bytes, std::size_t parts);
    void write_or_release(key_type key, const stored_value& to, value& what);
    void write(key_type key, const stored_value& to, value& what);
    void release(const stored_value& old);
    void sync();

    block_file file_;
    const bool syncs_;
    mutex lock_;  // over what follows, but not over calls of the kernel
    contents found_;
    std::uint64_t remains_ = 0;  // values that are being erased, or could not be
};

}  // namespace ioservice
