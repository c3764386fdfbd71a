// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/request_queue.hpp"

#include <mutex>

namespace ioservice {

void request_queue::push(request& next) {
    const std::lock_guard<mutex> held(lock_);
    waiting_.push_back(&next);
    changed_.signal();
}

request* request_queue::pop() {
    const std::lock_guard<mutex> held(lock_);
    while (waiting_.empty() && !closed_) {
        changed_.wait(lock_);
    }
    if (waiting_.empty()) {
        return nullptr;
    }
    request* const first = waiting_.front();
    waiting_.pop_front();
    return first;
}

void request_queue::close() {
    const std::lock_guard<mutex> held(lock_);
    closed_ = true;
    changed_.broadcast();
}

}  // namespace ioservice
