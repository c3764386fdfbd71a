// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_description.hpp"

#include <algorithm>
#include <cstdint>

#include "lazult/sync/mutex_view.hpp"
#include "lazult/sync/timer_heap.hpp"
#include "lazult/sync/wait_names.hpp"
#include "lazult/sync/wait_note.hpp"
#include "lazult/sync/wait_table.hpp"

namespace lazult::sync {
namespace {

using record = waiter<>;

// A copy of a part of a stack, or of the memory of a record_block. What is not a record may look
// like one, so an address in the copy is followed only by reads that cannot fault.
class memory_copy {
public:
    memory_copy(const void* from, const void* to) {
        const auto low = reinterpret_cast<std::uintptr_t>(from);
        const auto high = reinterpret_cast<std::uintptr_t>(to);
        first_ = (low + alignof(record) - 1) / alignof(record) * alignof(record);
        if (high < first_ + sizeof(record)) {
            return;
        }
        pieces_.resize((high - first_) / sizeof(piece));
        if (!os::read_memory(reinterpret_cast<const void*>(first_), pieces_.data(),
                             pieces_.size() * sizeof(piece))) {
            pieces_.clear();
        }
    }

    // Calls visit(copy, address) for each place where a record may stand.
    template <class Visit>
    void for_each_record(Visit visit) const {
        for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
            visit(*reinterpret_cast<const record*>(pieces_.data() + i), first_ + i * sizeof(piece));
        }
    }
    template <class Visit>
    void for_each_block(Visit visit) const {
        for (const piece& each : pieces_) {
            visit(*reinterpret_cast<const record_block*>(&each));
        }
    }
    bool holds(std::uintptr_t address) const noexcept {
        return address - first_ < pieces_.size() * sizeof(piece);
    }

private:
    struct alignas(alignof(record)) piece {
        std::byte bytes[alignof(record)];
    };
    static_assert(sizeof(record) == 2 * sizeof(piece) && sizeof(record_block) == sizeof(piece));

    std::uintptr_t first_ = 0;
    std::vector<piece> pieces_;
};

std::uintptr_t link_at(const record* at, std::size_t offset) noexcept {
    std::uintptr_t link = 0;
    os::read_memory(reinterpret_cast<const std::byte*>(at) + offset, &link, sizeof link);
    return link;
}

// Returns whether the neighbours of a record point back to it. A record that was taken has none.
bool is_in_ring(const record& copy, std::uintptr_t where) noexcept {
    return copy.next != nullptr && copy.prev != nullptr &&
           link_at(copy.next, offsetof(record, prev)) == where &&
           link_at(copy.prev, offsetof(record, next)) == where;
}

const core::work_unit* holder_of(const void* object) noexcept {
    mutex_view copy{};
    return os::read_memory(object, &copy, sizeof copy) ? copy.holder() : nullptr;
}

watch::known_wait described(const record& r) {
    watch::known_wait wait{name(r.kind), r.object};
    wait.words = words_of(r.kind, packed(r.kind, r.object));
    if (r.kind == wait_kind::mutex) {
        wait.held_by = holder_of(r.object);
    } else if (r.kind == wait_kind::end_of_unit) {
        wait.for_end_of = static_cast<const core::work_unit*>(r.object);
    }
    return wait;
}

// Finds the waits of one unit.
class search {
public:
    search(const core::work_unit& waiting, std::vector<watch::known_wait>& into)
        : waiting_(waiting), into_(into) {}

    void look_at(const memory_copy& memory) {
        memory.for_each_record([&](const record& r, std::uintptr_t where) {
            const bool is_ours =
                r.unit == &waiting_ && r.object != nullptr && is_registered(r.kind);
            if (is_ours &&
                (r.kind == wait_kind::end_of_unit ? awaits_end(r, memory) : is_in_ring(r, where))) {
                into_.push_back(described(r));
            }
        });
    }

private:
    // Returns whether a record of wait_any() still waits: then the unit's join word points to the
    // memory where the record was found.
    static bool awaits_end(const record& copy, const memory_copy& memory) noexcept {
        if (!core::is_descriptor(copy.object)) {
            return false;
        }
        const auto word = static_cast<const core::work_unit*>(copy.object)->join.peek();
        constexpr auto tag = core::join_word<>::record_tag;
        return core::join_word<>::is_waiter(word) && (word & tag) != 0 && memory.holds(word & ~tag);
    }

    const core::work_unit& waiting_;
    std::vector<watch::known_wait>& into_;
};

}  // namespace

void describe_waits(const core::work_unit& waiting, std::vector<watch::known_wait>& into) {
    constexpr std::size_t most_bytes = std::size_t{1} << 20;
    if (!waiting.has_saved_context() || waiting.stk == nullptr) {
        return;
    }
    const auto* const low = reinterpret_cast<const std::byte*>(waiting.context);
    const auto* const high = static_cast<const std::byte*>(waiting.stk->high);
    const memory_copy stack(low, std::min(high, low + most_bytes));
    search all(waiting, into);
    all.look_at(stack);
    stack.for_each_block([&](const record_block& b) {
        if (b.is_of(waiting)) {
            all.look_at(memory_copy(b.begin(), b.begin() + b.bytes()));
        }
    });
}

}  // namespace lazult::sync

extern "C" {
[[gnu::used]] const lazult::sync::wait_table lazult_wait_table = {
    .version = 3,
    .record_bytes = sizeof(lazult::sync::record),
    .record_alignment = alignof(lazult::sync::record),
    .record_next = offsetof(lazult::sync::record, next),
    .record_prev = offsetof(lazult::sync::record, prev),
    .record_unit = offsetof(lazult::sync::record, unit),
    .record_kind = offsetof(lazult::sync::record, kind),
    .record_object = offsetof(lazult::sync::record, object),
    .mutex_owner = offsetof(lazult::sync::mutex_view, owner),
    .timer_bytes = sizeof(lazult::sync::timer),
    .timer_alignment = alignof(lazult::sync::timer),
    .timer_unit = offsetof(lazult::sync::timer, unit),
    .timer_state = offsetof(lazult::sync::timer, state),
    .timer_armed = static_cast<std::uint64_t>(lazult::sync::timer::life::armed),
    .names = lazult::sync::wait_kind_names,
    .name_count = lazult::sync::most_wait_kinds,
    .end_of_unit = static_cast<std::uint64_t>(lazult::sync::wait_kind::end_of_unit),
    .timer_deadline = offsetof(lazult::sync::timer, deadline_ns),
    .timer_child = offsetof(lazult::sync::timer, child),
    .timer_sibling = offsetof(lazult::sync::timer, sibling),
    .timer_before = offsetof(lazult::sync::timer, before),
    .block_mark = lazult::sync::record_block_layout::mark,
    .block_unit = lazult::sync::record_block_layout::unit,
    .block_begin = lazult::sync::record_block_layout::begin,
    .block_bytes = lazult::sync::record_block_layout::bytes,
    .block_mark_value = &lazult::sync::record_block_mark,
    .note_self = offsetof(lazult::sync::wait_note, self),
    .note_unit = offsetof(lazult::sync::wait_note, unit),
    .note_words = offsetof(lazult::sync::wait_note, words),
    .note_first = offsetof(lazult::sync::wait_note, first),
    .note_second = offsetof(lazult::sync::wait_note, second),
    .words_what = offsetof(lazult::sync::wait_words, what),
    .words_form = offsetof(lazult::sync::wait_words, form),
};
}
