// SPDX-License-Identifier: BSD-3-Clause
// The driver of `lazult bench peers` for oneTBB.
#include <tbb/tbb.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "case.h"
#include "counters.hpp"

namespace {

std::optional<tbb::global_control> limit;

void open_streams(int streams) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(streams));
}
void close_streams() { limit.reset(); }

// Each loop is measured with the partitioner that it has by default and with the one that adds
// least.
template <int n, class Partitioner>
double light_loops(long rounds) {
    static counters<n> of_all;
    int* data = of_all.data.data();
    for (long round = 0; round < rounds; ++round) {
        tbb::parallel_for(0, n, [=](int i) { data[i] += 1; }, Partitioner());
    }
    of_all.check(rounds);
    return static_cast<double>(rounds);
}

template <class Partitioner>
double nested_loops(long rounds) {
    constexpr int n = 1000;
    static counters<n * n> of_all;
    int* data = of_all.data.data();
    for (long round = 0; round < rounds; ++round) {
        const auto inner = [=](int i) {
            tbb::parallel_for(0, n, [=](int j) { data[i * n + j] += 1; }, Partitioner());
        };
        tbb::parallel_for(0, n, inner, Partitioner());
    }
    of_all.check(rounds);
    return static_cast<double>(rounds);
}

constexpr int side = 200;
using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

// Each node of the graph waits for the one above and the one to its left.
double wavefronts(long rounds) {
    for (long round = 0; round < rounds; ++round) {
        std::vector<int> values(side * side);
        std::vector<std::unique_ptr<node>> nodes;
        tbb::flow::graph graph;
        for (int i = 0; i < side * side; ++i) {
            const int* above = i >= side ? &values[i - side] : nullptr;
            const int* left = i % side != 0 ? &values[i - 1] : nullptr;
            nodes.push_back(std::make_unique<node>(
                graph,
                [above, left, here = &values[i], first = i == 0](const tbb::flow::continue_msg&) {
                    if (first && raises_inexact != 0) {
                        bench_raise_inexact();
                    }
                    *here =
                        std::max(above != nullptr ? *above : 0, left != nullptr ? *left : 0) + 1;
                }));
            if (above != nullptr) {
                tbb::flow::make_edge(*nodes[i - side], *nodes[i]);
            }
            if (left != nullptr) {
                tbb::flow::make_edge(*nodes[i - 1], *nodes[i]);
            }
        }
        nodes.front()->try_put({});
        graph.wait_for_all();
        for (int i = 0; i < side * side; ++i) {
            bench_check(values[i] == i / side + i % side + 1, "the way to a node");
        }
    }
    return static_cast<double>(rounds) * side * side;
}

using by_default = tbb::auto_partitioner;
using even = tbb::static_partitioner;

const peers_case cases[] = {
    {"loop-one-stream", "parallel_for of 1,000 iterations", 1, 20000,
     light_loops<1000, by_default>},
    {"loop-one-stream-static", "with static_partitioner", 1, 50000, light_loops<1000, even>},
    {"loop-two-streams", "parallel_for of 1,000 iterations", 2, 20000,
     light_loops<1000, by_default>},
    {"loop-two-streams-static", "with static_partitioner", 2, 50000, light_loops<1000, even>},
    {"nested-one-stream", "parallel_for of 1,000 times 1,000", 1, 20, nested_loops<by_default>},
    {"nested-one-stream-static", "with static_partitioner", 1, 50, nested_loops<even>},
    {"nested-two-streams", "parallel_for of 1,000 times 1,000", 2, 20, nested_loops<by_default>},
    {"nested-two-streams-static", "with static_partitioner", 2, 50, nested_loops<even>},
    {"large-loop", "parallel_for of 100,000 iterations", 2, 1000, light_loops<100000, by_default>},
    {"large-loop-static", "with static_partitioner", 2, 1000, light_loops<100000, even>},
    {"graph", "a node of a flow graph of 200 times 200", 2, 1, wavefronts},
    {}};

}  // namespace

int main(int argc, char** argv) {
    return peers_main(argc, argv, cases, open_streams, close_streams);
}
