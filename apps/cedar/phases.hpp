// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace cedar {

// To fetch is to read the positions of other processes.
enum class phase : std::size_t { list, fetch, bonded, non_bonded, reduce, integrate, shake };
inline constexpr std::size_t phases = 7;
inline constexpr std::array<const char*, phases> phase_names{
    "list", "fetch", "bonded", "non_bonded", "reduce", "integrate", "shake"};

// Seconds by phase.
class phase_times {
public:
    double operator[](phase which) const { return seconds_[static_cast<std::size_t>(which)]; }
    double sum() const {
        double all = 0;
        for (const double each : seconds_) {
            all += each;
        }
        return all;
    }

    // Adds a part of the times of another process, so that a mean can be made.
    void add(const phase_times& other, double part) {
        for (std::size_t each = 0; each < phases; ++each) {
            seconds_[each] += part * other.seconds_[each];
        }
    }

    // From the call of start(), or from the end of the phase before, to the end of this one.
    void start() { last_ = clock::now(); }
    void end_of(phase which) {
        const clock::time_point now = clock::now();
        seconds_[static_cast<std::size_t>(which)] +=
            std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

private:
    using clock = std::chrono::steady_clock;

    std::array<double, phases> seconds_{};
    clock::time_point last_;
};

}  // namespace cedar
