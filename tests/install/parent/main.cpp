// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <lazult/thread.hpp>

int main() {
    int answer = 0;
    lazult::thread thread([&answer] { answer = 42; });
    thread.join();
    std::printf("%d\n", answer);
}
