// SPDX-License-Identifier: BSD-3-Clause
// Code of shared libraries asks the dynamic linker for the addresses of their thread_local
// variables. A thread gets those of a library that dlopen() has loaded at its first question.
#include "abi/next.hpp"
#include "check/check.hpp"

namespace {

constinit lazult::checker::next_function<void*(void*)> real_tls_get_addr{"__tls_get_addr"};

}  // namespace

extern "C" void* __tls_get_addr(void* index) noexcept {
    void* const variable = real_tls_get_addr.get()(index);
    lazult::checker::note_own_address(variable);
    return variable;
}
