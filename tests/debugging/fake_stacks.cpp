// SPDX-License-Identifier: BSD-3-Clause
// AddressSanitizer keeps the locals of each thread on a fake stack, which lasts until the thread
// tells it that it has ended. Here threads suspend while others steal, so that the streams' loops
// begin anew again and again; prints the growth of mapped memory in MiB, over as much work as had
// been done before.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string_view>

#include <lazult/lazult.hpp>

namespace {

using lazult::technique;

double mapped_mib() {
    std::ifstream sizes("/proc/self/statm");
    double pages = 0;
    sizes >> pages;
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

unsigned leaves_of_tree(technique how, unsigned depth) {
    if (depth == 0) {
        return 1;
    }
    unsigned left = 0;
    lazult::thread child(lazult::thread_attributes{.how = how},
                         [&] { left = leaves_of_tree(how, depth - 1); });
    lazult::this_thread::yield();
    const unsigned right = leaves_of_tree(how, depth - 1);
    child.join();
    return left + right;
}

bool grow_trees(technique how, int count) {
    constexpr unsigned depth = 6;
    unsigned leaves = 0;
    for (int i = 0; i < count; ++i) {
        lazult::thread root(lazult::thread_attributes{.how = how},
                            [&] { leaves += leaves_of_tree(how, depth); });
        root.join();
    }
    return leaves == static_cast<unsigned>(count) << depth;
}

}  // namespace

int main(int count, char** arguments) {
    constexpr int trees = 200;
    for (int i = 0; count == 2 && i < 7; ++i) {
        const auto how = static_cast<technique>(i);
        if (lazult::name(how) == arguments[1]) {
            const lazult::runtime streams({.streams = 3, .bind = lazult::bind_kind::off});
            bool all = grow_trees(how, trees);
            const double before = mapped_mib();
            all = grow_trees(how, trees) && all;
            std::printf("%.1f\n", mapped_mib() - before);
            return all ? 0 : 1;
        }
    }
    std::fprintf(stderr, "usage: fake_stacks TECHNIQUE\n");
    return 2;
}
