// SPDX-License-Identifier: BSD-3-Clause
// operator new, as the library has it but for requests that a test wants refused.
#include <cstdlib>
#include <new>

#include "tests/support/scarcity.hpp"

namespace {

void* granted(std::size_t bytes, std::size_t alignment) noexcept {
    if (lazult::support::requests_of_new.refuses()) {
        return nullptr;
    }
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
        return std::malloc(bytes == 0 ? 1 : bytes);
    }
    return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void* granted_or_thrown(std::size_t bytes, std::size_t alignment) {
    void* const memory = granted(bytes, alignment);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

constexpr std::size_t usual = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t bytes) { return granted_or_thrown(bytes, usual); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return granted(bytes, usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return granted_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
    return granted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes) { return granted_or_thrown(bytes, usual); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
    return granted(bytes, usual);
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
    return granted_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
    return granted(bytes, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
    std::free(memory);
}
