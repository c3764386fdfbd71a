// SPDX-License-Identifier: BSD-3-Clause
// More file operations under way than a ring has entries: none is lost, and none is made twice.
#include "tests/io/faults.hpp"

#include <sys/stat.h>

namespace lazult {
namespace {

using namespace lazult::testing;

constexpr unsigned operations = 1500;  // a ring has 256 entries, and room for 512 ends

// The stream looks into its port so rarely that all units have begun before the first one goes on.
class full_ring : public ::testing::TestWithParam<io_kind> {
protected:
    // Runs f(number) in many ULTs. Says how many were in f at one time.
    template <class F>
    unsigned together(F f) {
        std::atomic<unsigned> now{0};
        std::atomic<unsigned> most{0};
        in_ults(operations, [&](unsigned number) {
            most = std::max(most.load(), ++now);
            f(number);
            --now;
        });
        return most;
    }

    lazult::runtime running_{
        lazult::options{.streams = 1, .event_period = 10'000, .io = GetParam()}};
    const passing_file file_;
};

TEST_P(full_ring, each_read_gets_its_own_block) {
    const int fd = file_.open_direct(O_RDWR);
    for (unsigned number = 0; number < operations; ++number) {
        numbered_block block(number);
        ASSERT_EQ(::pwrite(fd, block.data(), block_bytes, place_of_block(number)),
                  ssize_t{block_bytes});
    }
    for (int round = 0; round < 3; ++round) {
        std::atomic<unsigned> right{0};
        const unsigned most = together([&](unsigned i) {
            const unsigned number = i * 7 % operations;
            numbered_block block(operations);
            EXPECT_EQ(io::pread(fd, block.data(), block_bytes, place_of_block(number)).value(),
                      std::int64_t{block_bytes});
            right += block.is_whole() && block.number() == number ? 1 : 0;
        });
        EXPECT_EQ(right, operations);
        EXPECT_EQ(most, operations);
    }
    ::close(fd);
}

// Each write adds a block at the end, so one that is made twice is there twice.
TEST_P(full_ring, each_write_is_made_once) {
    const int fd = file_.open_direct(O_RDWR | O_APPEND);
    ASSERT_TRUE(io::adopt(fd).ok());
    const unsigned most = together([&](unsigned number) {
        numbered_block block(number);
        EXPECT_EQ(io::write(fd, block.data(), block_bytes).value(), std::int64_t{block_bytes});
    });
    EXPECT_EQ(most, operations);
    struct stat about{};
    EXPECT_EQ(::fstat(fd, &about), 0);
    EXPECT_EQ(about.st_size, place_of_block(operations));
    std::vector<unsigned> times(operations, 0);
    for (unsigned i = 0; i < operations; ++i) {
        numbered_block block(operations);
        EXPECT_EQ(::pread(fd, block.data(), block_bytes, place_of_block(i)), ssize_t{block_bytes});
        ASSERT_TRUE(block.is_whole());
        ASSERT_LT(block.number(), operations);
        ++times[block.number()];
    }
    EXPECT_EQ(std::count(times.begin(), times.end(), 1U), std::ptrdiff_t{operations});
    EXPECT_TRUE(io::close(fd).ok());
}

// Readers, writers and synchronisations in one ring, by several streams, and beside pipes.
TEST(full_rings, of_several_streams_mix_everything) {
    const lazult::runtime running(lazult::options{.streams = 3, .event_period = 2'000});
    const passing_file file;
    const int fd = file.open_direct(O_RDWR);
    const ends both = make_pipe(owner::library);
    lazult::thread reader([&] {
        std::string got(operations, '\0');
        EXPECT_EQ(io::read_all(both.in, got.data(), got.size()).bytes(), got.size());
        EXPECT_EQ(got, std::string(operations, 'x'));
    });
    in_ults(operations, [&](unsigned number) {
        numbered_block block(number);
        EXPECT_EQ(io::pwrite(fd, block.data(), block_bytes, place_of_block(number)).value(),
                  std::int64_t{block_bytes});
        EXPECT_EQ(io::write(both.out, "x", 1).value(), 1);
        if (number % 50 == 0) {
            EXPECT_EQ(io::fdatasync(fd).value(), 0);
        }
        block.fill(0);
        EXPECT_EQ(io::pread(fd, block.data(), block_bytes, place_of_block(number)).value(),
                  std::int64_t{block_bytes});
        EXPECT_TRUE(block.is_whole());
        EXPECT_EQ(block.number(), number);
    });
    reader.join();
    ::close(fd);
}

INSTANTIATE_TEST_SUITE_P(all, full_ring, ::testing::Values(io_kind::automatic, io_kind::threads),
                         [](const ::testing::TestParamInfo<io_kind>& info) {
                             return info.param == io_kind::threads ? "threads" : "automatic";
                         });

}  // namespace
}  // namespace lazult
