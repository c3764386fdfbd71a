// SPDX-License-Identifier: BSD-3-Clause
// Makes one iteration. A "fork" runs what can run in parallel. Its each(count, function) calls
// function(0) to function(count - 1), in any order or at the same time, and returns when all these
// calls have returned.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "apps/radiosity/element.hpp"
#include "apps/radiosity/occluders.hpp"
#include "apps/radiosity/refine.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

// When other elements see a new radiosity.
enum class update {
    jacobi,   // in the next iteration, so no result depends on the order
    in_place  // at once
};

struct gathering {
    const occluders& among;
    limits within;
    update how;
};

inline constexpr std::size_t visibilities_to_a_task = 4;

// Pieces of gather() below, without parallelism in them.

void compute_visibility(const element& receiver, interaction& with, const occluders& among);
// Puts what is exact enough on e's list. Of the rest, makes interactions with children: those of e
// go on the lists of its children, those of sources are returned.
std::vector<interaction> sort_out(element& e, const std::vector<interaction>& judged,
                                  const limits& within);
colour sum_of_interactions(const element& e);
// Sets the radiosity. `down` is what the parents have gathered, `parts` what the children have.
// Returns what e has gathered.
colour combine(element& e, const colour& down);
colour combine(element& e, const colour& down, const std::array<colour, 4>& parts);
// Does so for e and all below it, once all have gathered.
colour settle(element& e, const colour& down);

template <class Fork>
void compute_visibilities(element& receiver, std::vector<interaction>& list, const occluders& among,
                          const Fork& fork) {
    std::vector<interaction*> open;
    for (interaction& one : list) {
        if (one.with.visibility == coupling::undefined) {
            open.push_back(&one);
        }
    }
    receiver.visibilities += open.size();
    const std::size_t tasks = (open.size() + visibilities_to_a_task - 1) / visibilities_to_a_task;
    fork.each(tasks, [&](std::size_t task) {
        const std::size_t first = task * visibilities_to_a_task;
        const std::size_t last = std::min(first + visibilities_to_a_task, open.size());
        for (std::size_t i = first; i < last; ++i) {
            compute_visibility(receiver, *open[i], among);
        }
    });
}

template <class Fork>
void refine(element& e, const gathering& as, const Fork& fork) {
    std::vector<interaction> list = std::exchange(e.interactions, {});
    while (!list.empty()) {
        compute_visibilities(e, list, as.among, fork);
        list = sort_out(e, list, as.within);
    }
}

// Returns what e and its children have gathered, if the update is in place.
template <class Fork>
colour gather(element& e, const colour& down, const gathering& as, const Fork& fork) {
    refine(e, as, fork);
    e.incoming = sum_of_interactions(e);
    element* children = e.children();
    if (children == nullptr) {
        return as.how == update::in_place ? combine(e, down) : colour{};
    }
    std::array<colour, 4> parts;
    const colour below = down + e.incoming;
    fork.each(4, [&](std::size_t i) { parts[i] = gather(children[i], below, as, fork); });
    return as.how == update::in_place ? combine(e, down, parts) : colour{};
}

template <class Fork>
void iterate(world& all, const gathering& as, const Fork& fork) {
    fork.each(all.roots.size(), [&](std::size_t i) { gather(*all.roots[i], colour{}, as, fork); });
    if (as.how == update::jacobi) {
        fork.each(all.roots.size(), [&](std::size_t i) { settle(*all.roots[i], colour{}); });
    }
}

}  // namespace radiosity
