// SPDX-License-Identifier: BSD-3-Clause
// A stack for code that was written for the stacks of OS threads: MPI libraries have frames of 128 KiB, twice a ULT's stack. Each
// stream has one large stack for such calls, made at the first one. Nothing suspends on it: the unit that is within such a call
// counts as a tasklet, and a callback that would wait there is told so.
#pragma once

#include <type_traits>

#include "lazult/core/worker.hpp"

namespace lazult::core {

inline constexpr std::size_t large_stack_bytes = std::size_t{1} << 20;

// The running unit may not suspend while one exists. Null, and one that may not in any case, are let be.
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

// Calls call(argument), which may neither suspend nor throw. It stays where it is on an OS thread's own stack that has as much left;
// within such a call; on a thread that is no stream; and without memory.
void call_on_large_stack(entry_function call, void* argument) noexcept;

// What it returns is returned.
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
