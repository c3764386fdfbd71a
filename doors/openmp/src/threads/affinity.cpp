// SPDX-License-Identifier: BSD-3-Clause
#include "threads/affinity.hpp"

#include <algorithm>

#include "environment/environment.hpp"

namespace lazult::omp {
namespace {

struct partition {
    std::uint32_t first;
    std::uint32_t count;
};

std::uint32_t all_places() noexcept {
    return static_cast<std::uint32_t>(variables().places.size());
}

void put(thread& t, std::uint32_t place, partition within) noexcept {
    t.place = place + 1;
    t.places_first = within.first;
    t.places_count = within.count;
}

// Returns the place of thread i of `size`, if these are more than the places: neighbours share one.
std::uint32_t shared_place(std::uint32_t i, std::uint32_t size, std::uint32_t places) noexcept {
    const std::uint32_t least = size / places;
    const std::uint32_t larger = size % places;
    const std::uint32_t in_larger = larger * (least + 1);
    return i < in_larger ? i / (least + 1) : larger + (i - in_larger) / least;
}

// Returns the i-th of `size` parts of a partition that has at least `size` places.
partition part_of_places(partition whole, std::uint32_t i, std::uint32_t size) noexcept {
    const std::uint32_t least = whole.count / size;
    const std::uint32_t larger = whole.count % size;
    const std::uint32_t offset = i * least + std::min(i, larger);
    return {whole.first + offset, least + (i < larger ? 1U : 0U)};
}

std::uint32_t within(partition p, std::uint32_t from, std::uint32_t steps) noexcept {
    return p.first + (from - p.first + steps) % p.count;
}

void put_close(team& region, partition p, std::uint32_t parents) noexcept {
    for (std::uint32_t i = 0; i < region.size; ++i) {
        const std::uint32_t steps =
            region.size <= p.count ? i : shared_place(i, region.size, p.count);
        put(*region.members[i], within(p, parents, steps), p);
    }
}

// The parent stays where it is, so thread 0 gets the part that holds the parent's place.
void put_spread(team& region, partition p, std::uint32_t parents) noexcept {
    if (region.size > p.count) {
        for (std::uint32_t i = 0; i < region.size; ++i) {
            const std::uint32_t at = within(p, parents, shared_place(i, region.size, p.count));
            put(*region.members[i], at, {at, 1});
        }
        return;
    }
    std::uint32_t holder = 0;
    for (std::uint32_t i = 0; i < region.size; ++i) {
        const partition part = part_of_places(p, i, region.size);
        holder = parents >= part.first && parents < part.first + part.count ? i : holder;
    }
    put(*region.members[0], parents, part_of_places(p, holder, region.size));
    for (std::uint32_t i = 1; i < region.size; ++i) {
        const partition part = part_of_places(p, (holder + i) % region.size, region.size);
        put(*region.members[i], part.first, part);
    }
}

}  // namespace

void assign_places(team& region, const thread& parent, bind_policy policy) noexcept {
    if (all_places() == 0) LAZULT_LIKELY {
        return;
    }
    const std::uint32_t parents = parent.place == 0 ? 0 : parent.place - 1;
    const partition whole = parent.places_count == 0
                                ? partition{0, all_places()}
                                : partition{parent.places_first, parent.places_count};
    switch (policy) {
        case bind_false: break;
        case bind_primary:
            for (std::uint32_t i = 0; i < region.size; ++i) {
                put(*region.members[i], parents, whole);
            }
            break;
        case bind_spread: put_spread(region, whole, parents); break;
        default: put_close(region, whole, parents); break;
    }
}

void apply_affinity(thread& t) noexcept {
    if (t.place == 0) LAZULT_LIKELY {
        return;
    }
    static thread_local std::uint32_t bound = 0;
    if (bound != t.place) {
        bound = t.place;
        os::bind_this_thread(variables().places[t.place - 1]);
    }
}

}  // namespace lazult::omp
