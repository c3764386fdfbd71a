// SPDX-License-Identifier: BSD-3-Clause
// A buffer with a mutex and two condition variables, shared by ULTs and an ordinary OS thread.
#include <lazult/condition_variable.hpp>
#include <lazult/mutex.hpp>
#include <lazult/thread.hpp>

#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class buffer {
public:
    void put(int value) {
        std::unique_lock lock(mutex_);
        not_full_.wait(lock, [this] { return values_.size() < 8; });
        values_.push_back(value);
        not_empty_.notify_one();
    }
    int take() {
        std::unique_lock lock(mutex_);
        not_empty_.wait(lock, [this] { return !values_.empty(); });
        const int value = values_.front();
        values_.pop_front();
        not_full_.notify_one();
        return value;
    }

private:
    lazult::mutex mutex_;
    lazult::condition_variable not_full_;
    lazult::condition_variable not_empty_;
    std::deque<int> values_;
};

}  // namespace

int main() {
    buffer shared;
    std::thread outside([&] {
        for (int i = 1; i <= 1000; ++i) {
            shared.put(i);
        }
    });
    lazult::thread inside([&] {
        for (int i = 1001; i <= 2000; ++i) {
            shared.put(i);
        }
    });
    long sum = 0;
    for (int i = 0; i < 2000; ++i) {
        sum += shared.take();
    }
    inside.join();
    outside.join();
    std::printf("%ld\n", sum);
    return sum == 2'001'000 ? 0 : 1;
}
