// SPDX-License-Identifier: BSD-3-Clause
// A future brings back the result or the exception of a call.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <stdexcept>
#include <string>

int main() {
    lazult::future<int> answer = lazult::async([] { return 6 * 7; });
    lazult::future<int> number = lazult::async([] { return std::stoi("no number"); });

    std::printf("the answer is %d\n", answer.get());
    try {
        std::printf("the number is %d\n", number.get());
        return 1;
    } catch (const std::invalid_argument&) {
        std::printf("there is no number\n");
    }
}
