// SPDX-License-Identifier: BSD-3-Clause
#include "trees.hpp"

#include <lazult/lazult.hpp>

#include <chrono>
#include <memory>

namespace forks {
namespace {

using lazult::fork_join;
using lazult::forker;

struct node {
    node* left = nullptr;
    node* right = nullptr;
    long value = 0;
};

std::vector<node> make_tree(std::size_t count) {
    std::vector<node> tree(count);
    for (std::size_t i = 0; i < count; ++i) {
        tree[i].value = static_cast<long>(i);
        if (2 * i + 2 < count) {
            tree[i].left = &tree[2 * i + 1];
            tree[i].right = &tree[2 * i + 2];
        }
    }
    return tree;
}

[[gnu::noinline]] long plain_sum(const node* n) {
    if (n->left == nullptr) {
        return n->value;
    }
    return n->value + plain_sum(n->left) + plain_sum(n->right);
}

[[gnu::noinline]] long forked_sum(forker fork, const node* n) {
    if (n->left == nullptr) {
        return n->value;
    }
    const auto [left, right] = fork.both([n](forker f) { return forked_sum(f, n->left); },
                                         [n](forker f) { return forked_sum(f, n->right); });
    return n->value + left + right;
}

long compute_for_a_microsecond() {
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::microseconds(1);
    while (clock::now() < end) {
    }
    return 1;
}

long plain_chain(int nodes) {
    long sum = 0;
    for (int i = 0; i < nodes; ++i) {
        sum += compute_for_a_microsecond();
    }
    return sum;
}

template <bool leaf_first>
long forked_chain(forker fork, int nodes) {
    if (nodes == 0) {
        return 0;
    }
    const auto leaf = [](forker) { return compute_for_a_microsecond(); };
    const auto rest = [nodes](forker f) { return forked_chain<leaf_first>(f, nodes - 1); };
    const auto [a, b] = leaf_first ? fork.both(leaf, rest) : fork.both(rest, leaf);
    return a + b;
}

struct meeting_place {
    lazult::mutex lock;
    lazult::channel<long> passage{4};
};

// The same calls without forks block nobody else.
long meet(meeting_place& place, long value) {
    if (value % 2000 == 0) {
        place.lock.lock();
        lazult::this_thread::yield();
        place.lock.unlock();
        return value;
    }
    place.passage.send(value);
    return *place.passage.receive();
}

long value_of(meeting_place& place, const node* n) {
    return n->value % 1000 == 0 ? meet(place, n->value) : n->value;
}

long plain_blocking_sum(meeting_place& place, const node* n) {
    const long own = value_of(place, n);
    return n->left == nullptr
               ? own
               : own + plain_blocking_sum(place, n->left) + plain_blocking_sum(place, n->right);
}

long forked_blocking_sum(forker fork, meeting_place* place, const node* n) {
    const long own = value_of(*place, n);
    if (n->left == nullptr) {
        return own;
    }
    const auto [left, right] =
        fork.both([place, n](forker f) { return forked_blocking_sum(f, place, n->left); },
                  [place, n](forker f) { return forked_blocking_sum(f, place, n->right); });
    return own + left + right;
}

double forks_of(int depth) { return static_cast<double>((std::size_t{1} << (depth - 1)) - 1); }

std::shared_ptr<std::vector<node>> tree_of(int depth) {
    return std::make_shared<std::vector<node>>(make_tree((std::size_t{1} << depth) - 1));
}

}  // namespace

work tree_sum(const std::string& name, int depth, int calls) {
    const auto tree = tree_of(depth);
    return {name, [tree] { return plain_sum(tree->data()); },
            [tree] {
                return fork_join([root = tree->data()](forker f) { return forked_sum(f, root); });
            },
            forks_of(depth), calls};
}

work one_sided(const std::string& name, int nodes, bool leaf_first) {
    return {name, [nodes] { return plain_chain(nodes); },
            [nodes, leaf_first] {
                return leaf_first
                           ? fork_join([nodes](forker f) { return forked_chain<true>(f, nodes); })
                           : fork_join([nodes](forker f) { return forked_chain<false>(f, nodes); });
            },
            static_cast<double>(nodes), 1};
}

work blocking_tree(const std::string& name, int depth) {
    const auto tree = tree_of(depth);
    const auto place = std::make_shared<meeting_place>();
    return {name, [tree, place] { return plain_blocking_sum(*place, tree->data()); },
            [tree, place] {
                return fork_join([place = place.get(), root = tree->data()](forker f) {
                    return forked_blocking_sum(f, place, root);
                });
            },
            forks_of(depth), 1};
}

}  // namespace forks
