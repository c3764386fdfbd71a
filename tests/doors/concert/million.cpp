// SPDX-License-Identifier: BSD-3-Clause
// Usage: million [MESSAGES]. So many go from all to all: none is lost or doubled, and those of one
// sender keep their order.
#include "harness.hpp"

#include <cstdlib>

using namespace lazult;
using namespace lazult::testing;

namespace {

struct state {
    std::vector<std::uint64_t> expected;  // from each source
    std::uint64_t received = 0;
    std::uint64_t checksum = 0;
};

std::uint64_t share(std::uint64_t total, int size) {
    return total / (static_cast<std::uint64_t>(size) * static_cast<std::uint64_t>(size)) + 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t total = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
    concert::session world;
    state here;
    const concert::handler<std::uint64_t, std::uint64_t> count(
        "count", [&](int source, std::uint64_t number, std::uint64_t check) {
            CHECK(number == here.expected[static_cast<std::size_t>(source)]);
            CHECK(check == number * 7 + static_cast<std::uint64_t>(source));
            ++here.expected[static_cast<std::size_t>(source)];
            ++here.received;
        });
    with_each_queue([&](concert::queue& queue, const configuration& how) {
        here = {};
        here.expected.resize(static_cast<std::size_t>(world.size()));
        const std::uint64_t each = share(how.scaled(total), world.size());
        const auto mine = static_cast<std::uint64_t>(world.rank());
        for (std::uint64_t number = 0; number < each; ++number) {
            for (int to = 0; to < world.size(); ++to) {
                count.send(queue, to, number, number * 7 + mine);
            }
            if (number % 64 == 0) {
                queue.extract();
            }
        }
        world.quiesce();
        CHECK(here.received == each * static_cast<std::uint64_t>(world.size()));
        const concert_counters counted = queue.counters();
        CHECK(counted.sent == here.received);
        CHECK(counted.delivered == here.received);
        CHECK(how.aggregates() ? counted.packets < counted.sent : counted.packets == counted.sent);
    });
    passed("million");
    return 0;
}
