// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/latent_flow.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "lazult/api/spin_lock.hpp"
#include "lazult/os/os.hpp"

namespace lazult::api {

namespace {

// Of what the running unit may use: a part of its work must not need more because another stream helps.
std::size_t stack_bytes_of(const core::worker& w) noexcept {
    constexpr std::size_t most_of_main = std::size_t{8} << 20;
    const core::work_unit& u = *w.current;
    const bool has_other_stack =
        u.stk != nullptr && (u.stk == &w.thread_stack || u.has(core::flag_user_stack));
    return has_other_stack ? std::min(u.stk->usable(), most_of_main) : std::size_t{1} << u.header.stack_class;
}

}  // namespace

latent_slot* latent_flow::open(latent_flow* outer) noexcept {
    outer_ = outer;
    stack_bytes_ = outer != nullptr ? outer->stack_bytes_ : stack_bytes_of(core::running_worker());
    serial_.store(serial_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    arm();
    return slots_;
}

void latent_flow::close() noexcept {
    if (is_armed()) LAZULT_LIKELY {
        core::running_worker().here->drop(*this);
        disarm();
    }
    asked_.store(false, std::memory_order_relaxed);
}

void latent_flow::arm() noexcept {
    if (is_armed()) {
        return;
    }
    armed_.store(true, std::memory_order_relaxed);
    core::worker& w = core::running_worker();
    w.here->keep(*this);
    have_flows_watched(w);
}

// The last slot never has a call.
std::size_t latent_flow::first_free() const noexcept {
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

// Of a slot that is free.
void latent_flow::look_at_next(latent_slot* mine) noexcept {
    const bool wants = !is_armed() || is_asked() || mine == &last();
    mine->attention.store(wants ? 1 : 0, std::memory_order_relaxed);
}

// Of the calls that it keeps. False: out of memory.
bool latent_flow::give_oldest(receiver to) noexcept {
    const std::uint32_t oldest = first_kept_.load(std::memory_order_relaxed);
    latent_slot& slot = slots_[oldest];
    detail::given_call* const given =
        give_call(slot.call.load(std::memory_order_relaxed), slot.closure, stack_bytes_, to);
    if (given == nullptr) {
        return false;
    }
    slot.closure.first = reinterpret_cast<std::uintptr_t>(given);
    slot.call.store(nullptr, std::memory_order_relaxed);
    slot.attention.store(1, std::memory_order_relaxed);
    first_kept_.store(oldest + 1, std::memory_order_relaxed);
    return true;
}

// One more first part for the present question.
void latent_flow::note_given() noexcept {
    if (given_ == 0) {
        measure_pace();
    }
    if (++given_ >= least_first_parts * std::min(pace_, 4U)) {
        given_ = 0;
        asked_.store(false, std::memory_order_relaxed);
    }
}

// Who asks again soon had small calls. So the next answer is twice as many, up to eight.
void latent_flow::measure_pace() noexcept {
    constexpr std::int64_t soon_ns = 200'000;
    const std::int64_t now = os::now_ns();
    pace_ = now - given_at_ < soon_ns ? std::min<unsigned>(2 * pace_, most_calls) : 1;
    given_at_ = now;
}

// Some of so many kept calls: at most half, rounded up. False: there is none, or no memory.
bool latent_flow::give_some(std::size_t kept) noexcept {
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

// `mine`: the slot where the flow is now.
bool latent_flow::give_older(const latent_slot* mine) noexcept {
    latent_flow* oldest = this;
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

detail::fork_choice latent_flow::choose(latent_slot* mine) noexcept {
    arm();
    if (is_asked() && !give_older(mine)) {
        note_given();
        look_at_next(mine);
        return detail::fork_choice::give;
    }
    look_at_next(mine);
    return mine == &last() ? detail::fork_choice::full : detail::fork_choice::keep;
}

detail::given_call* latent_flow::take_back(latent_slot* mine) noexcept {
    if (mine->call.load(std::memory_order_relaxed) == nullptr) {
        first_kept_.store(static_cast<std::uint32_t>(number_of(mine)), std::memory_order_relaxed);
        return reinterpret_cast<detail::given_call*>(mine->closure.first);
    }
    mine->call.store(nullptr, std::memory_order_relaxed);
    if (is_asked()) {
        give_older(mine);
    }
    look_at_next(mine);
    return nullptr;
}

// Calls for which there is no memory stay. They want attention, so that the flow is armed before it forks again.
void latent_flow::give_all_kept() noexcept {
    disarm();
    const std::size_t end = first_free();
    while (first_kept_.load(std::memory_order_relaxed) < end && give_oldest(receiver::anybody)) {
    }
    for (std::size_t number = first_kept_.load(std::memory_order_relaxed); number <= end; ++number) {
        slots_[number].attention.store(1, std::memory_order_relaxed);
    }
}

void latent_flow::give_all_of(latent_calls& calls) noexcept {
    static_cast<latent_flow&>(calls).give_all_kept();
}

bool latent_flow::is_older_than(std::int64_t ns, std::int64_t now) noexcept {
    const std::uint32_t serial = serial_.load(std::memory_order_relaxed);
    if (seen_.load(std::memory_order_relaxed) != serial) {
        seen_.store(serial, std::memory_order_relaxed);
        seen_at_.store(now, std::memory_order_relaxed);
        return false;
    }
    return now - seen_at_.load(std::memory_order_relaxed) >= ns;
}

// The flow goes up and down meanwhile, by a few slots.
void latent_flow::ask() noexcept {
    constexpr std::size_t slots_below = 8;
    constexpr std::size_t slots_above = 4;
    asked_.store(true, std::memory_order_relaxed);
    const std::size_t middle = first_free();
    const std::size_t end = std::min(middle + slots_above, slot_count);
    for (std::size_t number = middle - std::min(middle, slots_below); number < end; ++number) {
        slots_[number].attention.store(1, std::memory_order_relaxed);
    }
}

// What is known of a flow stays, also when its memory has gone.
struct known_flow {
    latent_flow* flow;
    known_flow* next;
    known_flow* next_spare = nullptr;
    bool has_memory = true;
};

namespace {

constexpr unsigned spares_with_memory = 512;  // two mebibytes as a rule
constexpr unsigned some_flows = 256;

// field       who writes        who reads          order
// all         make_flow         any_flow           release / acquire
// begin       any_flow          any_flow           release / acquire: where the next look at some begins
// the others  under the lock    under the lock     the lock's
constinit ds::default_atomics::atomic<known_flow*> all{nullptr};
constinit ds::default_atomics::atomic<const known_flow*> begin{nullptr};
constinit spin_lock lock;
constinit known_flow* spare = nullptr;
constinit unsigned spares = 0;

latent_flow* make_flow() noexcept {
    void* const memory = os::reserve(latent_flow::bytes, latent_flow::bytes);
    auto* const known = new (std::nothrow) known_flow;
    if (memory == nullptr || known == nullptr) {
        if (memory != nullptr) {
            os::release(memory, latent_flow::bytes);
        }
        delete known;
        return nullptr;
    }
    known->flow = new (memory) latent_flow;
    known->flow->begin_anew(known);
    known->next = all.load(std::memory_order_relaxed);
    // release pairs with: any_flow(), loads of all
    while (!all.compare_exchange_weak(known->next, known, std::memory_order_release,
                                      std::memory_order_relaxed)) {
    }
    return known->flow;
}

known_flow* take_spare() noexcept {
    const std::lock_guard hold(lock);
    known_flow* const known = spare;
    if (known != nullptr) LAZULT_LIKELY {
        spare = known->next_spare;
        --spares;
    }
    return known;
}

bool has_many_spares() noexcept {
    const std::lock_guard hold(lock);
    return spares >= spares_with_memory;
}

}  // namespace

latent_flow* take_flow() noexcept {
    known_flow* const known = take_spare();
    if (known == nullptr) LAZULT_UNLIKELY {
        return make_flow();
    }
    if (!known->has_memory) LAZULT_UNLIKELY {
        known->has_memory = true;
        known->flow->begin_anew(known);
    }
    return known->flow;
}

void give_flow_back(latent_flow& flow) noexcept {
    known_flow* const known = flow.known;
    if (has_many_spares()) LAZULT_UNLIKELY {
        known->has_memory = false;
        os::discard(&flow, latent_flow::bytes);
    }
    const std::lock_guard hold(lock);
    known->next_spare = spare;
    spare = known;
    ++spares;
}

bool any_flow(which_flows which, bool (*visit)(latent_flow& flow, void* argument), void* argument) noexcept {
    const bool is_limited = which == which_flows::some;
    // acquire pairs with: itself; begin is an entry of the list, or null
    const known_flow* known = is_limited ? begin.load(std::memory_order_acquire) : nullptr;
    if (known == nullptr) {
        known = all.load(std::memory_order_acquire);  // pairs with: make_flow()
    }
    for (unsigned seen = 0; known != nullptr && !(is_limited && seen == some_flows);
         known = known->next, ++seen) {
        if (visit(*known->flow, argument)) {
            return true;
        }
    }
    if (is_limited) {
        begin.store(known, std::memory_order_release);  // pairs with: itself
    }
    return false;
}

}  // namespace lazult::api
