// SPDX-License-Identifier: BSD-3-Clause
// Functions that copy and fill memory. They stand before the C library's, because g++ calls those;
// clang++ calls those that begin with __tsan_. Those that end in _chk are of programs that are
// compiled with _FORTIFY_SOURCE.
#include "abi/next.hpp"
#include "check/check.hpp"

namespace {

using namespace lazult::checker;
using move_function = void*(void*, const void*, std::size_t);
using set_function = void*(void*, int, std::size_t);

constinit next_function<move_function> real_memcpy{"memcpy"};
constinit next_function<move_function> real_memmove{"memmove"};
constinit next_function<set_function> real_memset{"memset"};

LAZULT_ALWAYS_INLINE void* copy(next_function<move_function>& real, void* to, const void* from,
                                std::size_t size, const void* code) noexcept {
    check_range(from, size, access::read, code);
    check_range(to, size, access::write, code);
    return real.get()(to, from, size);
}
LAZULT_ALWAYS_INLINE void* fill(void* to, int value, std::size_t size, const void* code) noexcept {
    check_range(to, size, access::write, code);
    return real_memset.get()(to, value, size);
}

void require_room(std::size_t size, std::size_t room, const char* function) noexcept {
    if (size > room) {
        lazult::base::fatal_misuse(function, "the destination is too small",
                                   "give a buffer that is as large as the number of bytes");
    }
}

}  // namespace

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) noexcept {
    return copy(real_memcpy, to, from, size, LAZULT_CALLER);
}
void* memmove(void* to, const void* from, std::size_t size) noexcept {
    return copy(real_memmove, to, from, size, LAZULT_CALLER);
}
void* memset(void* to, int value, std::size_t size) noexcept {
    return fill(to, value, size, LAZULT_CALLER);
}

void* __memcpy_chk(void* __restrict to, const void* __restrict from, std::size_t size,
                   std::size_t room) noexcept {
    require_room(size, room, "memcpy");
    return copy(real_memcpy, to, from, size, LAZULT_CALLER);
}
void* __memmove_chk(void* to, const void* from, std::size_t size, std::size_t room) noexcept {
    require_room(size, room, "memmove");
    return copy(real_memmove, to, from, size, LAZULT_CALLER);
}
void* __memset_chk(void* to, int value, std::size_t size, std::size_t room) noexcept {
    require_room(size, room, "memset");
    return fill(to, value, size, LAZULT_CALLER);
}

void* __tsan_memcpy(void* to, const void* from, std::size_t size) noexcept {
    return copy(real_memcpy, to, from, size, LAZULT_CALLER);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) noexcept {
    return copy(real_memmove, to, from, size, LAZULT_CALLER);
}
void* __tsan_memset(void* to, int value, std::size_t size) noexcept {
    return fill(to, value, size, LAZULT_CALLER);
}

}  // extern "C"
