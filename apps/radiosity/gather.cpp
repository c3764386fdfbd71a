// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/gather.hpp"

#include <optional>

#include "apps/radiosity/light.hpp"
#include "apps/radiosity/visibility.hpp"

namespace radiosity {
namespace {

void divide_receiver(element& e, const interaction& of) {
    element* children = e.divide();
    for (int i = 0; i < 4; ++i) {
        if (const std::optional<coupling> with = couple(children[i].seen, of.source->seen)) {
            children[i].interactions.push_back({of.source, *with});
        }
    }
}

void divide_source(const element& e, const interaction& of, std::vector<interaction>& parts) {
    element* children = of.source->divide();
    for (int i = 0; i < 4; ++i) {
        if (const std::optional<coupling> with = couple(e.seen, children[i].seen)) {
            parts.push_back({&children[i], *with});
        }
    }
}

}  // namespace

void compute_visibility(const element& receiver, interaction& with, const occluders& among) {
    with.with.visibility = visibility_between(receiver.seen, with.source->seen, among);
}

std::vector<interaction> sort_out(element& e, const std::vector<interaction>& judged,
                                  const limits& within) {
    std::vector<interaction> parts;
    const std::size_t count = e.interactions.size() + judged.size();
    for (const interaction& one : judged) {
        const double brightness = mean(one.source->radiosity());
        switch (judge(one.with, e.seen, one.source->seen, brightness, count, within)) {
            case verdict::keep: e.interactions.push_back(one); break;
            case verdict::divide_receiver: divide_receiver(e, one); break;
            case verdict::divide_source: divide_source(e, one, parts); break;
        }
    }
    return parts;
}

colour sum_of_interactions(const element& e) {
    colour total{};
    for (const interaction& one : e.interactions) {
        total = total + arriving(one.with, one.source->radiosity());
    }
    return e.seen.reflectance * total;
}

colour combine(element& e, const colour& down) {
    e.set_radiosity(radiosity_of(e.seen, down, e.incoming));
    return e.incoming;
}

colour combine(element& e, const colour& down, const std::array<colour, 4>& parts) {
    const colour up = gathered(e.incoming, parts);
    e.set_radiosity(radiosity_of(e.seen, down, up));
    return up;
}

colour settle(element& e, const colour& down) {
    element* children = e.children();
    if (children == nullptr) {
        return combine(e, down);
    }
    std::array<colour, 4> parts;
    for (std::size_t i = 0; i < 4; ++i) {
        parts[i] = settle(children[i], down + e.incoming);
    }
    return combine(e, down, parts);
}

}  // namespace radiosity
