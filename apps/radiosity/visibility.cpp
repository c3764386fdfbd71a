// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/visibility.hpp"

#include <array>
#include <utility>

namespace radiosity {
namespace {

// Pairs of quarters that a ray joins. Each quarter of either element has two or three.
constexpr std::array<std::pair<std::size_t, std::size_t>, 10> joined{
    {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 2}, {1, 3}}};
constexpr bool each_is_another() {
    for (std::size_t i = 1; i < joined.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (joined[i] == joined[j]) {
                return false;
            }
        }
    }
    return true;
}
static_assert(each_is_another());

constexpr double if_no_ray_fits = 0.1;

// The last two patches that stopped a ray of this OS thread: the next ray often meets them, too.
// Whether they do is asked, so those of another scene do no harm.
struct recent_occluders {
    std::uint32_t last = occluders::none;
    std::uint32_t last_but_one = occluders::none;

    void note(std::uint32_t patch) {
        if (patch != last) {
            last_but_one = std::exchange(last, patch);
        }
    }
};
thread_local recent_occluders recent;

bool is_stopped(const ray& r, const occluders& among, recent_occluders& seen,
                std::uint64_t& nodes) {
    for (const std::uint32_t patch : {seen.last, seen.last_but_one}) {
        if (patch < among.count() && among.stops(patch, r)) {
            seen.note(patch);
            return true;
        }
    }
    const std::uint32_t found = among.find(r, nodes);
    if (found == occluders::none) {
        return false;
    }
    seen.note(found);
    return true;
}

}  // namespace

double visibility_between(const record& from, const record& to, const occluders& among,
                          ray_work& done) {
    const std::array<vec3, 4> starts = centroids_of_quarters(from.corners);
    const std::array<vec3, 4> ends = centroids_of_quarters(to.corners);
    recent_occluders& seen = recent;
    int tried = 0;
    int arrived = 0;
    for (const auto& [start, end] : joined) {
        const vec3 way = ends[end] - starts[start];
        if (dot(way, from.in.normal) <= 0 || dot(way, to.in.normal) >= 0) {
            continue;
        }
        ++tried;
        const ray r = ray_between(starts[start], from, ends[end], to);
        arrived += is_stopped(r, among, seen, done.nodes) ? 0 : 1;
    }
    ++done.elements;
    done.rays += static_cast<std::uint64_t>(tried);
    return tried == 0 ? if_no_ray_fits : static_cast<double>(arrived) / tried;
}

double visibility_between(const record& from, const record& to, const occluders& among) {
    ray_work uncounted;
    return visibility_between(from, to, among, uncounted);
}

}  // namespace radiosity
