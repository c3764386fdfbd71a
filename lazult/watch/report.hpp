// SPDX-License-Identifier: BSD-3-Clause
// What the process reports at its end, if LAZULT_STATS or LAZULT_TRACE ask for it.
#pragma once

namespace lazult::watch {

// Called by the thread that starts the process's first stream, when the settings are known. A child
// made by fork() reports nothing.
void report_at_exit() noexcept;

}  // namespace lazult::watch
