// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous calls, and a result that several threads put together.
#include <lazult/future.hpp>

#include <cstdio>
#include <numeric>
#include <string>

int main() {
    lazult::future<std::string> greeting =
        lazult::async([](std::string name) { return "hello, " + name; }, "world");
    lazult::future<int> answer = lazult::async([] { return 42; });
    std::printf("%s: %d\n", greeting.get().c_str(), answer.get());

    lazult::compartments<int> parts(4);
    for (int i = 1; i <= 4; ++i) {
        lazult::thread([&parts, i] { parts.set(i * i); }).detach();
    }
    const auto squares = parts.wait();
    const int sum = std::accumulate(squares.begin(), squares.end(), 0);
    std::printf("1 + 4 + 9 + 16 = %d\n", sum);
    return sum == 30 ? 0 : 1;
}
