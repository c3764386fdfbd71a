// SPDX-License-Identifier: BSD-3-Clause
// The floor sync under the model: its callers are the model's threads, which sleep on futexes, and
// the plain fields of records are watched for races.
#pragma once

#include "lazult/sync/condition_slow.hpp"
#include "lazult/sync/mutex_slow.hpp"
#include "lazult/sync/semaphore.hpp"
#include "tests/model/mutation.hpp"

namespace lazult::sync {

template <class T>
struct plain_field<model::model_atomics, T> {
    using type = model::model_var<T>;
};

}  // namespace lazult::sync

namespace lazult::model {

// A deadline that may pass at any moment.
inline constexpr std::int64_t some_time = 1;

// A stop request, as std::stop_source and std::stop_callback make it: the requester ends the wait
// that is watched, and the waiter does not leave while that goes on.
class stop_request final : public sync::stop_watch {
public:
    void request() {
        hold();
        requested_ = 1;
        if (wait_ != nullptr) {
            end_(wait_);
        }
        let_go();
    }
    void begin(void* wait, end_function end) noexcept override {
        hold();
        wait_ = wait;
        end_ = end;
        if (requested_ != 0) {
            end(wait);
        }
        let_go();
    }
    void watch_ended() noexcept override {
        hold();
        wait_ = nullptr;
        let_go();
    }

private:
    void hold() {
        while (lock_.exchange(1, std::memory_order_acquire) != 0) {
            model_atomics::pause();
        }
    }
    void let_go() { lock_.store(0, std::memory_order_release); }

    model_atomics::atomic<std::uint32_t> lock_;
    model_var<int> requested_{0};
    void* wait_ = nullptr;
    end_function end_ = nullptr;
};

// A wait that it ends.
inline sync::wait_limit until(stop_request& stop, std::int64_t deadline = sync::no_deadline) {
    return {deadline, core::cancelable::no, &stop};
}

// The mistakes that nobody notices, but for those in the functions named: compilers spell the
// arguments of function templates, which follow the name, differently.
inline std::vector<std::string> unnoticed_but_in(const std::vector<scenario>& scenarios,
                                                 const std::vector<std::string>& functions) {
    std::vector<std::string> rest;
    for (const std::string& each : unnoticed_mistakes(scenarios)) {
        if (std::none_of(functions.begin(), functions.end(),
                         [&](const std::string& name) { return each.starts_with(name); })) {
            rest.push_back(each);
        }
    }
    return rest;
}

}  // namespace lazult::model
