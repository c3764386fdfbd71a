// SPDX-License-Identifier: BSD-3-Clause
#include "abi/loop_start.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>

#include "tasks/reductions.hpp"
#include "teams/barrier.hpp"
#include "threads/spinning.hpp"

namespace lazult::omp {
namespace {

void provide_memory(work_share& s, const share_extras& extras, bool is_first) {
    if (extras.memory == nullptr) {
        return;
    }
    if (is_first) {
        const auto bytes = reinterpret_cast<std::uintptr_t>(*extras.memory);
        s.memory = std::calloc(1, std::max<std::size_t>(bytes, 1));
    }
    *extras.memory = s.memory;
}

// Enters a construct. The first thread in calls `describe` to set it up.
template <class Describe>
void enter_construct(const share_extras& extras, Describe describe) {
    const unit_data& mine = me();
    thread& t = *mine.here;
    const bool is_first = enter_share(t);
    if (is_first) {
        describe(t, mine.running->variables);
    }
    provide_memory(*t.at.share, extras, is_first);
    if (extras.reductions != nullptr) {
        enter_share_reductions(t, extras.reductions, is_first);
    }
    if (is_first) {
        publish_share(t);
    }
}

// --- doacross loops: each iteration of the outermost loop has a word, which says how far its inner
// loops have posted

struct inner_position {
    std::uint64_t value = 0;
    void add(std::uint64_t count, std::uint64_t index) noexcept { value = value * count + index; }
};

void describe_doacross(work_share& s, unsigned dimensions, const std::uint64_t* counts) {
    s.dimensions = dimensions;
    s.inner_counts = new std::uint64_t[dimensions];
    std::copy_n(counts, dimensions, s.inner_counts);
    s.posted = new atomic<std::uint64_t>[std::max<std::uint64_t>(counts[0], 1)];
}

void post(const void* numbers) {
    const work_share& s = *me().here->at.share;
    if (s.posted == nullptr) {
        return;
    }
    const auto* const at = static_cast<const std::uint64_t*>(numbers);
    inner_position inner;
    for (unsigned i = 1; i < s.dimensions; ++i) {
        inner.add(s.inner_counts[i], at[i]);
    }
    // pairs with: wait_for_post()
    s.posted[at[0]].exchange(inner.value + 1, std::memory_order_seq_cst);
    wake_all(&s.posted[at[0]]);
}

void wait_for_post(const work_share& s, std::uint64_t first, std::uint64_t inner) {
    if (first >= s.loop.bounds.count) {
        return;
    }
    const atomic<std::uint64_t>* const word = &s.posted[first];
    // pairs with: post(), exchange
    wait_while(own_wait::iteration, word,
               [word, inner] { return word->load(std::memory_order_seq_cst) <= inner; });
}

}  // namespace

void enter_loop(const loop_request& wanted, const share_extras& extras) {
    const bool is_plain = extras.reductions == nullptr && extras.memory == nullptr;
    if (is_plain && enter_split_loop(*me().here, wanted)) {
        return;
    }
    enter_construct(extras,
                    [&](thread& t, const icvs& own) { describe_loop(t, resolved(wanted, own)); });
    join_split_loop(*me().here);
}

void enter_doacross(unsigned dimensions, const std::uint64_t* counts, doacross_schedule how,
                    const share_extras& extras) {
    enter_construct(extras, [&](thread& t, const icvs& own) {
        const loop_request wanted{bounds_of(true, 0, counts[0], 1), how.kind | schedule_monotonic,
                                  how.chunk};
        describe_loop(t, resolved(wanted, own));
        describe_doacross(*t.at.share, dimensions, counts);
    });
}

loop_bounds section_bounds(unsigned count) noexcept {
    return bounds_of(true, std::uint64_t{1}, std::uint64_t{count} + 1, 1);
}

void end_construct() {
    thread& t = *me().here;
    pass_share(t);
    wait_at_barrier(t, t.its_team->inside, cancellation::ignored);
}

bool end_cancellable_construct() {
    thread& t = *me().here;
    give_up_loop(t);
    pass_share(t);
    return wait_at_barrier(t, t.its_team->inside, cancellation::ends_wait);
}

}  // namespace lazult::omp

using namespace lazult::omp;

namespace {

// Reads the indices of the inner loops, which follow the first argument.
template <class Number>
std::uint64_t read_inner(const work_share& s, va_list rest) {
    inner_position inner;
    for (unsigned i = 1; i < s.dimensions; ++i) {
        inner.add(s.inner_counts[i], static_cast<std::uint64_t>(va_arg(rest, Number)));
    }
    return inner.value;
}

}  // namespace

extern "C" {

// --- sections

OMP_API unsigned GOMP_sections_next() {
    unsigned long long from = 0;
    unsigned long long to = 0;
    return next_chunk(&from, &to) ? static_cast<unsigned>(from) : 0;
}

OMP_API unsigned GOMP_sections_start(unsigned count) {
    enter_loop({section_bounds(count), in_order(schedule_dynamic), 1}, {});
    return GOMP_sections_next();
}

OMP_API unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
    enter_loop({section_bounds(count), in_order(schedule_dynamic), 1}, {reductions, memory});
    return GOMP_sections_next();
}

OMP_API void GOMP_sections_end() { end_construct(); }
OMP_API void GOMP_sections_end_nowait() { leave_share(*me().here); }
OMP_API bool GOMP_sections_end_cancel() { return end_cancellable_construct(); }

// A scope is a construct without iterations. It is entered for its reductions only.
OMP_API void GOMP_scope_start(std::uintptr_t* reductions) {
    enter_loop({section_bounds(0), in_order(schedule_dynamic), 1}, {reductions, nullptr});
    leave_share(*me().here);
}

// --- ordered regions and doacross loops

OMP_API void GOMP_ordered_start() { await_turn(*me().here); }
OMP_API void GOMP_ordered_end() {}

OMP_API void GOMP_doacross_post(long* at) { post(at); }
OMP_API void GOMP_doacross_ull_post(unsigned long long* at) { post(at); }

OMP_API void GOMP_doacross_wait(long first, ...) {
    const work_share& s = *me().here->at.share;
    va_list rest;
    va_start(rest, first);
    const std::uint64_t inner = read_inner<long>(s, rest);
    va_end(rest);
    wait_for_post(s, static_cast<std::uint64_t>(first), inner);
}

OMP_API void GOMP_doacross_ull_wait(unsigned long long first, ...) {
    const work_share& s = *me().here->at.share;
    va_list rest;
    va_start(rest, first);
    const std::uint64_t inner = read_inner<unsigned long long>(s, rest);
    va_end(rest);
    wait_for_post(s, first, inner);
}
}
