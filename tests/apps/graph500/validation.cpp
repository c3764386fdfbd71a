// SPDX-License-Identifier: BSD-3-Clause
// Each of the five rules is broken in turn, and found broken; a right tree passes.
#include "apps/graph500/validation.hpp"

#include "apps/graph500/search.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

using namespace lazult::graph500;

namespace {

// A square 0 1 2 3 with a tail 3 - 4 - 5, a self-loop, a doubled edge, and 6 - 7 apart.
const std::vector<edge> list = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4},
                                {4, 5}, {5, 4}, {2, 2}, {6, 7}};
const std::vector<vertex> right = {0, 0, 1, 0, 3, 4, nobody, nobody};

void expect(std::vector<vertex> parents, const char* rule) {
    const verdict found = validate(0, parents, list);
    if (found.broken_rule.substr(0, 1) != rule) {
        std::fprintf(stderr, "rule \"%s\" is expected to be broken, and found is \"%s\"\n", rule,
                     found.broken_rule.c_str());
        std::abort();
    }
}

std::vector<vertex> with(std::size_t child, vertex parent) {
    std::vector<vertex> changed = right;
    changed[child] = parent;
    return changed;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    expect(right, "");
    if (validate(0, right, list).edges_traversed != 8) {
        std::fprintf(stderr, "the edges of the component are miscounted\n");
        std::abort();
    }
    expect({0, 0, 1, 0, 5, 4, nobody, nobody}, "1");  // 4 and 5 are each other's parents
    expect(with(0, 1), "1");                          // the root has a parent
    expect(with(5, 6), "1");                          // a parent that is not in the tree
    expect(with(5, 3), "5");                          // no edge 3 - 5
    // 3 on the third level, though 0 is its neighbour
    expect({0, 0, 1, 2, 3, 4, nobody, nobody}, "3");
    expect(with(5, nobody), "4");  // 5 is left out
    MPI_Finalize();
    return 0;
}
