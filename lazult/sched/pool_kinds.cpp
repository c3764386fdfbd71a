// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/pool_kinds.hpp"

#include <algorithm>

#include "lazult/sched/lendable_fifo.hpp"
#include "lazult/sched/lending.hpp"
#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/shared_fifo.hpp"
#include "lazult/sched/stealing_pool.hpp"

namespace lazult::sched {
namespace {

template <class Pool>
ready_pool* make() {
    return new Pool;
}

ready_pool* make_private() {
    return streams_may_lend() ? static_cast<ready_pool*>(new lendable_fifo) : new private_fifo;
}

constexpr pool_kind_row rows[] = {
    {"private_fifo", make_private},          // for one stream
    {"shared_fifo", make<shared_fifo>},      // for any number of streams
    {"priority", make<priority_pool>},       // the same, with levels
    {"work_stealing", make<stealing_pool>},  // for one stream, and thieves
};

}  // namespace

std::span<const pool_kind_row> pool_kinds() noexcept { return rows; }

ready_pool* make_pool(std::string_view kind) {
    const auto* const row = std::ranges::find(rows, kind, &pool_kind_row::name);
    return row != std::end(rows) ? row->make() : nullptr;
}

}  // namespace lazult::sched
