// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/latent_slots.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "lazult/api/spin_lock.hpp"

namespace lazult::api {

namespace {

// Returns the stack size of units that make calls of `u`: as much as `u` itself may use, because a
// call must not overflow its stack only because another stream makes it.
std::size_t stack_bytes_of(const core::work_unit& u) noexcept {
    constexpr std::size_t most_of_main = std::size_t{8} << 20;
    // the stack of an OS thread, or memory of the user
    const bool has_other_stack = u.stk != nullptr && u.stk->owner == nullptr;
    return has_other_stack ? std::min(u.stk->usable(), most_of_main)
                           : std::size_t{1} << u.header.stack_class;
}

}  // namespace

latent_slot* latent_slots::open(latent_slots* outer) noexcept {
    outer_ = outer;
    stack_bytes_ =
        outer != nullptr ? outer->stack_bytes_ : stack_bytes_of(*core::running_worker().current);
    serial_.store(serial_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return slots_;
}

void latent_slots::close() noexcept {
    if (is_armed()) LAZULT_LIKELY {
        if (core::host* const here = core::running_worker().here; here != nullptr) LAZULT_LIKELY {
            here->drop(*this);  // else the runtime has ended meanwhile
        }
        disarm();
    }
    asked_.store(false, std::memory_order_relaxed);
}

bool latent_slots::arm() noexcept {
    if (is_armed()) {
        return false;
    }
    core::host* const here = core::running_worker().here;
    if (here == nullptr) LAZULT_UNLIKELY {
        return false;  // the runtime has ended meanwhile
    }
    armed_.store(true, std::memory_order_relaxed);
    here->keep(*this);
    return true;
}

// Finds the first free slot by binary search. The last slot never has a call.
std::size_t latent_slots::first_free() const noexcept {
    std::size_t kept = first_kept_.load(std::memory_order_relaxed);
    std::size_t end = slot_count - 1;
    while (kept < end) {
        const std::size_t middle = (kept + end) / 2;
        if (slots_[middle].call.load(std::memory_order_relaxed) != nullptr) {
            kept = middle + 1;
        } else {
            end = middle;
        }
    }
    return kept;
}

// Sets `attention` of a slot that is free.
void latent_slots::look_at_next(latent_slot* mine) noexcept {
    const bool wants = !is_armed() || is_asked() || mine == &last();
    mine->attention.store(wants ? 1 : 0, std::memory_order_relaxed);
}

// Gives away the oldest of the kept calls. Returns false if memory is exhausted.
bool latent_slots::give_oldest(receiver to) noexcept {
    const std::uint32_t oldest = first_kept_.load(std::memory_order_relaxed);
    latent_slot& slot = slots_[oldest];
    detail::given_call* const given = give_call(
        runs_given_, slot.call.load(std::memory_order_relaxed), slot.closure, stack_bytes_, to);
    if (given == nullptr) {
        return false;
    }
    slot.closure.first = reinterpret_cast<std::uintptr_t>(given);
    slot.call.store(nullptr, std::memory_order_relaxed);
    slot.attention.store(1, std::memory_order_relaxed);
    first_kept_.store(oldest + 1, std::memory_order_relaxed);
    return true;
}

// Counts a first part that is given away. Ends the present question after enough of them.
void latent_slots::note_given() noexcept {
    if (given_ == 0) {
        measure_pace();
    }
    if (++given_ >= least_first_parts * std::min(pace_, 4U)) {
        given_ = 0;
        asked_.store(false, std::memory_order_relaxed);
    }
}

// Sets the size of the next answer. If this question comes soon after the last answer, the calls of
// that were small, so this answer has twice as many calls, up to eight. Else it has one.
void latent_slots::measure_pace() noexcept {
    constexpr std::int64_t soon_ns = 200'000;
    const std::int64_t now = os::now_ns();
    pace_ = now - given_at_ < soon_ns ? std::min<unsigned>(2 * pace_, most_calls) : 1;
    given_at_ = now;
}

// Gives away at most half of the `kept` calls, rounded up. Returns false if it has given none.
bool latent_slots::give_some(std::size_t kept) noexcept {
    if (kept == 0) {
        return false;
    }
    measure_pace();
    std::size_t given = 0;
    while (given < pace_ && given < (kept + 1) / 2 && give_oldest(receiver::idle_stream)) {
        ++given;
    }
    return given != 0;
}

// Gives away calls of the outermost slots that keep any. `mine` is the slot where the owner is now.
// Returns false if no call is given.
bool latent_slots::give_older(const latent_slot* mine) noexcept {
    latent_slots* oldest = this;
    while (oldest->outer_ != nullptr && oldest->outer_->keeps_any()) {
        oldest = oldest->outer_;
    }
    const std::size_t end = oldest == this ? number_of(mine) : oldest->first_free();
    if (!oldest->give_some(end - oldest->first_kept_.load(std::memory_order_relaxed))) {
        return false;
    }
    given_ = 0;
    asked_.store(false, std::memory_order_relaxed);
    return true;
}

// Reports a forker that is used outside its call, which has an open fork here, or has ended.
LAZULT_COLD void refuse_forker() noexcept {
    base::fatal_misuse("forker", "it is used outside the call that received it",
                       "use the forker that each call gets as its argument");
}

detail::fork_choice latent_slots::choose(latent_slot* mine) noexcept {
    if (mine->call.load(std::memory_order_relaxed) != nullptr) LAZULT_UNLIKELY {
        refuse_forker();
    }
    if (is_asked() && !give_older(mine)) {
        note_given();
        look_at_next(mine);
        return detail::fork_choice::give;
    }
    look_at_next(mine);
    return mine == &last() ? detail::fork_choice::full : detail::fork_choice::keep;
}

detail::given_call* latent_slots::take_back(latent_slot* mine) noexcept {
    if (mine->call.load(std::memory_order_relaxed) == nullptr) {
        first_kept_.store(static_cast<std::uint32_t>(number_of(mine)), std::memory_order_relaxed);
        const std::uintptr_t given = std::exchange(mine->closure.first, 0);
        if (given == 0) LAZULT_UNLIKELY {
            refuse_forker();
        }
        return reinterpret_cast<detail::given_call*>(given);
    }
    mine->call.store(nullptr, std::memory_order_relaxed);
    if (is_asked()) {
        give_older(mine);
    }
    look_at_next(mine);
    return nullptr;
}

// Gives all kept calls away. Calls for which there is no memory stay. All slots from there on want
// attention, so that they are armed before the owner forks again.
void latent_slots::give_all_kept() noexcept {
    disarm();
    const std::size_t end = first_free();
    while (first_kept_.load(std::memory_order_relaxed) < end && give_oldest(receiver::anybody)) {
    }
    for (std::size_t number = first_kept_.load(std::memory_order_relaxed); number <= end;
         ++number) {
        slots_[number].attention.store(1, std::memory_order_relaxed);
    }
}

void latent_slots::give_all_of(latent_calls& calls) noexcept {
    static_cast<latent_slots&>(calls).give_all_kept();
}

bool latent_slots::is_older_than(std::int64_t ns, std::int64_t now) noexcept {
    const std::uint32_t serial = serial_.load(std::memory_order_relaxed);
    if (seen_.load(std::memory_order_relaxed) != serial) {
        seen_.store(serial, std::memory_order_relaxed);
        seen_at_.store(now, std::memory_order_relaxed);
        return false;
    }
    return now - seen_at_.load(std::memory_order_relaxed) >= ns;
}

// Several slots get `attention`, because the owner may move by a few slots meanwhile.
void latent_slots::ask() noexcept {
    constexpr std::size_t slots_below = 8;
    constexpr std::size_t slots_above = 4;
    asked_.store(true, std::memory_order_relaxed);
    const std::size_t middle = first_free();
    const std::size_t end = std::min(middle + slots_above, slot_count);
    for (std::size_t number = middle - std::min(middle, slots_below); number < end; ++number) {
        slots_[number].attention.store(1, std::memory_order_relaxed);
    }
}

// An entry of the list of all slots. It stays when the memory of the slots is given back.
struct known_slots {
    latent_slots* slots;
    known_slots* next;
    known_slots* next_spare = nullptr;
    // True from take_slots() to give_slots_back(); any_slots() reads it. relaxed: it is set before
    // the slots are armed, and the barrier in latent_watch::begin() comes after both stores.
    ds::default_atomics::atomic<bool> is_used{true};
};

namespace {

constexpr unsigned most_with_memory = 512;  // two mebibytes as a rule: few of their pages are used
constexpr unsigned some_slots = 256;
constexpr unsigned most_passed = 1024;  // list entries, in use or not, at which one call looks

// field       written by        read by          order
// all         make_slots        any_slots        release / acquire
// begin       any_slots         any_slots        release / acquire: the entry at which the next
//                                                call for `some` begins
// *_memory    under the lock    under the lock   the lock's
constinit ds::default_atomics::atomic<known_slots*> all{nullptr};
constinit ds::default_atomics::atomic<const known_slots*> begin{nullptr};
constinit spin_lock lock;

// A list of slots that no thread uses. Guarded by `lock`.
class spare_slots {
public:
    unsigned count() const noexcept { return count_; }
    void keep(known_slots& slots) noexcept {
        slots.next_spare = first_;
        first_ = &slots;
        ++count_;
    }
    known_slots* take() noexcept {
        known_slots* const slots = first_;
        if (slots != nullptr) LAZULT_LIKELY {
            first_ = slots->next_spare;
            --count_;
        }
        return slots;
    }

private:
    known_slots* first_ = nullptr;
    unsigned count_ = 0;
};
constinit spare_slots with_memory;
constinit spare_slots without_memory;

latent_slots* make_slots(core::entry_function runs_given) noexcept {
    void* const memory = os::reserve(latent_slots::bytes, latent_slots::bytes);
    auto* const known = new (std::nothrow) known_slots;
    if (memory == nullptr || known == nullptr) {
        if (memory != nullptr) {
            os::release(memory, latent_slots::bytes);
        }
        delete known;
        return nullptr;
    }
    known->slots = new (memory) latent_slots(runs_given);
    known->slots->begin_anew(known, runs_given);
    known->next = all.load(std::memory_order_relaxed);
    // release pairs with: any_slots(), loads of all
    while (!all.compare_exchange_weak(known->next, known, std::memory_order_release,
                                      std::memory_order_relaxed)) {
    }
    return known->slots;
}

known_slots* take_spare(spare_slots& from) noexcept {
    const std::lock_guard hold(lock);
    return from.take();
}

bool has_many_spares() noexcept {
    const std::lock_guard hold(lock);
    return with_memory.count() >= most_with_memory;
}

LAZULT_NOINLINE latent_slots* take_slots_without_memory(core::entry_function runs_given) noexcept {
    known_slots* const known = take_spare(without_memory);
    if (known == nullptr) {
        return make_slots(runs_given);
    }
    known->slots->begin_anew(known, runs_given);
    known->is_used.store(true, std::memory_order_relaxed);
    return known->slots;
}

}  // namespace

latent_slots* take_slots(core::entry_function runs_given) noexcept {
    known_slots* const known = take_spare(with_memory);
    if (known == nullptr) LAZULT_UNLIKELY {
        return take_slots_without_memory(runs_given);
    }
    known->is_used.store(true, std::memory_order_relaxed);
    return known->slots;
}

void give_slots_back(latent_slots& slots) noexcept {
    known_slots* const known = slots.known;
    known->is_used.store(false, std::memory_order_relaxed);
    const bool keeps_memory = !has_many_spares();
    if (!keeps_memory) LAZULT_UNLIKELY {
        os::discard(&slots, latent_slots::bytes);
    }
    const std::lock_guard hold(lock);
    (keeps_memory ? with_memory : without_memory).keep(*known);
}

bool any_slots(which_slots which, bool (*visit)(latent_slots& slots, void* argument),
               void* argument) noexcept {
    const bool is_limited = which == which_slots::some;
    // acquire pairs with: itself; begin is an entry of the list, or null
    const known_slots* known = is_limited ? begin.load(std::memory_order_acquire) : nullptr;
    if (known == nullptr) {
        known = all.load(std::memory_order_acquire);  // pairs with: make_slots()
    }
    const auto is_enough = [=](unsigned seen, unsigned passed) {
        return is_limited && (seen == some_slots || passed == most_passed);
    };
    unsigned seen = 0;
    for (unsigned passed = 0; known != nullptr && !is_enough(seen, passed);
         known = known->next, ++passed) {
        if (known->is_used.load(std::memory_order_relaxed)) {
            ++seen;
            if (visit(*known->slots, argument)) {
                return true;
            }
        }
    }
    if (is_limited) {
        begin.store(known, std::memory_order_release);  // pairs with: itself
    }
    return false;
}

}  // namespace lazult::api
