// SPDX-License-Identifier: BSD-3-Clause
// Results that do not go to a slot of the strand that their giver is inside: to another strand, to
// a thread that waits outside, to another rank. And the reports about wrong uses of continuations.
#include "contexts/strand.hpp"

#include "lazult/base/base.hpp"

#include <new>
#include <utility>

namespace lazult::concert {
namespace {

// A result for a slot of another strand. It owns the value, which stands behind it.
struct posted_result : news {
    detail::continuation_words to;
    detail::parcel what;
    std::exception_ptr error;

    // Moves the value out of the parcel. Returns nullptr, and moves nothing, if there is no memory.
    static posted_result* make(const detail::continuation_words& to,
                               detail::parcel& from) noexcept {
        void* const memory = ::operator new(sizeof(posted_result) + from.of->bytes, std::nothrow);
        if (memory == nullptr) {
            return nullptr;
        }
        auto* const p = ::new (memory) posted_result();
        p->take = fill;
        p->to = to;
        p->what = from;
        if (from.error != nullptr) {
            p->error = std::move(*from.error);
            p->what.error = &p->error;
        } else {
            p->what.value = p + 1;
            from.of->move(p->what.value, from.value);
        }
        return p;
    }

private:
    posted_result() = default;
    ~posted_result() = default;

    static void fill(news* n, strand& in) {
        auto* const p = static_cast<posted_result*>(n);
        if (p->to.kind() != detail::target_kind::future) {
            in.count_down(p->to, p->what);
        } else {
            detail::fill_slot(in, p->to,
                              [&](detail::slot_base* s) { p->what.of->put(s, p->what); });
        }
        if (p->what.error == nullptr) {
            p->what.of->destroy(p->what.value);
        }
        p->~posted_result();
        ::operator delete(p);
    }
};

// The value's bytes must not need more than posted_result's alignment.
static_assert(sizeof(posted_result) % 16 == 0);

bool is_of_this_process(std::uint32_t rank) noexcept {
    return rank == own_rank() || rank == own_rank_unknown;
}

}  // namespace

namespace detail {

void refuse_resolution(const continuation_words& to) noexcept {
    const bool is_gone = to.address()->generation != to.generation();
    base::fatal_misuse(
        "continuation",
        is_gone ? "the method that waited for it has ended" : "it has been used already",
        "use each continuation once");
}

void check_untouched(const continuation_words& to, const context& c, const slot_base& s) noexcept {
    if (c.generation != to.generation() || s.state != slot_state::untouched) {
        refuse_resolution(to);
    }
}

void refuse_return() noexcept {
    base::fatal_misuse("method",
                       "it took its continuation and did not return given(), or the reverse",
                       "return given() after take(), and only then; throw nothing in between");
}

void refuse_second_take() noexcept {
    base::fatal_misuse("method", "it has taken its continuation already", "take it once");
}

void refuse_no_exception() noexcept {
    base::fatal_misuse("continuation", "fail() was given no exception",
                       "give one, or resolve() it");
}

void resolve_elsewhere(const continuation_words& to, parcel& what) {
    if (to.kind() == target_kind::nobody) {
        return;
    }
    if (!is_of_this_process(to.rank())) {
        send_result(to, what);
        return;
    }
    if (to.kind() == target_kind::waiter) {
        auto& waiter = *reinterpret_cast<waiting_thread*>(to.address());
        what.of->put(waiter.slot, what);
        event_of(waiter).set();
        return;
    }
    strand& home = strand_number(to.strand());
    if (&strand_of_thread() == &home && to.kind() != target_kind::future) {
        home.count_down(to, what);
        return;
    }
    posted_result* const p = posted_result::make(to, what);
    if (p == nullptr) LAZULT_UNLIKELY {
        base::fatal_misuse("continuation", "there is no memory for a result of another strand",
                           "keep fewer results under way between strands and threads");
    }
    home.post(p);
}

}  // namespace detail
}  // namespace lazult::concert
