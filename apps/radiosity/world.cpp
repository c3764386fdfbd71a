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

census count(element& root) {
    census found;
    for_each_element(root, [&](const element& e) {
        const colour& last = e.seen.radiosity;
        found.append({1, 0, e.interactions.size(), e.visibilities, 0xcbf29ce484222325U});
        for (const double part : {last.red, last.green, last.blue}) {
            found.checksum = mix(found.checksum, std::bit_cast<std::uint64_t>(part));
        }
        if (e.children() == nullptr) {
            ++found.leaves;
        }
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

namespace {

// Of one colour: of what arrives, a surface reflects one share and absorbs the other.
double absorbed_of(double radiosity, double emittance, double reflectance) {
    const double arriving = reflectance > 0 ? (radiosity - emittance) / reflectance : 0;
    return (1 - reflectance) * arriving;
}

double absorbed_by(const record& leaf) {
    const colour& light = leaf.radiosity;
    const colour& own = leaf.emittance;
    const colour& paint = leaf.reflectance;
    return leaf.area * (absorbed_of(light.red, own.red, paint.red) +
                        absorbed_of(light.green, own.green, paint.green) +
                        absorbed_of(light.blue, own.blue, paint.blue));
}

}  // namespace

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
