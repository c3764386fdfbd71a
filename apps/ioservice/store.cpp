// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/store.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <mutex>
#include <numeric>
#include <shared_mutex>
#include <utility>

#include "apps/ioservice/closed_mark.hpp"

namespace ioservice {
namespace {

std::string path_of(const std::string& folder, std::size_t number) {
    return fmt::format("{}/blocks-{}", folder, number);
}

// Nothing that was written before counts as damage: there is nothing.
bool is_new(const std::string& folder) { return !std::filesystem::exists(path_of(folder, 0)); }

}  // namespace

store::store(std::string folder, const store_settings& with) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    const std::optional<closed_mark> mark = read_mark(folder_, shards);
    was_closed_ = mark.has_value() || is_new(folder_);
    for (std::size_t i = 0; i < shards; ++i) {
        const auto closed = mark ? std::optional((*mark)[i]) : std::nullopt;
        shards_.push_back(std::make_unique<shard>(path_of(folder_, i), with, closed));
    }
    remove_mark(folder_);
}

std::optional<value> store::get(key_type key) {
    const std::shared_lock held(lock_of(key));
    return shard_of(key).get(key);
}

void store::put(key_type key, value& what) {
    const std::unique_lock held(lock_of(key));
    shard_of(key).put(key, what);
}

bool store::erase(key_type key) {
    const std::unique_lock held(lock_of(key));
    return shard_of(key).erase(key);
}

std::vector<key_type> store::keys() {
    std::vector<key_type> all;
    for (const auto& each : shards_) {
        const std::vector<key_type> some = each->keys();
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

std::uint64_t store::dropped() const {
    return std::accumulate(
        shards_.begin(), shards_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& each) { return sum + each->dropped(); });
}

void store::close() {
    closed_mark mark;
    for (const auto& each : shards_) {
        if (const std::optional<closed_file> closed = each->close()) {
            mark.push_back(*closed);
        }
    }
    if (mark.size() == shards_.size()) {
        write_mark(folder_, mark);
    }
}

}  // namespace ioservice
