// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/shared_element.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/radiosity/concert/replica.hpp"
#include "apps/radiosity/concert/simulated_time.hpp"
#include "apps/radiosity/light.hpp"
#include "apps/radiosity/visibility.hpp"

namespace radiosity {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::outcome;
using concert::task;

shared_element::shared_element(std::uint64_t patch) : seen_(replica_here().patches[patch]) {}

double shared_element::energy() const { return energy_of(seen_); }

std::array<element_name, 4> shared_element::divide() {
    if (is_leaf()) {
        for (std::size_t i = 0; i < children_.size(); ++i) {
            children_[i] = concert::create<shared_element>(quarter(seen_, i));
        }
    }
    return children_;
}

void shared_element::list_interactions(element_array roots) {
    const std::vector<record>& patches = replica_here().patches;
    for (std::size_t i = 0; i < patches.size(); ++i) {
        if (i == seen_.patch) {
            continue;
        }
        if (const std::optional<coupling> with = couple(seen_, patches[i])) {
            interactions_.push_back({roots[i], *with});
        }
    }
}

// --- judging: in any order, and at the same time

outcome<void> shared_element::judge_all(shared_element* self, round* in) {
    in->count = self->interactions_.size() + in->list.size();
    return concert::each(0, static_cast<std::int64_t>(in->list.size()), judge_one, self, in);
}

// Does not wait if what it reads is in this strand, or is remembered.
outcome<void> shared_element::judge_one(std::int64_t i, shared_element* self, round* in) {
    const auto index = static_cast<std::size_t>(i);
    const shared_interaction& one = in->list[index];
    if (one.with.visibility == coupling::undefined) {
        return concert::call_cached<&shared_element::facts>(one.source)
            .keep(self, in, index)
            .then([](shared_element* e, round* r, std::size_t at, const record& source) {
                return e->see(*r, at, source);
            });
    }
    return concert::call_cached<&shared_element::bright>(one.source)
        .keep(self, in, index)
        .then([](shared_element* e, round* r, std::size_t at,
                 const brightness& source) -> outcome<void> {
            const verdict found = e->judge(*r, at, source);
            return found == verdict::keep ? outcome<void>() : e->read_and_divide(*r, at, found);
        });
}

outcome<void> shared_element::read_and_divide(round& in, std::size_t i, verdict found) const {
    return concert::call_cached<&shared_element::facts>(in.list[i].source)
        .keep(this, &in, i, found)
        .then([](const shared_element* e, round* r, std::size_t at, verdict f,
                 const record& source) { return e->divide_one(*r, at, f, source); });
}

outcome<void> shared_element::see(round& in, std::size_t i, const record& source) {
    ray_work done;
    in.list[i].with.visibility = visibility_between(seen_, source, replica_here().among, done);
    spend_time_of(done);
    ++visibilities_;
    const verdict found = judge(in, i, {source.radiosity, source.area});
    return found == verdict::keep ? outcome<void>() : divide_one(in, i, found, source);
}

verdict shared_element::judge(round& in, std::size_t i, const brightness& source) const {
    shared_interaction& one = in.list[i];
    one.light = source.radiosity;
    return radiosity::judge(one.with, seen_.area, source.area, mean(source.radiosity), in.count,
                            replica_here().within);
}

outcome<void> shared_element::divide_one(round& in, std::size_t i, verdict found,
                                         const record& source) const {
    if (found == verdict::divide_receiver) {
        in.divisions.push_back(divide_receiver(in, i, source));
        return {};
    }
    return call(&shared_element::divide, in.list[i].source)
        .keep(this, &in, i, source)
        .then([](const shared_element* e, round* r, std::size_t at, const record& s,
                 const std::array<element_name, 4>& into) {
            r->divisions.push_back(e->divide_source(at, s, into));
        });
}

shared_element::division shared_element::divide_receiver(const round& in, std::size_t i,
                                                         const record& source) const {
    division made{i, true, {}};
    for (std::size_t j = 0; j < 4; ++j) {
        if (const std::optional<coupling> with = couple(quarter(seen_, j), source)) {
            made.parts.push_back({j, {in.list[i].source, *with}});
        }
    }
    spend_time_of_couplings(4);
    return made;
}

shared_element::division shared_element::divide_source(
    std::size_t i, const record& source, const std::array<element_name, 4>& into) const {
    division made{i, false, {}};
    for (std::size_t j = 0; j < 4; ++j) {
        if (const std::optional<coupling> with = couple(seen_, quarter(source, j))) {
            made.parts.push_back({0, {into[j], *with}});
        }
    }
    spend_time_of_couplings(4);
    return made;
}

// --- gathering: in the order of the list, so that all runs sum up alike

interaction_list shared_element::sort_out(round& in, lists_of_children& for_children) {
    if (in.divisions.empty() && interactions_.empty()) {
        interactions_ = std::move(in.list);
        return {};
    }
    std::ranges::sort(in.divisions, {}, &division::index);
    interaction_list next;
    auto divided = in.divisions.begin();
    for (std::size_t i = 0; i < in.list.size(); ++i) {
        if (divided == in.divisions.end() || divided->index != i) {
            interactions_.push_back(in.list[i]);
            continue;
        }
        if (divided->is_of_receiver) {
            divide();
        }
        for (const part& p : divided->parts) {
            (divided->is_of_receiver ? for_children[p.quarter] : next).push_back(p.made);
        }
        ++divided;
    }
    return next;
}

colour shared_element::sum_of_interactions() const {
    colour total{};
    for (const shared_interaction& one : interactions_) {
        total = total + arriving(one.with, one.light);
    }
    return seen_.reflectance * total;
}

task<void> shared_element::gather(interaction_list from_parent) {
    interaction_list list = std::exchange(interactions_, {});
    list.insert(list.end(), from_parent.begin(), from_parent.end());
    lists_of_children for_children;
    while (!list.empty()) {
        round now{std::move(list), {}};
        co_await call(judge_all, this, &now);
        list = sort_out(now, for_children);
    }
    incoming_ = sum_of_interactions();
    if (!is_leaf()) {
        constexpr auto gathers = concert::unguarded<&shared_element::gather>;
        co_await all(call(gathers, children_[0], std::move(for_children[0])),
                     call(gathers, children_[1], std::move(for_children[1])),
                     call(gathers, children_[2], std::move(for_children[2])),
                     call(gathers, children_[3], std::move(for_children[3])));
    }
}

outcome<colour> shared_element::settle(colour down) {
    if (is_leaf()) {
        seen_.radiosity = radiosity_of(seen_, down, incoming_);
        return incoming_;
    }
    const colour below = down + incoming_;
    return all(call(&shared_element::settle, children_[0], below),
               call(&shared_element::settle, children_[1], below),
               call(&shared_element::settle, children_[2], below),
               call(&shared_element::settle, children_[3], below))
        .keep(this, down)
        .then([](shared_element* e, colour from_parents, colour a, colour b, colour c, colour d) {
            const colour up = gathered(e->incoming_, {a, b, c, d});
            e->seen_.radiosity = radiosity_of(e->seen_, from_parents, up);
            return up;
        });
}

// --- after the last iteration

task<tree_count> shared_element::count(tree_count so_far) const {
    so_far.counted.append(seen_.radiosity, interactions_.size(), visibilities_, is_leaf());
    if (is_leaf()) {
        so_far.absorbed += absorbed_by(seen_);
        co_return so_far;
    }
    for (const element_name& child : children_) {
        so_far = co_await call(&shared_element::count, child, so_far);
    }
    co_return so_far;
}

outcome<void> shared_element::end_children() {
    if (is_leaf()) {
        return {};
    }
    const auto end = [](element_name child) -> outcome<void> {
        return call(&shared_element::end_children, child).keep(child).then([](element_name c) {
            return call(concert::destroy, c);
        });
    };
    const std::array<element_name, 4> ended = std::exchange(children_, {});
    return all(call(end, ended[0]), call(end, ended[1]), call(end, ended[2]), call(end, ended[3]))
        .then([] {});
}

}  // namespace radiosity
