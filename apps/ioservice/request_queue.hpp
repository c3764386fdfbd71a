// SPDX-License-Identifier: BSD-3-Clause
// Requests on their way from clients to servers.
#pragma once

#include <deque>
#include <exception>
#include <optional>

#include "apps/ioservice/abt_objects.hpp"
#include "apps/ioservice/block.hpp"

namespace ioservice {

enum class action { get, put, erase };

// The client keeps it until done is set.
struct request {
    action what = action::get;
    key_type key = 0;
    std::optional<value> data{};  // of a put; of a get, what was found
    bool was_there = false;       // of an erasure
    std::exception_ptr error{};
    eventual done{};
};

class request_queue {
public:
    void push(request& next);
    request* pop();  // waits; nullptr: the queue is closed and empty
    void close();

private:
    mutex lock_;
    condition changed_;
    std::deque<request*> waiting_;
    bool closed_ = false;
};

}  // namespace ioservice
