// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_trace.hpp"

#include <algorithm>
#include <cstddef>

#include "lazult/sync/wait_names.hpp"
#include "lazult/watch/watch.hpp"

namespace lazult::sync {
namespace {

using record = waiter<>;

watch::known_wait described_traced(std::uint8_t number, std::uint64_t object) {
    const auto kind = static_cast<wait_kind>(number);
    watch::known_wait wait{name(kind), reinterpret_cast<const void*>(object)};
    wait.words =
        kind == wait_kind::end_of_unit ? "the end of an OS thread" : words_of(kind, object);
    return wait;
}

// Runs when the library is loaded, in every program that contains waits.
const bool trace_announced [[maybe_unused]] =
    (watch::set_traced_wait_describer(described_traced), true);

// Reads a word of any frame. What is there may be older than the frame, and wakers may change it
// meanwhile: sanitizers would complain.
__attribute__((no_sanitize("address"), no_sanitize("thread"))) std::uintptr_t word_at(
    const std::byte* where) noexcept {
    using word [[gnu::may_alias]] = const volatile std::uintptr_t;
    return *reinterpret_cast<word*>(where);
}

// Returns whether a record of this wait stands here. An earlier wait may have had its
// claim word at the same place, but its record is not listed any more. That of a unit's end is
// never listed, but is made anew for each wait.
bool is_record_of(const std::byte* where, const core::work_unit& self,
                  const claim_word<>& claim) noexcept {
    if (word_at(where + offsetof(record, unit)) != reinterpret_cast<std::uintptr_t>(&self) ||
        word_at(where + offsetof(record, claim)) != reinterpret_cast<std::uintptr_t>(&claim)) {
        return false;
    }
    return reinterpret_cast<const record*>(where)->kind == wait_kind::end_of_unit ||
           word_at(where + offsetof(record, next)) != 0;
}

}  // namespace

void trace_wait(const record& of) noexcept {
    if (of.object == nullptr || !is_registered(of.kind)) {
        return;
    }
    if (of.kind == wait_kind::end_of_unit && core::is_descriptor(of.object)) {
        auto* unit = static_cast<core::work_unit*>(const_cast<void*>(of.object));
        core::trace_join(core::joined::any, &unit, 1);
    } else {
        core::trace_wait(static_cast<std::uint8_t>(of.kind), packed(of.kind, of.object));
    }
}

void trace_claimed_wait(const core::work_unit& self, const claim_word<>& claim) noexcept {
    constexpr std::uintptr_t most_bytes = 8192;  // the records stand in the nearest frames
    constexpr std::uintptr_t step = alignof(record);
    if (self.stk == nullptr) {
        return;
    }
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const auto high = reinterpret_cast<std::uintptr_t>(self.stk->high);
    const std::uintptr_t end = std::min(high, here + most_bytes);
    for (std::uintptr_t at = (here + step - 1) / step * step; at + sizeof(record) <= end;
         at += step) {
        if (const auto* const found = reinterpret_cast<const std::byte*>(at);
            is_record_of(found, self, claim)) {
            trace_wait(*reinterpret_cast<const record*>(found));
        }
    }
}

}  // namespace lazult::sync
