// SPDX-License-Identifier: BSD-3-Clause
// Source: the interface of libFuzzer, https://llvm.org/docs/LibFuzzer.html
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    lazult::fuzz::try_bytes({data, size});
    return 0;
}
