// SPDX-License-Identifier: BSD-3-Clause
// A wavefront over a square of nodes: each waits for the one above and the one to its left.
#include <lazult/lazult.hpp>

#include <algorithm>
#include <vector>

#include "cases.hpp"

namespace {

constexpr int side = 200;
using value = lazult::shared_future<int>;

int value_of(const value* neighbour) { return neighbour == nullptr ? 0 : neighbour->get(); }

double wavefronts(long rounds) {
    for (long round = 0; round < rounds; ++round) {
        std::vector<value> nodes(side * side);
        for (int i = 0; i < side * side; ++i) {
            const value* above = i >= side ? &nodes[i - side] : nullptr;
            const value* left = i % side != 0 ? &nodes[i - 1] : nullptr;
            nodes[i] = lazult::async([above, left, first = i == 0] {
                begin_unit(first);
                return std::max(value_of(above), value_of(left)) + 1;
            });
        }
        for (int i = 0; i < side * side; ++i) {
            bench_check(nodes[i].get() == i / side + i % side + 1, "the way to a node");
        }
    }
    return static_cast<double>(rounds) * side * side;
}

}  // namespace

case_list graph_cases() {
    return {{"futures", "a node of a wavefront of 200 times 200", 2, 1, wavefronts}};
}
