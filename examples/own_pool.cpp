// SPDX-License-Identifier: BSD-3-Clause
// A pool of one's own: the newest unit first.
#include <lazult/lazult.hpp>

#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace {

class newest_first final : public lazult::custom_pool {
public:
    explicit newest_first(std::size_t most) { units_.reserve(most); }

    void push(lazult::thread_id unit) noexcept override {
        const std::lock_guard hold(lock_);
        units_.push_back(unit);
    }
    lazult::thread_id pop() noexcept override {
        const std::lock_guard hold(lock_);
        if (units_.empty()) {
            return {};
        }
        const lazult::thread_id newest = units_.back();
        units_.pop_back();
        return newest;
    }
    bool remove(lazult::thread_id unit) noexcept override {
        const std::lock_guard hold(lock_);
        return std::erase(units_, unit) != 0;
    }
    std::size_t count() const noexcept override {
        const std::lock_guard hold(lock_);
        return units_.size();
    }

private:
    mutable std::mutex lock_;  // not a lazult::mutex: nothing here may suspend
    std::vector<lazult::thread_id> units_;
};

}  // namespace

int main() {
    newest_first pool(100);
    std::string order;
    std::mutex writing;
    std::vector<lazult::thread> threads;
    for (const char name : {'1', '2', '3'}) {
        threads.emplace_back(lazult::thread_attributes{.where = &pool}, [&, name] {
            const std::lock_guard hold(writing);
            order += name;
        });
    }
    lazult::execution_stream stream(lazult::scheduler_kind::basic, {&pool});
    stream.join();  // ends it once the pool is empty
    lazult::join_many(threads);
    std::printf("%s\n", order.c_str());
    return order == "321" ? 0 : 1;
}
