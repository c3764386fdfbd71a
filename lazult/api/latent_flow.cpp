// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/latent_flow.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "lazult/api/spin_lock.hpp"
#include "lazult/os/os.hpp"

namespace lazult::api {

namespace {

// Of what the running unit may use: a part of its work must not need more because another stream
// helps.
std::size_t stack_bytes_of(const core::work_unit& u) noexcept {
    constexpr std::size_t most_of_main = std::size_t{8} << 20;
    // an OS thread's, or a user's
    const bool has_other_stack = u.stk != nullptr && u.stk->owner == nullptr;
    return has_other_stack ? std::min(u.stk->usable(), most_of_main)
                           : std::size_t{1} << u.header.stack_class;
}

}  // namespace

latent_slot* latent_flow::open(latent_flow* outer) noexcept {
    outer_ = outer;
    stack_bytes_ =
        outer != nullptr ? outer->stack_bytes_ : stack_bytes_of(*core::running_worker().current);
    serial_.store(serial_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    arm();
    return slots_;
}

void latent_flow::close() noexcept {
    if (is_armed()) LAZULT_LIKELY {
        if (core::host* const here = core::running_worker().here; here != nullptr) LAZULT_LIKELY {
            here->drop(*this);  // else the runtime has ended meanwhile
        }
        disarm();
    }
    asked_.store(false, std::memory_order_relaxed);
}

void latent_flow::arm() noexcept {
    if (is_armed()) {
        return;
    }
    core::host* const here = core::running_worker().here;
    if (here == nullptr) LAZULT_UNLIKELY {
        return;  // the runtime has ended meanwhile
    }
    armed_.store(true, std::memory_order_relaxed);
    here->keep(*this);
    have_flows_watched();
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

// If another question comes soon, the calls of the last answer were small. So the next answer is
// twice as many calls, up to eight.
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

// Reports a forker that is used outside its call: that call has a fork open in this slot, or has
// ended.
LAZULT_COLD void refuse_forker() noexcept {
    base::fatal_misuse("forker", "it is used outside the call that received it",
                       "use the forker that each call gets as its argument");
}

detail::fork_choice latent_flow::choose(latent_slot* mine) noexcept {
    if (mine->call.load(std::memory_order_relaxed) != nullptr) LAZULT_UNLIKELY {
        refuse_forker();
    }
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

// Calls for which there is no memory stay. They want attention, so that the flow is armed before it
// forks again.
void latent_flow::give_all_kept() noexcept {
    disarm();
    const std::size_t end = first_free();
    while (first_kept_.load(std::memory_order_relaxed) < end && give_oldest(receiver::anybody)) {
    }
    for (std::size_t number = first_kept_.load(std::memory_order_relaxed); number <= end;
         ++number) {
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
    // Written when the flow is taken and given back; read by any_flow(). relaxed: it is set before
    // the flow is armed, and the barrier in latent_watch::begin() comes after both stores.
    ds::default_atomics::atomic<bool> is_used{true};
};

namespace {

constexpr unsigned most_with_memory = 512;  // two mebibytes as a rule
constexpr unsigned some_flows = 256;
constexpr unsigned most_passed = 1024;  // list entries looked at, used or not

// field       written by        read by            order
// all         make_flow         any_flow           release / acquire
// begin       any_flow          any_flow           release / acquire: where the next look at some
//                                                  begins
// *_memory    under the lock    under the lock     the lock's
constinit ds::default_atomics::atomic<known_flow*> all{nullptr};
constinit ds::default_atomics::atomic<const known_flow*> begin{nullptr};
constinit spin_lock lock;

// Flows that nobody uses. Under the lock.
class spare_flows {
public:
    constexpr spare_flows() noexcept = default;
    unsigned count() const noexcept { return count_; }
    void keep(known_flow& flow) noexcept {
        flow.next_spare = first_;
        first_ = &flow;
        ++count_;
    }
    known_flow* take() noexcept {
        known_flow* const flow = first_;
        if (flow != nullptr) LAZULT_LIKELY {
            first_ = flow->next_spare;
            --count_;
        }
        return flow;
    }

private:
    known_flow* first_ = nullptr;
    unsigned count_ = 0;
};
constinit spare_flows with_memory;
constinit spare_flows without_memory;

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

known_flow* take_spare(spare_flows& from) noexcept {
    const std::lock_guard hold(lock);
    return from.take();
}

bool has_many_spares() noexcept {
    const std::lock_guard hold(lock);
    return with_memory.count() >= most_with_memory;
}

LAZULT_NOINLINE latent_flow* take_flow_without_memory() noexcept {
    known_flow* const known = take_spare(without_memory);
    if (known == nullptr) {
        return make_flow();
    }
    known->flow->begin_anew(known);
    known->is_used.store(true, std::memory_order_relaxed);
    return known->flow;
}

}  // namespace

latent_flow* take_flow() noexcept {
    known_flow* const known = take_spare(with_memory);
    if (known == nullptr) LAZULT_UNLIKELY {
        return take_flow_without_memory();
    }
    known->is_used.store(true, std::memory_order_relaxed);
    return known->flow;
}

void give_flow_back(latent_flow& flow) noexcept {
    known_flow* const known = flow.known;
    known->is_used.store(false, std::memory_order_relaxed);
    const bool keeps_memory = !has_many_spares();
    if (!keeps_memory) LAZULT_UNLIKELY {
        os::discard(&flow, latent_flow::bytes);
    }
    const std::lock_guard hold(lock);
    (keeps_memory ? with_memory : without_memory).keep(*known);
}

bool any_flow(which_flows which, bool (*visit)(latent_flow& flow, void* argument),
              void* argument) noexcept {
    const bool is_limited = which == which_flows::some;
    // acquire pairs with: itself; begin is an entry of the list, or null
    const known_flow* known = is_limited ? begin.load(std::memory_order_acquire) : nullptr;
    if (known == nullptr) {
        known = all.load(std::memory_order_acquire);  // pairs with: make_flow()
    }
    const auto is_enough = [=](unsigned seen, unsigned passed) {
        return is_limited && (seen == some_flows || passed == most_passed);
    };
    unsigned seen = 0;
    for (unsigned passed = 0; known != nullptr && !is_enough(seen, passed);
         known = known->next, ++passed) {
        if (known->is_used.load(std::memory_order_relaxed)) {
            ++seen;
            if (visit(*known->flow, argument)) {
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
