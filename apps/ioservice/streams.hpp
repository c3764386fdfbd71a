// SPDX-License-Identifier: BSD-3-Clause
// Execution streams and ULTs of abt.h.
#pragma once

#include <abt.h>

#include <functional>
#include <vector>

namespace ioservice {

// Its function runs as a ULT. The destructor waits for it.
class unit {
public:
    unit(ABT_pool pool, std::function<void()> body);
    ~unit();
    unit(const unit&) = delete;
    unit& operator=(const unit&) = delete;

private:
    std::function<void()> body_;
    ABT_thread handle_ = ABT_THREAD_NULL;
};

// Some streams with one pool. Streams with nothing to do sleep.
class streams {
public:
    explicit streams(int count);
    ~streams();
    streams(const streams&) = delete;
    streams& operator=(const streams&) = delete;

    ABT_pool pool() const { return pool_; }

private:
    ABT_pool pool_;
    std::vector<ABT_xstream> all_;
};

// Between ABT_init and ABT_finalize. The caller becomes the only ULT of the primary stream.
class runtime {
public:
    runtime();
    ~runtime();
    runtime(const runtime&) = delete;
    runtime& operator=(const runtime&) = delete;
};

}  // namespace ioservice
