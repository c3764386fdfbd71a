// SPDX-License-Identifier: BSD-3-Clause
// A circle among objects whose methods wait for each other.
#pragma once

#include <lazult_concert/global_ptr.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lazult::concert {

// An object as the report names it.
struct known_object {
    detail::object_words name;
    std::string type;
};

struct edge {
    known_object held;
    known_object wanted;
    std::uint64_t waiting = 0;  // how many methods wait for the wanted one
};

// The edges of a circle, or none.
class circle_search {
public:
    explicit circle_search(const std::vector<edge>& all) : all_(all) {}

    std::vector<edge> find() {
        for (const edge& each : all_) {
            seen_.clear();
            path_.clear();
            if (leads_back(each, each.held.name)) {
                return path_;
            }
        }
        return {};
    }

private:
    bool leads_back(const edge& by, const detail::object_words& to) {
        if (!seen_.emplace(by.held.name.target, by.wanted.name.target).second) {
            return false;
        }
        path_.push_back(by);
        if (by.wanted.name == to) {
            return true;
        }
        for (const edge& next : all_) {
            if (next.held.name == by.wanted.name && leads_back(next, to)) {
                return true;
            }
        }
        path_.pop_back();
        return false;
    }

    const std::vector<edge>& all_;
    std::vector<edge> path_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

}  // namespace lazult::concert
