// SPDX-License-Identifier: BSD-3-Clause
// What a thread that stands for a simulated rank has in place of its process: a rank, one strand, a
// way to other ranks, and a version of the runtime. src/simulation makes these.
#pragma once

#include <cstdint>

namespace lazult::concert {

class strand;
class transport;

struct simulated_identity {
    std::uint32_t number = 0;
    strand* only = nullptr;
    transport* ranks = nullptr;
    bool calls_in_contexts = false;
    // The strand must be visited. No tasklet does so: the rank's own thread does, when it is the
    // turn of contexts.
    bool owes_visit = false;
    std::uint64_t cache_epoch = 0;  // see objects/cache.cpp
};

// Of the calling thread: nullptr, if it stands for no simulated rank.
simulated_identity* simulated_here() noexcept;
// From now on the calling thread stands for this rank, or for none.
void stand_for(simulated_identity* rank) noexcept;

}  // namespace lazult::concert
