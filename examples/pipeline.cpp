// SPDX-License-Identifier: BSD-3-Clause
// Three stages, joined by channels. Closing the first one ends all of them.
#include <lazult/channel.hpp>
#include <lazult/thread.hpp>

#include <cstdio>
#include <string>
#include <vector>

int main() {
    lazult::channel<int> numbers(16);
    lazult::channel<std::string> words(16);

    lazult::thread source([&] {
        for (int i = 1; i <= 1000; ++i) {
            numbers.send(i);
        }
        numbers.close();
    });
    std::vector<lazult::thread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&] {
            while (const auto n = numbers.receive()) {
                words.send(std::to_string(*n));
            }
        });
    }
    lazult::thread closer([&] {
        lazult::join_many(workers);
        words.close();
    });
    std::size_t letters = 0;
    while (const auto word = words.receive()) {
        letters += word->size();
    }
    std::printf("%zu digits\n", letters);
    return letters == 9 + 2 * 90 + 3 * 900 + 4 ? 0 : 1;
}
