// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace lazult::tool {

// One line that overwrites itself, on a terminal only: logs and pipes stay clean.
class progress_line {
public:
    progress_line() : shown_(::isatty(STDERR_FILENO) != 0) {}
    progress_line(const progress_line&) = delete;
    progress_line& operator=(const progress_line&) = delete;
    ~progress_line() { show(""); }

    void show(const std::string& text) const noexcept {
        if (shown_) {
            std::fprintf(stderr, "\r\033[K%s", text.c_str());
            std::fflush(stderr);
        }
    }

private:
    bool shown_;
};

}  // namespace lazult::tool
