// SPDX-License-Identifier: BSD-3-Clause
// What every rank has a copy of: the input patches, the occluders, and how exact the results are to
// be. It is made from the scene's name before the first object, and does not change.
#pragma once

#include <vector>

#include "apps/radiosity/occluders.hpp"
#include "apps/radiosity/record.hpp"
#include "apps/radiosity/refine.hpp"
#include "apps/radiosity/scene.hpp"

namespace radiosity {

struct replica {
    replica(const scene& of, const limits& exactness);

    std::vector<record> patches;
    occluders among;
    limits within;
};

// That of this process. Objects of other ranks cannot be told where it is, so methods ask.
const replica& replica_here();
// While this exists, replica_here() gives that replica.
class replica_in_use {
public:
    explicit replica_in_use(const replica& mine);
    ~replica_in_use();
    replica_in_use(const replica_in_use&) = delete;
    replica_in_use& operator=(const replica_in_use&) = delete;
};

}  // namespace radiosity
