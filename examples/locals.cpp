// SPDX-License-Identifier: BSD-3-Clause
// A value in each thread: a buffer that is made on first use and freed at the thread's end.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <string>

namespace {

lazult::local<std::string> buffer;

std::size_t use(char c) {
    for (int i = 0; i < 10; ++i) {
        *buffer += c;
        // may go on in another OS thread: the buffer is still this thread's
        lazult::this_thread::yield();
    }
    return buffer->size();
}

}  // namespace

int main() {
    std::atomic<std::size_t> sum{0};
    lazult::parallel_for(0, 4, [](int) {});
    std::vector<lazult::thread> threads;
    for (char c = 'a'; c <= 'z'; ++c) {
        threads.emplace_back([&sum, c] { sum += use(c); });
    }
    lazult::join_many(threads);
    std::printf("%zu\n", sum.load());
    return sum == 260 && !buffer.has_value() ? 0 : 1;
}
