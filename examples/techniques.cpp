// SPDX-License-Identifier: BSD-3-Clause
// The same work by each technique, and what the runtime counted.
#include <lazult/lazult.hpp>

#include <cstdio>

int main() {
    using lazult::technique;
    long wrong = 0;
    for (const technique how :
         {technique::full, technique::lazy_stack, technique::return_on_completion,
          technique::stack_separation, technique::scheduler_creation, technique::adaptive}) {
        const auto before = lazult::statistics();
        std::atomic<int> sum{0};
        lazult::task_group group(lazult::thread_attributes{.how = how});
        for (int i = 0; i < 1000; ++i) {
            group.run([&sum, i] {
                if (i % 10 == 0) {
                    lazult::this_thread::yield();
                }
                ++sum;
            });
        }
        group.wait();
        const auto after = lazult::statistics();
        std::printf("%-22s created %4llu, suspensions %4llu\n", std::string(name(how)).c_str(),
                    static_cast<unsigned long long>(after.created - before.created),
                    static_cast<unsigned long long>(after.suspensions - before.suspensions));
        wrong += sum != 1000;
    }
    return wrong == 0 ? 0 : 1;
}
