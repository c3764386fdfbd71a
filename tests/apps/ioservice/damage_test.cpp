// SPDX-License-Identifier: BSD-3-Clause
// Files that were changed from outside: the store says which one, and how.
#include <fstream>
#include <functional>
#include <vector>

#include "apps/ioservice/store.hpp"
#include "tests/apps/ioservice/support.hpp"

namespace ioservice {
namespace {

constexpr std::streamoff size = sizeof(block);

class ioservice_damage : public ioservice_base {
protected:
    // A closed store with several values in each file.
    void make_closed() {
        store made(path("s"), {});
        for (key_type key = 0; key < 40; ++key) {
            put(made, key, 1);
        }
        made.close();
    }
    void flip(std::streamoff at) const {
        std::fstream file(path("s/blocks-1"), std::ios::binary | std::ios::in | std::ios::out);
        file.seekg(at);
        const int old = file.get();
        file.seekp(at);
        file.put(static_cast<char>(old ^ 4));
    }
    std::string opening() const {
        return message_of([&] { store tested(path("s"), {}); });
    }
    void expect_words(const std::string& message, const std::string& words) const {
        EXPECT_NE(message.find(words), std::string::npos) << message;
    }
};

TEST_F(ioservice_damage, a_cut_file_is_found) {
    make_closed();
    const std::string file = path("s/blocks-1");
    const std::uintmax_t bytes = std::filesystem::file_size(file);
    for (const std::uintmax_t left : {bytes - 1, bytes - sizeof(block), std::uintmax_t{0}}) {
        std::filesystem::resize_file(file, left);
        expect_words(opening(), "blocks-1: has " + std::to_string(left) + " bytes, but had " +
                                    std::to_string(bytes) + " when it was closed");
    }
    std::filesystem::remove(file);
    expect_words(opening(), "blocks-1: has 0 bytes");
}

TEST_F(ioservice_damage, a_wrong_bit_is_found) {
    make_closed();
    for (const std::streamoff at : {std::streamoff{0}, std::streamoff{9}, std::streamoff{17},
                                    std::streamoff{25}, std::streamoff{33}, std::streamoff{41},
                                    std::streamoff{49}, std::streamoff{page_bytes}, size - 1}) {
        flip(2 * size + at);
        expect_words(opening(), "blocks-1: block 2 is damaged: its checksum is ");
        expect_words(opening(), "blocks-1: block 2 ");  // the error stays
        flip(2 * size + at);
        EXPECT_EQ(message_of([&] { store(path("s"), {}).close(); }), "none");
    }
}

TEST_F(ioservice_damage, a_lost_block_is_found) {
    for (const std::uint64_t most_blocks : {1U, 3U}) {
        {
            store made(path("s"), {});
            for (key_type key = 0; key < 40; ++key) {
                put(made, key, 1, most_blocks);
            }
            made.close();
        }
        for (std::streamoff where = 0; where < 3; ++where) {
            std::fstream file(path("s/blocks-1"), std::ios::binary | std::ios::in | std::ios::out);
            file.seekp(where * size) << std::string(sizeof(block), '\0');
        }
        expect_words(opening(), most_blocks == 1 ? " values, but had " : "not whole");
        std::filesystem::remove_all(path("s"));
    }
}

TEST_F(ioservice_damage, a_wrong_mark_is_found) {
    make_closed();
    for (const std::string text : {"", "nonsense", "ioservice-closed-1\n1 2\n3 4\n",
                                   "ioservice-closed-1\n1 1\n1 1\n1 1\n1 1\n1\n"}) {
        std::ofstream(path("s/closed")) << text;
        expect_words(opening(), "closed: is not what a store writes");
    }
}

TEST_F(ioservice_damage, a_get_finds_a_block_that_was_changed_meanwhile) {
    store tested(path("s"), {});
    for (key_type key = 0; key < 40; ++key) {
        put(tested, key, 1, 1);
    }
    flip(2 * size + 5000);
    int found = 0;
    for (key_type key = 0; key < 40; ++key) {
        const std::string message = message_of([&] { tested.get(key); });
        if (message != "none") {
            expect_words(message, "blocks-1: block 2 is damaged");
            ++found;
        }
    }
    EXPECT_EQ(found, 1);
}

TEST_F(ioservice_damage, a_get_finds_blocks_of_other_values) {
    store tested(path("s"), {});
    for (key_type key = 0; key < 40; ++key) {
        put(tested, key, 1, 1);
    }
    std::fstream file(path("s/blocks-1"), std::ios::binary | std::ios::in | std::ios::out);
    std::string copied(sizeof(block), '\0');
    file.read(copied.data(), size);
    file.seekp(size);
    file << copied << std::flush;
    int found = 0;
    for (key_type key = 0; key < 40; ++key) {
        const std::string message = message_of([&] { tested.get(key); });
        if (message != "none") {
            expect_words(message, "blocks-1: block 1 has part 0 of key ");
            ++found;
        }
    }
    EXPECT_EQ(found, 1);
}

TEST_F(ioservice_damage, a_get_finds_a_file_that_was_cut_meanwhile) {
    store tested(path("s"), {});
    put(tested, 1, 1, 1);
    for (const auto& each : std::filesystem::directory_iterator(path("s"))) {
        std::filesystem::resize_file(each.path(), each.file_size() / 2);
    }
    expect_words(message_of([&] { tested.get(1); }), "block 0 is cut off: the file ends in it");
}

}  // namespace
}  // namespace ioservice
