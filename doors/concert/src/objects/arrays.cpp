// SPDX-License-Identifier: BSD-3-Clause
// Arrays of objects: their memory, and what each rank knows of them.
#include "contexts/simulated_rank.hpp"
#include "contexts/strand.hpp"
#include "contexts/transport.hpp"
#include "objects/objects.hpp"

#include "lazult/base/base.hpp"

#include <lazult/error.hpp>

#include <lazult_concert/array.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace lazult::concert {
namespace {

// What this rank knows, or each simulated rank. Tables stay, because names of ended arrays may
// still travel.
struct known_tables {
    using key = std::pair<std::uint32_t, std::uint64_t>;  // simulated rank, and the array
    std::mutex lock;
    std::map<key, std::unique_ptr<detail::array_table>> of;
};
known_tables::key key_of(std::uint64_t id) noexcept {
    const simulated_identity* const me = simulated_here();
    return {me == nullptr ? 0 : me->number, id};
}
known_tables& tables() {
    static known_tables all;
    return all;
}

// Blocks of ended arrays, by stride and count. Where one header was, only headers come again, so
// that an old name is found out. Only the thread inside the strand touches its own.
struct free_blocks {
    struct shape {
        std::size_t count;
        std::size_t stride;
        friend bool operator==(const shape&, const shape&) = default;
    };
    std::vector<std::pair<shape, detail::object_header*>> all;
};
free_blocks& blocks_here() {
    static free_blocks of_strand[most_strands];
    static base::never_destroyed<free_blocks> of_simulated;  // one of them runs at a time
    if (detail::here.inside->simulated != 0) LAZULT_UNLIKELY {
        return *of_simulated;
    }
    return of_strand[(detail::here.inside->home >> 16) & 0xff];
}

detail::object_header* reuse(std::size_t count, std::size_t stride) {
    auto& free = blocks_here().all;
    for (auto& each : free) {
        if (each.first == free_blocks::shape{count, stride}) {
            detail::object_header* const first = each.second;
            each = free.back();
            free.pop_back();
            return first;
        }
    }
    return nullptr;
}

}  // namespace

namespace detail {

void refuse_count() {
    throw error(errc::invalid_argument, "create_array", "the number of elements is negative",
                "give 0 or more");
}

std::uint64_t new_array_id() {
    static constinit ds::default_atomics::atomic<std::uint64_t> next{1};
    // relaxed: any number will do that no other array of this rank has
    return (std::uint64_t{number_of_this_rank()} << 48) |
           next.fetch_add(1, std::memory_order_relaxed);
}

const array_table* keep_table(array_table table) {
    auto mine = std::make_unique<array_table>(std::move(table));
    const array_table* const result = mine.get();
    const std::lock_guard hold(tables().lock);
    tables().of.emplace(key_of(result->id), std::move(mine));
    return result;
}

const array_table* table_of(std::uint64_t id) noexcept {
    const std::lock_guard hold(tables().lock);
    const auto found = tables().of.find(key_of(id));
    if (found == tables().of.end()) LAZULT_UNLIKELY {
        base::fatal_misuse("global_array", "this rank does not know it",
                           "use an array when the call that makes it has ended");
    }
    return found->second.get();
}

object_header* take_objects(std::size_t count, std::size_t stride) {
    object_header* first = reuse(count, stride);
    if (first == nullptr) {
        blocks_here().all.reserve(blocks_here().all.size() + 1);
        auto* const block = static_cast<std::byte*>(
            ::operator new(count * stride, std::align_val_t(alignof(object_header))));
        for (std::size_t i = 0; i < count; ++i) {
            ::new (block + i * stride) object_header;
        }
        first = std::launder(reinterpret_cast<object_header*>(block));
    }
    for (std::size_t i = 0; i < count; ++i) {
        object_header& h = *header_at(first, i, stride);
        h.body = &h + 1;
        h.home = here.inside->home;
        h.size_class = object_header::in_array;
    }
    count_objects(static_cast<std::int64_t>(count));
    return first;
}

void give_objects_back(object_header* first, std::size_t count, std::size_t stride) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        ++header_at(first, i, stride)->generation;
    }
    count_objects(-static_cast<std::int64_t>(count));
    try {
        blocks_here().all.push_back({{count, stride}, first});
    } catch (const std::bad_alloc&) {  // the block is lost
    }
}

std::size_t strands_of_each_rank() noexcept { return strands_in_use(); }

std::uint32_t count_of_ranks() noexcept {
    const transport* const ranks = transport::current();
    return ranks == nullptr ? 1 : ranks->count_of_ranks();
}

std::uint32_t number_of_this_rank() noexcept { return own_rank(); }

}  // namespace detail
}  // namespace lazult::concert
