// SPDX-License-Identifier: BSD-3-Clause
// The first answer wins, and none is waited for longer than it may take.
#include <lazult/future.hpp>
#include <lazult/this_thread.hpp>
#include <lazult/wait_any.hpp>

#include <chrono>
#include <cstdio>
#include <span>
#include <vector>

int main() {
    using namespace std::chrono_literals;
    std::vector<lazult::future<int>> answers;
    for (const auto delay : {100ms, 1ms, 100ms}) {
        answers.push_back(lazult::async([delay, n = answers.size()] {
            lazult::this_thread::sleep_for(delay);
            return static_cast<int>(n);
        }));
    }
    const auto first = lazult::wait_any_for(10s, std::span(answers));
    if (!first) {
        return 1;
    }
    std::printf("number %zu was first\n", *first);
    const bool slow = answers[0].wait_for(1ms) == std::future_status::timeout;
    for (auto& answer : answers) {
        answer.wait();
    }
    return *first == 1 && slow ? 0 : 1;
}
