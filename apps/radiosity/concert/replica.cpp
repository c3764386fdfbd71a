// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/replica.hpp"

#include "apps/radiosity/world.hpp"

namespace radiosity {
namespace {

const replica* in_use = nullptr;

}  // namespace

replica::replica(const scene& of, const limits& exactness)
    : patches(patches_of(of)), within(exactness) {
    for (const record& patch : patches) {
        among.insert(patch);
    }
}

const replica& replica_here() { return *in_use; }

replica_in_use::replica_in_use(const replica& mine) { in_use = &mine; }
replica_in_use::~replica_in_use() { in_use = nullptr; }

}  // namespace radiosity
