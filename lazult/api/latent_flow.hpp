// SPDX-License-Identifier: BSD-3-Clause
// A flow that keeps calls: its slots, and what others may know of it. See
// include/lazult/detail/latent.hpp.
//
// Slots from the first: calls that were given away, then calls that are kept, then free ones.
//   free -> kept     the flow, in user's code    a call waits there, and stands for the second part
//                                                of a fork
//   kept -> free     the flow, in user's code    it makes the call
//   kept -> given    give_oldest()               a unit makes it; the first word is the given_call
//   given -> free    take_back()                 the unit has ended, or is awaited now
// Only the flow's own OS thread does any of that, also when it gives: so no slot is ever raced for.
//
// A flow is armed while its host lists it. A suspension ends that, and gives all calls. Then the
// first free slot wants attention, and given ones always do: so the flow is armed again before it
// keeps the next call.
//
// Idle streams ask for work: they set `asked`, and attention at the slots to which the flow comes
// next. The flow gives its oldest call, which is the largest as a rule. If it is asked again soon
// it gives more of them each time. If it keeps none it gives the first parts of its next forks.
//
// field           written by         read by           order
// serial          the flow           askers            relaxed: a hint
// armed           the flow           the flow, askers  relaxed: a hint; with the watch's barriers
//                                                      where it counts
// first_kept      the flow           the flow, askers  relaxed: a hint to askers
// asked           askers, the flow   both              relaxed: a hint
// seen, seen_at   askers             askers            relaxed: hints
// the others      the flow           the flow          none needed
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <lazult/detail/latent.hpp>

#include "lazult/api/given_call.hpp"
#include "lazult/core/core.hpp"

namespace lazult::api {

using detail::latent_slot;

struct known_flow;

class latent_flow : public core::latent_calls {
public:
    // Aligned to its size, so that a slot finds its flow.
    static constexpr std::size_t bytes = 16384;

    static latent_flow& of(latent_slot* slot) noexcept {
        return *reinterpret_cast<latent_flow*>(reinterpret_cast<std::uintptr_t>(slot) &
                                               ~(bytes - 1));
    }

    latent_flow() noexcept : latent_calls{give_all_of} { begin_anew(nullptr); }
    latent_flow(const latent_flow&) = delete;
    latent_flow& operator=(const latent_flow&) = delete;

    // Also where its memory has been given back to the system meanwhile, and is zero.
    void begin_anew(known_flow* entry) noexcept {
        give_all = give_all_of;
        known = entry;
        last().attention.store(1, std::memory_order_relaxed);
    }

    // --- by the flow
    // `outer`: of the same flow, if that has no slot left: its calls are older.
    latent_slot* open(latent_flow* outer) noexcept;
    void close() noexcept;
    detail::fork_choice choose(latent_slot* mine) noexcept;
    // Null: the call is the caller's. Else it was given away, and has to be awaited; then call
    // has_awaited().
    detail::given_call* take_back(latent_slot* mine) noexcept;
    void has_awaited(latent_slot* mine) noexcept { look_at_next(mine); }
    detail::given_call* give_first_part(latent_slot::function call,
                                        detail::words closure) noexcept {
        return give_call(call, closure, stack_bytes_, receiver::idle_stream);
    }

    // --- by anybody
    bool is_armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
    // Whether it has been open for so long, as far as anybody has looked.
    bool is_older_than(std::int64_t ns, std::int64_t now) noexcept;
    void ask() noexcept;

    known_flow* known = nullptr;

private:
    static constexpr std::size_t header_bytes = 128;
    static constexpr std::size_t slot_count = (bytes - header_bytes) / sizeof(latent_slot);
    // One answer is this many first parts, or up to four times as many if questions come soon.
    static constexpr unsigned least_first_parts = 4;
    static constexpr unsigned most_calls = 8;

    latent_slot& last() noexcept { return slots_[slot_count - 1]; }
    std::size_t number_of(const latent_slot* slot) const noexcept {
        return static_cast<std::size_t>(slot - slots_);
    }
    // The first slot that is free: all kept calls stand before it.
    std::size_t first_free() const noexcept;
    bool keeps_any() const noexcept {
        return first_free() != first_kept_.load(std::memory_order_relaxed);
    }
    void arm() noexcept;
    void disarm() noexcept { armed_.store(false, std::memory_order_relaxed); }
    void look_at_next(latent_slot* mine) noexcept;
    bool give_oldest(receiver to) noexcept;
    bool give_some(std::size_t kept) noexcept;
    bool give_older(const latent_slot* mine) noexcept;
    void measure_pace() noexcept;
    void note_given() noexcept;
    void give_all_kept() noexcept;
    static void give_all_of(latent_calls& calls) noexcept;

    // one more for each time that it is opened
    ds::default_atomics::atomic<std::uint32_t> serial_{0};
    ds::default_atomics::atomic<std::uint32_t> first_kept_{0};
    ds::default_atomics::atomic<std::uint32_t> seen_{0};
    ds::default_atomics::atomic<bool> asked_{false};
    ds::default_atomics::atomic<bool> armed_{false};
    unsigned given_ = 0;         // first parts, for the present question
    unsigned pace_ = 1;          // how many calls the next answer is
    std::int64_t given_at_ = 0;  // the last one
    latent_flow* outer_ = nullptr;
    std::size_t stack_bytes_ = 0;  // of a unit that makes its calls
    ds::default_atomics::atomic<std::int64_t> seen_at_{0};
    alignas(header_bytes) latent_slot slots_[slot_count];
};
static_assert(sizeof(latent_flow) == latent_flow::bytes);

// Returns one that nobody uses, or null: out of memory. Few spare ones keep their memory.
latent_flow* take_flow() noexcept;
void give_flow_back(latent_flow& flow) noexcept;
// Of all flows that were ever open, until visit() returns true, which is returned then. With `some`
// it visits a few of them, other ones each time.
enum class which_flows : bool { all, some };
bool any_flow(which_flows which, bool (*visit)(latent_flow& flow, void* argument),
              void* argument) noexcept;

// By a unit that makes a given call: more streams may be needed, so one more is woken, though not
// often.
void call_another_seeker() noexcept;
// By a flow that is armed by now: an idle stream looks after it from then on.
void have_flows_watched() noexcept;

}  // namespace lazult::api
