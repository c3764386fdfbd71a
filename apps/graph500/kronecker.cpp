// SPDX-License-Identifier: BSD-3-Clause
#include "apps/graph500/kronecker.hpp"

namespace lazult::graph500 {
namespace {

constexpr double a = 0.57;
constexpr double b = 0.19;
constexpr double c = 0.19;

double uniform(std::uint64_t bits) noexcept { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// A permutation of the numbers below 2^scale: each step can be undone.
vertex renamed(const graph_size& size, vertex v) noexcept {
    const std::uint64_t mask = size.vertices() - 1;
    const unsigned half = (size.scale + 1) / 2;
    for (std::uint64_t round = 0; round < 4; ++round) {
        v = (v * (scrambled(size.seed, ~round) | 1) + scrambled(size.seed + 1, ~round)) & mask;
        v ^= v >> half;
    }
    return v;
}

}  // namespace

std::uint64_t scrambled(std::uint64_t seed, std::uint64_t number) noexcept {
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + number + 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;
    x = (x + number) * 0xff51afd7ed558ccdULL;
    return x ^ (x >> 32);
}

edge kronecker_edge(const graph_size& size, std::uint64_t number) {
    constexpr double norm_a = a / (a + b);
    constexpr double norm_c = c / (1 - (a + b));
    edge result{0, 0};
    for (unsigned bit = 0; bit < size.scale; ++bit) {
        const std::uint64_t draw = (number * size.scale + bit) * 2;
        const bool from = uniform(scrambled(size.seed, draw)) > a + b;
        const bool to = uniform(scrambled(size.seed, draw + 1)) > (from ? norm_c : norm_a);
        result.from |= std::uint64_t{from} << bit;
        result.to |= std::uint64_t{to} << bit;
    }
    return {renamed(size, result.from), renamed(size, result.to)};
}

std::vector<edge> kronecker_share(const graph_size& size, unsigned rank, unsigned ranks) {
    std::vector<edge> share;
    share.reserve(size.edges() / ranks + 1);
    for (std::uint64_t number = rank; number < size.edges(); number += ranks) {
        share.push_back(kronecker_edge(size, number));
    }
    return share;
}

}  // namespace lazult::graph500
