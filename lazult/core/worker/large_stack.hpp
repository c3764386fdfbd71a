// SPDX-License-Identifier: BSD-3-Clause
// A stack for code that was written for the stacks of OS threads: MPI libraries have frames of
// 128 KiB, twice a ULT's stack. Each stream has one large stack for such calls. It is made at the
// first call. Nothing suspends on it: a unit counts as a tasklet during such a call, so a callback
// that tries to wait there is refused as a tasklet is.
#pragma once

#include <type_traits>

#include "lazult/core/worker/worker.hpp"

namespace lazult::core {

inline constexpr std::size_t large_stack_bytes = std::size_t{1} << 20;

// While such an object exists, the unit may not suspend. It has no effect if `running` is null, or
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

// Calls call(argument), which may neither suspend nor throw. The call stays on the present stack in
// four cases: that is an OS thread's own stack with as much room left; the caller is within such a
// call already; the thread is not a stream; or there is no memory for a large stack.
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
