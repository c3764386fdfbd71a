// SPDX-License-Identifier: BSD-3-Clause
#include "deep.hpp"

namespace lazult::mpi {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;

// An OS thread's own, made when it first calls MPI as a stream.
class thread_stack {
public:
    ~thread_stack() {
        if (low_ != nullptr) {
            os::release(low_, stack_bytes);
        }
    }

    bool take() noexcept {
        if (taken_ || !make()) {
            return false;
        }
        taken_ = true;
        return true;
    }
    void give_back() noexcept { taken_ = false; }

    void run(void (*call)(void*), void* closure) noexcept {
        visit mine{call, closure};
        void* fake = nullptr;
        probe::asan_start_switch(&fake, low_ + guard_bytes, stack_bytes - guard_bytes);
        arch::lazult_call_on(low_ + stack_bytes, enter, &mine);
        probe::asan_finish_switch(fake, nullptr, nullptr);
    }

private:
    struct visit {
        void (*call)(void*);
        void* closure;
    };
    static constexpr std::size_t guard_bytes = std::size_t{64} << 10;  // a multiple of any page

    // The pages below the guard's end are not committed: an overflow is a fault.
    bool make() noexcept {
        if (low_ != nullptr) {
            return true;
        }
        auto* const low = static_cast<std::byte*>(os::reserve_addresses(stack_bytes, guard_bytes));
        if (low == nullptr) {
            return false;
        }
        if (!os::commit(low + guard_bytes, stack_bytes - guard_bytes)) {
            os::release(low, stack_bytes);
            return false;
        }
        low_ = low;
        return true;
    }

    static void enter(void* v) noexcept {
        const void* back_low = nullptr;
        std::size_t back_size = 0;
        probe::asan_finish_switch(nullptr, &back_low, &back_size);
        const visit mine = *static_cast<visit*>(v);
        mine.call(mine.closure);
        probe::asan_start_switch(nullptr, back_low, back_size);
    }

    std::byte* low_ = nullptr;
    bool taken_ = false;
};

// Not inlined, and not taken for a constant: the caller may have changed its OS thread since the last call.
LAZULT_NOINLINE thread_stack& stack_of_this_thread() noexcept {
    thread_local thread_stack mine;
    asm volatile("" ::: "memory");
    return mine;
}

// Marks the unit that is within MPI.
class no_suspension {
public:
    explicit no_suspension(core::work_unit* unit) noexcept
        : unit_(unit != nullptr && unit->may_suspend() ? unit : nullptr) {
        if (unit_ != nullptr) {
            unit_->set(core::flag_tasklet);
        }
    }
    ~no_suspension() {
        if (unit_ != nullptr) {
            unit_->clear(core::flag_tasklet);
        }
    }
    no_suspension(const no_suspension&) = delete;
    no_suspension& operator=(const no_suspension&) = delete;

private:
    core::work_unit* unit_;
};

}  // namespace

void call_deep(void (*call)(void*), void* closure) noexcept {
    core::worker* const w = core::this_worker_or_null();
    if (w == nullptr || w->here == nullptr) {
        call(closure);
        return;
    }
    const no_suspension held(w->current);
    thread_stack& mine = stack_of_this_thread();
    if (!mine.take()) {
        call(closure);
        return;
    }
    mine.run(call, closure);
    mine.give_back();
}

}  // namespace lazult::mpi
