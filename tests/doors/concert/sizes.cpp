// SPDX-License-Identifier: BSD-3-Clause
// Messages of all lengths, from none to the longest, mixed: each arrives whole, aligned and in
// order.
#include "harness.hpp"

#include <algorithm>
#include <numeric>
#include <random>

using namespace lazult;
using namespace lazult::testing;

namespace {

std::uint8_t pattern(int source, std::uint64_t number, std::size_t at) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(source) * 31 + number * 17 + at);
}

// Every rank knows the lengths that every other one sends: they are those of its generator.
std::vector<std::size_t> lengths_of(int source, std::size_t longest, std::size_t count) {
    std::vector<std::size_t> lengths;
    for (std::size_t edge :
         {0, 1, 7, 8, 9, 31, 32, 33, 1000, 1007, 1008, 1016, 1017, 4040, 4064, 4065, 4072}) {
        lengths.push_back(std::min(edge, longest));
    }
    lengths.push_back(longest - 1);
    lengths.push_back(longest);
    std::mt19937_64 random(static_cast<std::uint64_t>(source) + 1);
    while (lengths.size() < count) {
        const std::size_t limit = random() % 4 == 0 ? longest : 300;
        lengths.push_back(random() % (limit + 1));
    }
    return lengths;
}

}  // namespace

int main() {
    concert::session world;
    std::vector<std::uint64_t> received(static_cast<std::size_t>(world.size()));
    std::vector<std::vector<std::size_t>> lengths;
    const concert::span_handler<std::uint8_t> take(
        "take", [&](int source, std::span<const std::uint8_t> items) {
            const auto from = static_cast<std::size_t>(source);
            CHECK(reinterpret_cast<std::uintptr_t>(items.data()) % 8 == 0);
            CHECK(items.size() == lengths[from].at(received[from]));
            for (std::size_t at = 0; at < items.size(); ++at) {
                CHECK(items[at] == pattern(source, received[from], at));
            }
            ++received[from];
        });
    with_each_queue([&](concert::queue& queue, const configuration& how) {
        const std::size_t count = how.is_far() ? 60 : 400;
        std::fill(received.begin(), received.end(), 0);
        lengths.clear();
        for (int source = 0; source < world.size(); ++source) {
            lengths.push_back(lengths_of(source, how.options.max_message_bytes, count));
        }
        std::vector<std::uint8_t> buffer(how.options.max_message_bytes);
        for (std::uint64_t number = 0; number < count; ++number) {
            const std::size_t length = lengths[static_cast<std::size_t>(world.rank())][number];
            for (std::size_t at = 0; at < length; ++at) {
                buffer[at] = pattern(world.rank(), number, at);
            }
            for (int to = 0; to < world.size(); ++to) {
                take.send(queue, to, std::span(buffer).first(length));
            }
        }
        world.quiesce();
        CHECK(std::all_of(received.begin(), received.end(),
                          [&](std::uint64_t n) { return n == count; }));
    });
    passed("sizes");
    return 0;
}
