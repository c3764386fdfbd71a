// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/service.hpp"

#include <utility>

namespace ioservice {

service::~service() {
    queue_.close();
    ults_.clear();
    for (std::thread& each : os_threads_) {
        each.join();
    }
}

void service::start_ults(ABT_pool pool, int servers) {
    for (int i = 0; i < servers; ++i) {
        ults_.emplace_back(pool, [this] { serve_in_ult(); });
    }
}

void service::start_os_threads(int servers) {
    for (int i = 0; i < servers; ++i) {
        os_threads_.emplace_back([this] {
            while (serve_one()) {
            };
        });
    }
}

std::optional<value> service::get(key_type key) {
    request what{.what = action::get, .key = key};
    ask(what);
    return std::move(what.data);
}

void service::put(key_type key, value data) {
    request what{.what = action::put, .key = key, .data = std::move(data)};
    ask(what);
}

bool service::erase(key_type key) {
    request what{.what = action::erase, .key = key};
    ask(what);
    return what.was_there;
}

void service::ask(request& what) {
    queue_.push(what);
    what.done.wait();
    if (what.error) {
        std::rethrow_exception(what.error);
    }
}

// It gives way after each answer, so that other units of its stream go on.
void service::serve_in_ult() {
    while (serve_one()) {
        must(ABT_thread_yield(), "ABT_thread_yield");
    }
}

bool service::serve_one() {
    request* const next = queue_.pop();
    if (next == nullptr) {
        return false;
    }
    try {
        answer(*next);
    } catch (...) {
        next->error = std::current_exception();
    }
    next->done.set();
    return true;
}

void service::answer(request& next) {
    switch (next.what) {
        case action::get: next.data = store_.get(next.key); break;
        case action::put: store_.put(next.key, *next.data); break;
        case action::erase: next.was_there = store_.erase(next.key); break;
    }
}

}  // namespace ioservice
