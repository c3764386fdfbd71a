// SPDX-License-Identifier: BSD-3-Clause
#include "real/real.hpp"

#include <dlfcn.h>

#include <string_view>

namespace lazult::posix {
namespace {

// Before glibc 2.36, dlsym() finds the oldest version of a function. Of those of conditions that is
// one with another layout of pthread_cond_t, on x86-64.
void* find_newest(const char* name) noexcept {
    if (std::string_view(name).starts_with("pthread_cond_")) {
        if (void* const second = ::dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2"); second != nullptr) {
            return second;
        }
    }
    return ::dlsym(RTLD_NEXT, name);
}

}  // namespace

void* named_function::find() const noexcept {
    void* function = found();
    if (function == nullptr) {
        function = find_newest(name_);
        found_.store(function, std::memory_order_relaxed);
    }
    return function;
}

}  // namespace lazult::posix

// The bounds of the section, which the linker defines.
extern "C" const lazult::posix::named_function __start_lazult_real[];
extern "C" const lazult::posix::named_function __stop_lazult_real[];

namespace {

[[gnu::constructor]] void find_all() {
    for (const auto* each = __start_lazult_real; each != __stop_lazult_real; ++each) {
        each->find();
    }
}

}  // namespace
