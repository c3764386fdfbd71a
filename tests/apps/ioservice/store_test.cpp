// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/store.hpp"

#include <cstring>
#include <list>

#include "tests/apps/ioservice/support.hpp"

namespace ioservice {
namespace {

using ioservice_store = ioservice_base;

std::uint64_t bytes_in(const std::string& folder) {
    std::uint64_t sum = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
        sum += each.file_size();
    }
    return sum;
}

TEST_F(ioservice_store, has_the_newest_value_of_each_key) {
    store tested(path("s"), {});
    EXPECT_FALSE(tested.get(1));
    for (key_type key = 0; key < 50; ++key) {
        put(tested, key, 1);
        put(tested, key, 2 + key);
    }
    for (key_type key = 0; key < 50; ++key) {
        EXPECT_EQ(stamp_in(tested, key), 2 + key);
    }
    EXPECT_EQ(tested.keys().size(), 50U);
    EXPECT_FALSE(tested.get(50));
}

TEST_F(ioservice_store, takes_values_of_any_size) {
    store tested(path("s"), {});
    for (const std::uint64_t bytes : {0UL, 1UL, 65535UL, 65536UL, 65537UL, 1000000UL}) {
        value made(bytes);
        EXPECT_EQ(made.parts(), std::max<std::uint64_t>(1, (bytes + 65535) / 65536));
        if (bytes != 0) {
            made.part(made.parts() - 1).data[made.bytes_of(made.parts() - 1) - 1] = 77;
        }
        tested.put(5, made);
        const std::optional<value> got = tested.get(5);
        ASSERT_TRUE(got);
        ASSERT_EQ(got->bytes(), bytes);
        for (std::size_t part = 0; part < made.parts(); ++part) {
            EXPECT_EQ(std::memcmp(got->part(part).data, made.part(part).data, block_bytes), 0);
        }
    }
}

TEST_F(ioservice_store, erases) {
    store tested(path("s"), {});
    put(tested, 7, 1);
    EXPECT_TRUE(tested.erase(7));
    EXPECT_FALSE(tested.get(7));
    EXPECT_FALSE(tested.erase(7));
    put(tested, 7, 2);
    EXPECT_EQ(stamp_in(tested, 7), 2U);
}

TEST_F(ioservice_store, uses_places_again) {
    store tested(path("s"), {});
    for (std::uint64_t stamp = 1; stamp < 100; ++stamp) {
        put(tested, 3, stamp, 1);
    }
    EXPECT_EQ(bytes_in(path("s")), 2 * sizeof(block));
}

TEST_F(ioservice_store, has_its_values_after_a_restart) {
    for (const bool sync : {false, true}) {
        const std::string folder = path(sync ? "synced" : "s");
        const store_settings with{false, sync, &suspending_calls()};
        for (std::uint64_t start = 0; start < 4; ++start) {
            store tested(folder, with);
            EXPECT_TRUE(tested.was_closed());
            EXPECT_EQ(tested.dropped(), 0U);
            for (key_type key = 0; key < 20; ++key) {
                EXPECT_EQ(stamp_in(tested, key), key % 5 == start - 1 ? 0 : start);
                put(tested, key, start + 1);
            }
            for (key_type key = start; key < 20; key += 5) {
                EXPECT_TRUE(tested.erase(key));
            }
            tested.close();
        }
    }
}

TEST_F(ioservice_store, takes_puts_of_one_key_at_the_same_time) {
    {
        store tested(path("s"), {false, false, &suspending_calls()});
        const streams two(2);
        std::list<unit> callers;
        for (std::uint64_t i = 0; i < 8; ++i) {
            callers.emplace_back(two.pool(), [&tested, i] {
                for (std::uint64_t stamp = 1; stamp <= 60; ++stamp) {
                    EXPECT_EQ(message_of([&] {
                                  put(tested, i % 2, stamp);
                                  stamp_in(tested, stamp % 2);
                              }),
                              "none");
                }
            });
        }
        callers.clear();
        tested.close();
    }
    store again(path("s"), {});
    EXPECT_TRUE(again.was_closed());
    EXPECT_NE(stamp_in(again, 0), 0U);
    EXPECT_NE(stamp_in(again, 1), 0U);
}

TEST_F(ioservice_store, is_for_one_at_a_time) {
    const store first(path("s"), {});
    EXPECT_NE(message_of([&] { store second(path("s"), {}); }).find("another process or store"),
              std::string::npos);
}

TEST_F(ioservice_store, says_what_cannot_be_opened) {
    std::filesystem::create_directories(path("s/blocks-2"));
    EXPECT_NE(message_of([&] {
                  store tested(path("s"), {});
              }).find("blocks-2: cannot be opened: Is a directory"),
              std::string::npos);
    EXPECT_NE(message_of([] { store tested("/proc/1/nothing", {}); }), "none");
}

}  // namespace
}  // namespace ioservice
