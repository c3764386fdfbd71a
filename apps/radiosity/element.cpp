// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/element.hpp"

#include <memory>

namespace radiosity {

struct element::quartet {
    explicit quartet(const record& whole)
        : parts{element(quarter(whole, 0)), element(quarter(whole, 1)), element(quarter(whole, 2)),
                element(quarter(whole, 3))} {}
    std::array<element, 4> parts;
};

element::~element() { delete children_.load(std::memory_order_relaxed); }

element* element::children() const {
    // pairs with: compare_exchange_strong in element::divide
    quartet* found = children_.load(std::memory_order_acquire);
    return found == nullptr ? nullptr : found->parts.data();
}

namespace {

double read(double& part) { return std::atomic_ref<double>(part).load(std::memory_order_relaxed); }
void write(double& part, double value) {
    std::atomic_ref<double>(part).store(value, std::memory_order_relaxed);
}

}  // namespace

colour element::radiosity() {
    colour& shared = seen.radiosity;
    return {read(shared.red), read(shared.green), read(shared.blue)};
}

void element::set_radiosity(const colour& value) {
    colour& shared = seen.radiosity;
    write(shared.red, value.red);
    write(shared.green, value.green);
    write(shared.blue, value.blue);
}

element* element::divide() {
    if (element* found = children()) {
        return found;
    }
    const record whole{seen.corners,     seen.in,        seen.area, radiosity(),
                       seen.reflectance, seen.emittance, seen.patch};
    auto made = std::make_unique<quartet>(whole);
    quartet* expected = nullptr;
    // pairs with: children_.load in element::children, and itself
    if (children_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
        return made.release()->parts.data();
    }
    return expected->parts.data();
}

}  // namespace radiosity
