// SPDX-License-Identifier: BSD-3-Clause
// Stores that were not closed: what was put is there, and values are whole.
#include <fcntl.h>

#include <cerrno>
#include <memory>

#include "apps/ioservice/block_file.hpp"
#include "apps/ioservice/store.hpp"
#include "tests/apps/ioservice/support.hpp"

namespace ioservice {
namespace {

// The file that is not empty.
std::string file_with(const std::string& folder) {
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
        if (each.path().filename() != "closed" && each.file_size() != 0) {
            return each.path();
        }
    }
    return {};
}

class ioservice_crash : public ioservice_base {
protected:
    // A store that has crashed, with key 1, stamp 1, and its file.
    std::string make_crashed() {
        store made(path("s"), {});
        put(made, 1, 1, 1);
        return crashed("s");
    }
    bool has_direct_mode() const {
        const int found = plain_calls().open(path("tried").c_str(), O_RDWR | O_CREAT | O_DIRECT);
        plain_calls().close(found);
        return found >= 0;
    }
    std::unique_ptr<block> block_of(std::uint64_t version, std::uint64_t part,
                                    std::uint64_t parts) {
        const value made = sample_value(1, version, 1);
        auto found = std::make_unique<block>(made.part(0));
        found->header = {block_magic, 0, 1, version, made.bytes(), part, parts, 0};
        found->header.sum = found->right_sum();
        return found;
    }
};

TEST_F(ioservice_crash, what_was_put_is_there) {
    store running(path("s"), {});
    for (key_type key = 0; key < 30; ++key) {
        put(running, key, 1);
        put(running, key, 2);
    }
    running.erase(4);
    store tested(crashed("s"), {});
    EXPECT_FALSE(tested.was_closed());
    EXPECT_EQ(tested.keys().size(), 29U);
    for (key_type key = 0; key < 30; ++key) {
        EXPECT_EQ(stamp_in(tested, key), key == 4 ? 0U : 2U);
    }
}

TEST_F(ioservice_crash, a_store_that_was_opened_again_can_crash) {
    {
        store made(path("s"), {});
        put(made, 1, 1);
        made.close();
    }
    store running(path("s"), {});
    put(running, 1, 2);
    store tested(crashed("s"), {});
    EXPECT_FALSE(tested.was_closed());
    EXPECT_EQ(stamp_in(tested, 1), 2U);
}

TEST_F(ioservice_crash, an_unfinished_put_leaves_the_old_value) {
    const std::string folder = make_crashed();
    {
        block_file file(file_with(folder), false, plain_calls());
        file.write(1, *block_of(9, 1, 2));
    }
    {
        store tested(folder, {});
        EXPECT_EQ(tested.dropped(), 1U);
        EXPECT_EQ(stamp_in(tested, 1), 1U);
    }
    EXPECT_EQ(store(folder, {}).dropped(), 0U) << "what was dropped is gone";
}

TEST_F(ioservice_crash, a_torn_block_leaves_the_old_value) {
    const std::string folder = make_crashed();
    const std::string path = file_with(folder);
    {
        const std::unique_ptr<block> torn = block_of(9, 0, 1);
        torn->data[block_bytes - 1] ^= 1;
        block_file file(path, false, plain_calls());
        file.write(1, *torn);
        file.write(2, *torn);
    }
    std::filesystem::resize_file(path, 2 * sizeof(block) + sizeof(block) / 2 + 100);
    store tested(folder, {has_direct_mode(), false, &suspending_calls()});
    EXPECT_EQ(tested.dropped(), 2U);
    EXPECT_EQ(stamp_in(tested, 1), 1U);
    put(tested, 1, 2, 1);
    put(tested, 1, 3, 1);
    EXPECT_EQ(stamp_in(tested, 1), 3U);
}

TEST_F(ioservice_crash, of_two_whole_values_the_newer_one_is_there) {
    const std::string folder = make_crashed();
    {
        block_file file(file_with(folder), false, plain_calls());
        file.write(1, *block_of(9, 0, 1));
    }
    {
        store tested(folder, {});
        EXPECT_EQ(tested.dropped(), 1U);
        EXPECT_EQ(stamp_in(tested, 1), 9U);
        EXPECT_TRUE(tested.erase(1));
        EXPECT_FALSE(tested.get(1));
    }
    EXPECT_FALSE(store(folder, {}).get(1)) << "the older one does not come back";
}

TEST_F(ioservice_crash, new_values_are_newer_than_all_before) {
    const std::string folder = make_crashed();
    {
        block_file file(file_with(folder), false, plain_calls());
        file.write(1, *block_of(1000, 0, 2));
    }
    store tested(folder, {});
    put(tested, 1, 5, 1);
    const std::optional<value> got = tested.get(1);
    ASSERT_TRUE(got);
    EXPECT_GT(got->part(0).header.version, 1000U);
}

// Refuses writes after the first few. An erasure is a write of a page.
class scarce_calls final : public file_calls {
public:
    mutable int writes = 1 << 20;
    mutable int erasures = 1 << 20;

private:
    int open(const char* path, int flags) const override { return plain_calls().open(path, flags); }
    ssize_t read(int file, void* into, std::size_t bytes, off_t offset) const override {
        return plain_calls().read(file, into, bytes, offset);
    }
    ssize_t write(int file, const void* from, std::size_t bytes, off_t offset) const override {
        int& left = bytes == page_bytes ? erasures : writes;
        return left-- > 0 ? plain_calls().write(file, from, bytes, offset) : -ENOSPC;
    }
    int sync(int file) const override { return plain_calls().sync(file); }
    int close(int file) const override { return plain_calls().close(file); }
};

TEST_F(ioservice_crash, a_put_that_fails_leaves_the_old_value) {
    const scarce_calls calls;
    {
        store tested(path("s"), {false, false, &calls});
        put(tested, 1, 1);
        for (const int possible : {0, 1, 2}) {
            calls.writes = possible;
            value large(3 * block_bytes);
            EXPECT_NE(message_of([&] { tested.put(1, large); }).find("No space left"),
                      std::string::npos);
            EXPECT_EQ(stamp_in(tested, 1), 1U);
        }
        calls.writes = 1 << 20;
        put(tested, 1, 2);
        EXPECT_EQ(stamp_in(tested, 1), 2U);
        calls.writes = 0;
        value larger(9 * block_bytes);
        EXPECT_NE(message_of([&] { tested.put(1, larger); }), "none");
        tested.close();
    }
    store again(path("s"), {});
    EXPECT_TRUE(again.was_closed());
    EXPECT_EQ(again.dropped(), 0U);
    EXPECT_EQ(stamp_in(again, 1), 2U);
}

TEST_F(ioservice_crash, what_cannot_be_erased_counts_as_a_crash) {
    const scarce_calls calls;
    {
        store tested(path("s"), {false, false, &calls});
        put(tested, 1, 1, 1);
        calls.erasures = 0;
        EXPECT_NE(message_of([&] { put(tested, 1, 2, 1); }), "none");
        EXPECT_EQ(stamp_in(tested, 1), 2U);
        tested.close();
    }
    store again(path("s"), {});
    EXPECT_FALSE(again.was_closed());
    EXPECT_EQ(again.dropped(), 1U);
    EXPECT_EQ(stamp_in(again, 1), 2U);
}

}  // namespace
}  // namespace ioservice
