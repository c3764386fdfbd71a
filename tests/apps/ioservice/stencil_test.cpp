// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/stencil.hpp"

#include "tests/apps/ioservice/support.hpp"

namespace ioservice {
namespace {

TEST(ioservice_stencil, steps_by_ults_are_those_of_one_caller) {
    const runtime started;
    const streams computing(2);
    for (const int tasks : {1, 3, 64, 100}) {
        stencil alone(67);
        stencil by_ults(67);
        for (int i = 0; i < 20; ++i) {
            alone.step();
            by_ults.step(computing.pool(), tasks);
        }
        EXPECT_TRUE(by_ults == alone) << tasks;
        alone.step();
        EXPECT_FALSE(by_ults == alone);
    }
}

TEST(ioservice_values, each_byte_counts) {
    value made = sample_value(4, 17, 3);
    EXPECT_EQ(stamp_of(made, 4), 17U);
    EXPECT_FALSE(stamp_of(made, 5));
    for (std::size_t part = 0; part < made.parts(); ++part) {
        for (const std::size_t at : {std::size_t{0}, std::size_t{8}, made.bytes_of(part) - 1}) {
            made.part(part).data[at] ^= 1;
            EXPECT_FALSE(stamp_of(made, 4)) << part << ' ' << at;
            made.part(part).data[at] ^= 1;
        }
    }
    EXPECT_FALSE(stamp_of(value(3), 4));
}

TEST(ioservice_checksum, each_bit_counts) {
    std::vector<unsigned char> data(4096, 3);
    const std::uint64_t sum = checksum(data.data(), data.size(), 1);
    EXPECT_NE(checksum(data.data(), data.size(), 2), sum);
    for (std::size_t bit = 0; bit < data.size() * 8; bit += 5) {
        data[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
        EXPECT_NE(checksum(data.data(), data.size(), 1), sum);
        data[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    }
}

}  // namespace
}  // namespace ioservice
