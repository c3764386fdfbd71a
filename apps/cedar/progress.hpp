// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

namespace cedar {

// Says on stderr how far a long run is, every few seconds.
class progress {
public:
    progress(std::string what, unsigned all);
    void at(unsigned done);

private:
    using clock = std::chrono::steady_clock;

    std::string what_;
    unsigned all_;
    clock::time_point began_ = clock::now();
    clock::time_point shown_ = began_;
};

}  // namespace cedar
