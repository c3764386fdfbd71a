// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/memory/traffic.hpp"

#include <atomic>

#include "lazult/ds/ds.hpp"

namespace lazult::core {
namespace {

constexpr std::size_t much = std::size_t{1} << 20;

// field   written by      read by   order
// moves   anybody         anybody   relaxed: a hint, of which some may be lost
// caller  set_collector   anybody   relaxed: a function that is there always
constinit ds::default_atomics::atomic<std::uint64_t> moves{0};
constinit ds::default_atomics::atomic<collector> caller{nullptr};

}  // namespace

void note_traffic(std::size_t bytes) noexcept {
    moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    if (bytes >= much) LAZULT_UNLIKELY {
        if (const collector calls = caller.load(std::memory_order_relaxed); calls != nullptr) {
            calls();
        }
    }
}

std::uint64_t count_traffic() noexcept { return moves.load(std::memory_order_relaxed); }

void set_collector(collector calls) noexcept { caller.store(calls, std::memory_order_relaxed); }

}  // namespace lazult::core
