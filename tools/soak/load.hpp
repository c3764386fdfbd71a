// SPDX-License-Identifier: BSD-3-Clause
// What the programs that `lazult soak` starts have in common: seeded rounds until the time is over,
// checks that end the program at the first thing that is not as it must be, and a line of figures
// now and then, as one JSON object on standard output.
//
//     // --seed N --seconds S --interval S [--plant leak|loss|stack|byte]
//     soak::load load("native", argc, argv);
//     while (load.next_round()) {  // nothing of the program's runs here: the figures are exact
//         ... load.expect(got, wanted, "what") ... load.count(operations) ...
//     }
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace lazult::soak {

// xorshift64*: each thread has its own.
class generator {
public:
    explicit generator(std::uint64_t seed) noexcept : state_(seed * 0x9e3779b97f4a7c15 | 1) {
        next();
        next();
    }
    std::uint64_t next() noexcept {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1d;
    }
    // From 0 to below the limit.
    unsigned below(unsigned limit) noexcept {
        return static_cast<unsigned>((next() >> 33) % limit);
    }

private:
    std::uint64_t state_;
};

// Bytes that only their seed tells.
std::string pattern(std::size_t bytes, std::uint64_t seed);

class load {
public:
    load(const char* name, int argc, char** argv);

    // False when the time is over. Where a line is due, waits a little for the runtime to come to
    // rest: ends the program if there are more units than there were at first.
    bool next_round();
    // Of this round.
    std::uint64_t seed() const noexcept { return seed_ + round_; }
    std::uint64_t round() const noexcept { return round_; }
    bool is_first_round() const noexcept { return round_ == 1; }

    // The rest is thread-safe.
    void count(std::uint64_t operations) noexcept {
        operations_.fetch_add(operations, std::memory_order_relaxed);
    }
    // Ends the program, with words on standard error that name load, seed and round.
    void expect(std::uint64_t got, std::uint64_t wanted, const char* what) const;
    [[noreturn]] void fail(const std::string& what) const;
    // Whether a case that makes OS threads may do so this time. AddressSanitizer keeps half a KiB
    // for each that there ever was, until the process ends, so where it runs they are made one time
    // in many, and memory stays flat.
    static bool may_make_os_threads(generator& random) noexcept;
    // The planted errors, by which tests see that errors are found.
    bool loses() const noexcept { return planted_ == "loss"; }
    bool spoils_io() const noexcept { return planted_ == "byte"; }

private:
    using clock = std::chrono::steady_clock;
    void print_figures();
    void await_rest();
    void read(int argc, char** argv);

    const char* name_;
    std::uint64_t seed_ = 1;
    double seconds_ = 10;
    double interval_ = 1;
    std::string planted_;
    std::uint64_t round_ = 0;
    std::uint64_t units_at_rest_ = 0;
    std::atomic<std::uint64_t> operations_{0};
    clock::time_point began_ = clock::now();
    clock::time_point due_ = began_;
};

}  // namespace lazult::soak
