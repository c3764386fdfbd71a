// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/world.hpp"

#include <bit>
#include <optional>

#include "apps/radiosity/light.hpp"

namespace radiosity {
namespace {

void list_interaction(element& receiver, element& source) {
    if (const std::optional<coupling> with = couple(receiver.seen, source.seen)) {
        receiver.interactions.push_back({&source, *with});
    }
}

// FNV-1a over words.
std::uint64_t mix(std::uint64_t so_far, std::uint64_t word) {
    return (so_far ^ word) * 0x100000001b3U;
}

}  // namespace

std::vector<record> patches_of(const scene& of) {
    std::vector<record> patches;
    const auto add = [&](const polygon& from, const triangle& corners) {
        patches.push_back(record_of(corners, from.reflectance, from.emittance,
                                    static_cast<std::uint32_t>(patches.size())));
    };
    for (const polygon& one : of.polygons) {
        const std::vector<vec3>& at = one.corners;
        add(one, {at[0], at[1], at[2]});
        if (at.size() == 4) {
            add(one, {at[2], at[3], at[0]});
        }
    }
    return patches;
}

world::world(const scene& of) {
    for (const record& patch : patches_of(of)) {
        among.insert(patch);
        roots.push_back(std::make_unique<element>(patch));
        element& added = *roots.back();
        for (std::size_t i = 0; i + 1 < roots.size(); ++i) {
            list_interaction(*roots[i], added);
            list_interaction(added, *roots[i]);
        }
    }
}

void census::append(const census& next) {
    elements += next.elements;
    leaves += next.leaves;
    interactions += next.interactions;
    visibilities += next.visibilities;
    checksum = mix(checksum, next.checksum);
}

void census::append(const colour& light, std::size_t its_interactions,
                    std::uint64_t its_visibilities, bool is_leaf) {
    census own{1, is_leaf ? 1U : 0U, its_interactions, its_visibilities, 0xcbf29ce484222325U};
    append(own);
    for (const double part : {light.red, light.green, light.blue}) {
        checksum = mix(checksum, std::bit_cast<std::uint64_t>(part));
    }
}

census count(element& root) {
    census found;
    for_each_element(root, [&](const element& e) {
        found.append(e.seen.radiosity, e.interactions.size(), e.visibilities,
                     e.children() == nullptr);
    });
    return found;
}

census count(const world& all) {
    census found;
    for (const std::unique_ptr<element>& root : all.roots) {
        found.append(count(*root));
    }
    return found;
}

balance balance_of(const world& all) {
    balance found;
    for (const std::unique_ptr<element>& root : all.roots) {
        found.emitted += root->seen.area * sum(root->seen.emittance);
        for_each_element(*root, [&](const element& e) {
            if (e.children() == nullptr) {
                found.absorbed += absorbed_by(e.seen);
            }
        });
    }
    return found;
}

double total_energy(const world& all) {
    double total = 0;
    for (const std::unique_ptr<element>& root : all.roots) {
        total += energy_of(root->seen);
    }
    return total;
}

}  // namespace radiosity
