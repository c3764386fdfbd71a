// SPDX-License-Identifier: BSD-3-Clause
// A stack for code that was written for the stacks of OS threads. MPI libraries, for example, have
// frames of 128 KiB, twice a ULT's stack. Each stream makes one large stack at its first such call.
// Nothing suspends there: a unit counts as a tasklet during the call, so a callback that tries to
// wait is refused as a tasklet is.
#pragma once

#include <type_traits>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

inline constexpr std::size_t large_stack_bytes = std::size_t{1} << 20;

// While a no_suspension exists, the unit may not suspend. It has no effect if `running` is null, or
// may not suspend in any case.
class no_suspension {
public:
    explicit no_suspension(work_unit* running) noexcept
        : unit_(running != nullptr && running->may_suspend() ? running : nullptr) {
        if (unit_ != nullptr) {
            unit_->set(flag_tasklet);
        }
    }
    ~no_suspension() {
        if (unit_ != nullptr) {
            unit_->clear(flag_tasklet);
        }
    }
    no_suspension(const no_suspension&) = delete;
    no_suspension& operator=(const no_suspension&) = delete;

private:
    work_unit* unit_;
};

// The reverse: from its construction until put_back(), a ULT may suspend although a no_suspension
// exists. For a ULT with a stack of its own, which knows that it goes on where it was.
class lifted_no_suspension {
public:
    explicit lifted_no_suspension(work_unit& running) noexcept
        : unit_(running.may_suspend() ? nullptr : &running) {
        if (unit_ != nullptr) {
            unit_->clear(flag_tasklet);
        }
    }
    void put_back() const noexcept {
        if (unit_ != nullptr) {
            unit_->set(flag_tasklet);
        }
    }

private:
    work_unit* unit_;
};

// Calls call(argument), which may neither suspend nor throw, on the stream's large stack. The call
// stays on the present stack if that is an OS thread's own with as much room left, if the caller is
// within such a call already, if the thread is no stream, or if there is no memory for one.
void call_on_large_stack(entry_function call, void* argument) noexcept;

template <class Call>
auto on_large_stack(Call&& call) noexcept {
    using result = std::invoke_result_t<Call&>;
    if constexpr (std::is_void_v<result>) {
        call_on_large_stack([](void* c) { (*static_cast<std::remove_reference_t<Call>*>(c))(); },
                            const_cast<void*>(static_cast<const void*>(&call)));
    } else {
        result its{};
        on_large_stack([&] { its = call(); });
        return its;
    }
}

}  // namespace lazult::core
