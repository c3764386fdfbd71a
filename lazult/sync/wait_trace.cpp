// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "lazult/sync/wait_names.hpp"
#include "lazult/watch/watch.hpp"

namespace lazult::sync {
namespace {

using record = waiter<>;

// The time that a sleep lasts, in a trace.
constexpr std::uint64_t without_end = ~std::uint64_t{0};

std::string words_of_sleep(std::uint64_t ns) {
    return ns == without_end ? "a sleep without an end"
                             : "a sleep of " + words_of_duration(static_cast<std::int64_t>(ns));
}

watch::known_wait described_traced(std::uint8_t number, std::uint64_t object) {
    const auto kind = static_cast<wait_kind>(number);
    watch::known_wait wait{name(kind), reinterpret_cast<const void*>(object)};
    switch (kind) {
        case wait_kind::end_of_unit: wait.words = "the end of an OS thread"; break;
        case wait_kind::sleep: wait.words = words_of_sleep(object); break;
        default: wait.words = words_of(kind, object);
    }
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

std::uintptr_t as_word(const void* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address);
}

// The records of one wait, as a search finds them.
class found_records {
public:
    found_records(const core::work_unit& self, const claim_word<>& claim) noexcept
        : self_(self), claim_(claim) {}

    // Looks at each place from `low` to `high` where a record or a record_block may stand.
    void search(std::uintptr_t low, std::uintptr_t high) noexcept {
        constexpr std::uintptr_t step = alignof(record);
        for (std::uintptr_t at = (low + step - 1) / step * step; at + step <= high; at += step) {
            const auto* const where = reinterpret_cast<const std::byte*>(at);
            if (at + sizeof(record) <= high && is_record(where)) {
                add(*reinterpret_cast<const record*>(where));
            } else if (is_block(where)) {
                const std::uintptr_t begin = word_at(where + record_block_layout::begin);
                search(begin, begin + word_at(where + record_block_layout::bytes));
            }
        }
    }
    // Returns how many there are.
    std::size_t tell() const noexcept {
        const std::size_t told = std::min(count_, first_.size());
        for (std::size_t i = 0; i < told; ++i) {
            trace_wait(*first_[i], i + 1 < told ? 0 : count_ - told);
        }
        return count_;
    }

private:
    // An earlier wait may have had its claim word at the same place, but its record is not listed
    // any more. That of a unit's end is never listed, but is made anew for each wait.
    bool is_record(const std::byte* where) const noexcept {
        if (word_at(where + offsetof(record, unit)) != as_word(&self_) ||
            word_at(where + offsetof(record, claim)) != as_word(&claim_)) {
            return false;
        }
        return reinterpret_cast<const record*>(where)->kind == wait_kind::end_of_unit ||
               word_at(where + offsetof(record, next)) != 0;
    }
    bool is_block(const std::byte* where) const noexcept {
        return word_at(where + record_block_layout::mark) == as_word(&record_block_mark) &&
               word_at(where + record_block_layout::unit) == as_word(&self_);
    }
    void add(const record& found) noexcept {
        if (count_ < first_.size()) {
            first_[count_] = &found;
        }
        ++count_;
    }

    const core::work_unit& self_;
    const claim_word<>& claim_;
    std::array<const record*, watch::most_told> first_{};
    std::size_t count_ = 0;
};

}  // namespace

void trace_wait(const record& of, std::size_t more) noexcept {
    if (of.object == nullptr || !is_registered(of.kind)) {
        return;
    }
    if (of.kind == wait_kind::end_of_unit && core::is_descriptor(of.object)) {
        auto* unit = static_cast<core::work_unit*>(const_cast<void*>(of.object));
        core::trace_join(core::joined::any, &unit, 1, more);
    } else {
        core::trace_wait(static_cast<std::uint8_t>(of.kind), packed(of.kind, of.object), more);
    }
}

void trace_claimed_wait(const core::work_unit& self, const claim_word<>& claim,
                        std::int64_t deadline_ns) noexcept {
    constexpr std::uintptr_t most_bytes = 8192;  // the records stand in the nearest frames
    if (self.stk == nullptr) {
        return;
    }
    const std::uintptr_t here = as_word(__builtin_frame_address(0));
    found_records all(self, claim);
    all.search(here, std::min(as_word(self.stk->high), here + most_bytes));
    if (all.tell() == 0 && deadline_ns >= 0) {
        trace_sleep(deadline_ns);
    }
}

void trace_sleep(std::int64_t deadline_ns) noexcept {
    const bool has_end = deadline_ns != std::numeric_limits<std::int64_t>::max();
    const std::uint64_t lasts =
        has_end ? static_cast<std::uint64_t>(std::max<std::int64_t>(deadline_ns - os::now_ns(), 0))
                : without_end;
    core::trace_wait(static_cast<std::uint8_t>(wait_kind::sleep), lasts);
}

std::string words_of_duration(std::int64_t ns) {
    struct unit {
        double ns;
        const char* name;
    };
    constexpr unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    constexpr double rounds_up = 0.9995;  // to the next larger unit
    const auto value = static_cast<double>(ns);
    const unit* of = units;
    while (of->ns > 1 && value < of->ns * rounds_up) {
        ++of;
    }
    const double number = value / of->ns;
    char text[32];
    std::snprintf(text, sizeof text, number < 1000 ? "%.3g %s" : "%.0f %s", number, of->name);
    return text;
}

}  // namespace lazult::sync
