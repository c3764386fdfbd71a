// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/probe/trace_buffer.hpp"

#include "lazult/os/os.hpp"

namespace lazult::probe {

trace_buffer::trace_buffer(std::uint32_t capacity) noexcept
    : records_(static_cast<trace_record*>(
          os::reserve(capacity * sizeof(trace_record), os::page_size()))),
      capacity_(records_ == nullptr ? 0 : capacity) {}

}  // namespace lazult::probe
