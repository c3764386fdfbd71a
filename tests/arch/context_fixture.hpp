// SPDX-License-Identifier: BSD-3-Clause
// Stacks, adversarial register contents and unwinding, for the tests of <lazult/arch/context.hpp>.
#pragma once

#include <unwind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "lazult/arch/arch.hpp"
#if defined(__x86_64__) && !defined(LAZULT_ARCH_GENERIC)
#include "lazult/arch/x86_64/control_words.hpp"
#endif

extern "C" {
extern const std::uint32_t lazult_test_register_count;
void lazult_test_hold_registers(const std::uint64_t* in, std::uint64_t* out,
                                void (*function)(void*), void* argument);
// The floating-point control words, each in a place of its own; and sets of them that nobody uses
// by chance.
std::uint64_t lazult_test_control_words();
void lazult_test_set_control_words(std::uint64_t words);
extern const std::uint64_t lazult_test_words[];
extern const std::uint32_t lazult_test_word_count;
}

namespace lazult::arch_test {

inline constexpr std::size_t most_registers = 18;
using register_values = std::array<std::uint64_t, most_registers>;

// Patterns that differ in every register and in every byte; as doubles some are NaNs that a
// conversion would quieten.
inline register_values pattern(std::uint64_t seed) {
    register_values result{};
    for (std::size_t i = 0; i < most_registers; ++i) {
        result[i] =
            0x7ff4'0000'0000'0001ULL ^ (seed * 0x0101'0101'0101'0101ULL) ^ (i << 40) ^ (i << 3);
    }
    return result;
}

// What `function` left in the callee-saved registers that held `in`; unused entries are those of
// `in`.
template <class Function>
register_values with_registers(const register_values& in, Function&& function) {
    register_values out = in;
    auto call = [&function] { function(); };
    lazult_test_hold_registers(
        in.data(), out.data(), [](void* f) { (*static_cast<decltype(call)*>(f))(); }, &call);
    return out;
}

// Whether switches compare the floating-point control words before they load them. Only the
// assembly of x86-64 can do both.
#if defined(__x86_64__) && !defined(LAZULT_ARCH_GENERIC)
inline constexpr bool ways_to_load_words[] = {false, true};
inline bool compare_words(bool wanted) {
    return std::exchange(arch::lazult_compares_words, wanted) != 0;
}
#else
inline constexpr bool ways_to_load_words[] = {false};
inline bool compare_words(bool) { return false; }
#endif

class test_stack {
public:
    static constexpr std::size_t bytes = std::size_t{128} << 10;

    test_stack() : memory_(bytes + 64, std::byte{0xa5}) {
        const auto end = reinterpret_cast<std::uintptr_t>(memory_.data() + memory_.size());
        top_ = memory_.data() + memory_.size() - end % arch::stack_alignment;
        // What lies above a top is the owner's: nothing may write there.
        top_ -= 48;
    }

    std::byte* top() { return top_; }
    bool holds(const void* address) const {
        const auto* at = static_cast<const std::byte*>(address);
        return at >= memory_.data() && at < top_;
    }
    bool untouched_above() const {
        for (const std::byte* at = top_; at != memory_.data() + memory_.size(); ++at) {
            if (*at != std::byte{0xa5}) {
                return false;
            }
        }
        return true;
    }

private:
    std::vector<std::byte> memory_;
    std::byte* top_;
};

// Where the caller's stack pointer is.
[[gnu::noinline]] inline const void* here() { return __builtin_frame_address(0); }

// A frame record pushed at entry is aligned exactly if the stack pointer was at the call; and the
// compiler spills vectors by instructions that fault when it was not.
[[gnu::noinline]] inline bool stack_is_aligned() {
    using vector = int __attribute__((vector_size(16)));
    volatile vector spilled = {1, 2, 3, 4};
    const vector loaded = spilled;
    volatile std::uintptr_t frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return frame % arch::stack_alignment == 0 && loaded[3] == 4;
}

struct backtrace_result {
    bool ended_cleanly = false;
    std::vector<void*> functions;

    bool passes(void* function) const {
        for (void* f : functions) {
            if (f == function) {
                return true;
            }
        }
        return false;
    }
};

inline backtrace_result unwind_from_here() {
    constexpr std::size_t too_many = 200;
    backtrace_result result;
    const auto visit = [](_Unwind_Context* frame, void* out) {
        auto& all = static_cast<backtrace_result*>(out)->functions;
        all.push_back(
            _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(_Unwind_GetIP(frame) - 1)));
        return all.size() > too_many ? _URC_NORMAL_STOP : _URC_NO_REASON;
    };
    result.ended_cleanly = _Unwind_Backtrace(visit, &result) == _URC_END_OF_STACK;
    return result;
}

inline bool is_generic() {
    return std::string_view(arch::context_implementation()).find("generic") !=
           std::string_view::npos;
}

}  // namespace lazult::arch_test
