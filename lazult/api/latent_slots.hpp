// SPDX-License-Identifier: BSD-3-Clause
// The slots of a thread that keeps calls, and how idle streams ask for these calls. See
// include/lazult/detail/latent.hpp. "Owner" is the thread that has the slots.
//
// In order of their numbers there are: given calls, then kept calls, then free slots.
//   free -> kept     the owner, in user's code   put() stores the second part of a fork
//   kept -> free     the owner, in user's code   it makes the call
//   kept -> given    give_oldest()               a unit makes the call; the first word of the
//                                                closure is the address of the given_call
//   given -> free    take_back()                 the unit has ended, or the owner awaits it now
// All transitions happen on the owner's OS thread, also when it gives. So no two threads ever race
// for a slot.
//
// Slots are armed while the owner's scheduler lists them. A suspension of the owner disarms them,
// and gives away all calls. The first free slot then wants attention, and given slots always do. So
// the slots are armed again before the owner keeps the next call.
//
// Idle streams ask for work: they set `asked`, and `attention` of the slots to which the owner
// comes next. The owner gives away its oldest call, which is the largest as a rule. If it is asked
// again soon, it gives more calls each time. If it keeps none, it gives the first parts of its next
// forks.
//
// field           written by         read by            order
// serial          the owner          askers             relaxed: a hint
// armed           the owner          the owner, askers  relaxed: a hint; where it must be right,
//                                                       with the barriers of latent_watch
// first_kept      the owner          the owner, askers  relaxed: a hint to askers
// asked           askers, the owner  both               relaxed: a hint
// seen, seen_at   askers             askers             relaxed: hints
// the others      the owner          the owner          none needed
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lazult/api/given_call.hpp"

namespace lazult::api {

using detail::latent_slot;

struct known_slots;

class latent_slots : public core::latent_calls {
public:
    // The object is aligned to its size, so that of() finds it from the address of a slot.
    static constexpr std::size_t bytes = 16384;

    static latent_slots& of(latent_slot* slot) noexcept {
        return *reinterpret_cast<latent_slots*>(reinterpret_cast<std::uintptr_t>(slot) &
                                                ~(bytes - 1));
    }

    // `entry`: the entry function of the units that make its calls.
    explicit latent_slots(core::entry_function entry) noexcept : latent_calls{give_all_of} {
        begin_anew(nullptr, entry);
    }

    // Prepares the slots for an owner, also if their memory was given back, and is zero now.
    void begin_anew(known_slots* entry, core::entry_function runs_given) noexcept {
        give_all = give_all_of;
        known = entry;
        runs_given_ = runs_given;
        last().attention.store(1, std::memory_order_relaxed);
    }

    // --- by the owner
    // Returns the first slot. `outer`: slots that the owner has filled before, so they hold older
    // calls; null if there are none.
    latent_slot* open(latent_slots* outer) noexcept;
    // Makes the scheduler list the slots. Returns true if they were not armed; the caller must then
    // call have_slots_watched().
    bool arm() noexcept;
    void close() noexcept;
    detail::fork_choice choose(latent_slot* mine) noexcept;
    // Returns null if the owner itself must make the call. Else the call was given away: the owner
    // awaits it and then calls has_awaited().
    detail::given_call* take_back(latent_slot* mine) noexcept;
    void has_awaited(latent_slot* mine) noexcept { look_at_next(mine); }
    detail::given_call* give_first_part(latent_slot::function call,
                                        detail::words closure) noexcept {
        return give_call(runs_given_, call, closure, stack_bytes_, receiver::idle_stream);
    }

    // --- by any thread
    bool is_armed() const noexcept { return armed_.load(std::memory_order_relaxed); }
    bool is_asked() const noexcept { return asked_.load(std::memory_order_relaxed); }
    // Returns true if at least `ns` nanoseconds have passed since this function was first called
    // after the slots were opened.
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
    // Returns the first free slot: all kept calls stand before it.
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

    // how often the slots were opened
    ds::default_atomics::atomic<std::uint32_t> serial_{0};
    ds::default_atomics::atomic<std::uint32_t> first_kept_{0};
    ds::default_atomics::atomic<std::uint32_t> seen_{0};
    ds::default_atomics::atomic<bool> asked_{false};
    ds::default_atomics::atomic<bool> armed_{false};
    unsigned given_ = 0;         // first parts that were given for the present question
    unsigned pace_ = 1;          // how many calls the next answer has
    std::int64_t given_at_ = 0;  // when the last answer was given, in os::now_ns()
    latent_slots* outer_ = nullptr;
    std::size_t stack_bytes_ = 0;  // the stack of a unit that makes its calls
    core::entry_function runs_given_ = nullptr;
    ds::default_atomics::atomic<std::int64_t> seen_at_{0};
    alignas(header_bytes) latent_slot slots_[slot_count];
};
static_assert(sizeof(latent_slots) == latent_slots::bytes);

// Returns slots that no thread uses, or null if memory is exhausted. Of unused slots only a limited
// number keeps its memory.
latent_slots* take_slots(core::entry_function runs_given) noexcept;
void give_slots_back(latent_slots& slots) noexcept;
// Visits slots that are in use, until visit() returns true; then returns true. `all` visits all of
// them, `some` a few, and each time other ones.
enum class which_slots : bool { all, some };
bool any_slots(which_slots which, bool (*visit)(latent_slots& slots, void* argument),
               void* argument) noexcept;

}  // namespace lazult::api
