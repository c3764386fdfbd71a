// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <string>

#include "apps/ioservice/sample_value.hpp"
#include "apps/ioservice/store.hpp"
#include "apps/ioservice/streams.hpp"

namespace ioservice {

// Tests with a runtime and a folder.
class ioservice_base : public testing::Test {
protected:
    ioservice_base() {
        std::string name = testing::TempDir() + "ioservice-XXXXXX";
        folder_ = mkdtemp(name.data());
    }
    ~ioservice_base() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ + "/" + name; }

    // What a crash at this moment would leave.
    std::string crashed(const std::string& store) const {
        std::filesystem::copy(path(store), path(store + "-crashed"));
        return path(store + "-crashed");
    }

    runtime runtime_;
    std::string folder_;
};

// The message of the exception that this throws.
template <class F>
std::string message_of(const F& function) {
    try {
        function();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "none";
}

inline void put(store& into, key_type key, std::uint64_t stamp, std::uint64_t most_blocks = 3) {
    value made = sample_value(key, stamp, most_blocks);
    into.put(key, made);
}

// 0: there is none.
inline std::uint64_t stamp_in(store& of, key_type key) {
    const std::optional<value> found = of.get(key);
    if (!found) {
        return 0;
    }
    const std::optional<std::uint64_t> stamp = stamp_of(*found, key);
    EXPECT_TRUE(stamp) << "the value of key " << key << " is wrong";
    return stamp.value_or(0);
}

}  // namespace ioservice
