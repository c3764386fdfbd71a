// SPDX-License-Identifier: BSD-3-Clause
// What is measured, each once by plain calls and once by forks. They return a number by which both
// are compared.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace forks {

struct work {
    std::string name;
    std::function<long()> plain;
    std::function<long()> forked;
    double forks;  // in one call
    int calls;     // that are timed together
};

// A tree of 2^depth - 1 nodes, of which all but the leaves have two children, is summed up.
work tree_sum(const std::string& name, int depth, int calls);
// A tree that has one child at each node, and a leaf, which computes for a microsecond: it comes
// first, or it comes last.
work one_sided(const std::string& name, int nodes, bool leaf_first);
// A full tree; every 1,000th node locks a mutex that is held over a yield, or sends to a channel
// and receives from it.
work blocking_tree(const std::string& name, int depth);

}  // namespace forks
