// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sched/pool_kinds.hpp"

#include <algorithm>

#include "lazult/sched/lendable_fifo.hpp"
#include "lazult/sched/lending.hpp"
#include "lazult/sched/private_fifo.hpp"
#include "lazult/sched/shared_fifo.hpp"
#include "lazult/sched/staying_pool.hpp"
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

// Units of a private_fifo, and of a stealing_pool that is in no steal group, are run by its owner's
// stream alone.
constexpr pool_kind_row rows[] = {
    {"private_fifo", make_private, make<private_fifo>, true},          // for one stream
    {"shared_fifo", make<shared_fifo>, make<staying_fifo>, false},     // for any number of streams
    {"priority", make<priority_pool>, make<staying_priority>, false},  // the same, with levels
    {"work_stealing", make<stealing_pool>, make<stealing_pool>, false},  // for one, and thieves
};

}  // namespace

std::span<const pool_kind_row> pool_kinds() noexcept { return rows; }

ready_pool* make_pool(std::string_view kind, std::optional<base::started_kind> started) {
    const auto* const row = std::ranges::find(rows, kind, &pool_kind_row::name);
    if (row == std::end(rows)) {
        return nullptr;
    }
    // A lendable pool lends what has not begun, also if LAZULT_STARTED is stay. A pool
    // lends nothing if it is made with `stay`.
    const bool lends = row->is_lent && !started.has_value() && streams_may_lend();
    const auto rule = started.value_or(base::current_settings().started);
    return rule == base::started_kind::stay && !lends ? row->make_to_keep() : row->make();
}

}  // namespace lazult::sched
