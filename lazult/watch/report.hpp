// SPDX-License-Identifier: BSD-3-Clause
// The reports at the end of the process, if LAZULT_STATS or LAZULT_TRACE asks for them.
#pragma once

namespace lazult::watch {

// Registers the reports. Called by the thread that starts the process's first stream, when the
// settings are known. A child made by fork() reports nothing.
void report_at_exit() noexcept;

}  // namespace lazult::watch
