// SPDX-License-Identifier: BSD-3-Clause
// The slots of a thread that keeps calls, and what others may know of them. See
// include/lazult/detail/latent.hpp. "Owner" is the thread that has them.
//
// Slots from the first: calls that were given away, then calls that are kept, then free ones.
//   free -> kept     the owner, in user's code   a call waits there, and stands for the second part
//                                                of a fork
//   kept -> free     the owner, in user's code   it makes the call
//   kept -> given    give_oldest()               a unit makes it; the first word is the given_call
//   given -> free    take_back()                 the unit has ended, or is awaited now
// Only the owner's OS thread does any of that, also when it gives: so no slot is ever raced for.
//
// Slots are armed while the owner's scheduler lists them. A suspension ends that, and gives all
// calls. Then the first free slot wants attention, and given ones always do: so the slots are armed
// again before the owner keeps the next call.
//
// Idle streams ask for work: they set `asked`, and attention at the slots to which the owner comes
// next. The owner gives its oldest call, which is the largest as a rule. If it is asked again soon
// it gives more of them each time. If it keeps none it gives the first parts of its next forks.
//
// field           written by         read by            order
// serial          the owner          askers             relaxed: a hint
// armed           the owner          the owner, askers  relaxed: a hint; with the watch's barriers
//                                                       where it counts
// first_kept      the owner          the owner, askers  relaxed: a hint to askers
// asked           askers, the owner  both               relaxed: a hint
// seen, seen_at   askers             askers             relaxed: hints
// the others      the owner          the owner          none needed
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <lazult/detail/latent.hpp>

#include "lazult/api/given_call.hpp"
#include "lazult/core/core.hpp"

namespace lazult::api {

using detail::latent_slot;

struct known_slots;

class latent_slots : public core::latent_calls {
public:
    // Aligned to its size, so that a slot finds its object.
    static constexpr std::size_t bytes = 16384;

    static latent_slots& of(latent_slot* slot) noexcept {
        return *reinterpret_cast<latent_slots*>(reinterpret_cast<std::uintptr_t>(slot) &
                                                ~(bytes - 1));
    }

    // `entry`: of the units that make its calls.
    explicit latent_slots(core::entry_function entry) noexcept : latent_calls{give_all_of} {
        begin_anew(nullptr, entry);
    }
    latent_slots(const latent_slots&) = delete;
    latent_slots& operator=(const latent_slots&) = delete;

    // Also where its memory has been given back to the system meanwhile, and is zero.
    void begin_anew(known_slots* entry, core::entry_function runs_given) noexcept {
        give_all = give_all_of;
        known = entry;
        runs_given_ = runs_given;
        last().attention.store(1, std::memory_order_relaxed);
    }

    // --- by the owner
    // `outer`: of the same owner, if that has no slot left: its calls are older.
    latent_slot* open(latent_slots* outer) noexcept;
    // Has the scheduler list it, unless it is armed. True: it was not. Then have_slots_watched().
    bool arm() noexcept;
    void close() noexcept;
    detail::fork_choice choose(latent_slot* mine) noexcept;
    // Null: the call is the caller's. Else it was given away, and has to be awaited; then call
    // has_awaited().
    detail::given_call* take_back(latent_slot* mine) noexcept;
    void has_awaited(latent_slot* mine) noexcept { look_at_next(mine); }
    detail::given_call* give_first_part(latent_slot::function call,
                                        detail::words closure) noexcept {
        return give_call(runs_given_, call, closure, stack_bytes_, receiver::idle_stream);
    }

    // --- by anybody
    bool is_armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
    // Whether it has been open for so long, as far as anybody has looked.
    bool is_older_than(std::int64_t ns, std::int64_t now) noexcept;
    void ask() noexcept;

    known_slots* known = nullptr;

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
    latent_slots* outer_ = nullptr;
    std::size_t stack_bytes_ = 0;  // of a unit that makes its calls
    core::entry_function runs_given_ = nullptr;
    ds::default_atomics::atomic<std::int64_t> seen_at_{0};
    alignas(header_bytes) latent_slot slots_[slot_count];
};
static_assert(sizeof(latent_slots) == latent_slots::bytes);

// Returns one that nobody uses, or null: out of memory. Few spare ones keep their memory.
latent_slots* take_slots(core::entry_function runs_given) noexcept;
void give_slots_back(latent_slots& slots) noexcept;
// Of all that were ever open, until visit() returns true, which is returned then. With `some` it
// visits a few of them, other ones each time.
enum class which_slots : bool { all, some };
bool any_slots(which_slots which, bool (*visit)(latent_slots& slots, void* argument),
               void* argument) noexcept;

}  // namespace lazult::api
