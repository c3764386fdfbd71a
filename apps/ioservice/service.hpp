// SPDX-License-Identifier: BSD-3-Clause
// Servers that take requests from a queue and ask the store: ULTs, or OS threads.
#pragma once

#include <abt.h>

#include <list>
#include <optional>
#include <thread>

#include "apps/ioservice/request_queue.hpp"
#include "apps/ioservice/store.hpp"
#include "apps/ioservice/streams.hpp"

namespace ioservice {

class service {
public:
    explicit service(store& of) : store_(of) {}
    ~service();
    service(const service&) = delete;
    service& operator=(const service&) = delete;

    void start_ults(ABT_pool pool, int servers);
    void start_os_threads(int servers);

    // For clients. They wait, and throw what the store throws.
    std::optional<value> get(key_type key);
    void put(key_type key, value what);
    bool erase(key_type key);

private:
    void serve_in_ult();
    bool serve_one();  // false: there will be no more requests
    void answer(request& next);
    void ask(request& what);

    store& store_;
    request_queue queue_;
    std::list<unit> ults_;
    std::list<std::thread> os_threads_;
};

}  // namespace ioservice
