// SPDX-License-Identifier: BSD-3-Clause
// The computation: Jacobi's method on a square, rows of each step in ULTs.
#pragma once

#include <abt.h>

#include <cstddef>
#include <vector>

namespace ioservice {

class stencil {
public:
    explicit stencil(std::size_t n);

    void step();                          // by the caller alone
    void step(ABT_pool pool, int tasks);  // by so many ULTs
    bool operator==(const stencil& other) const { return now_ == other.now_; }

private:
    struct task;
    static void run(void* task);
    void sweep(std::size_t begin, std::size_t end);

    std::size_t n_;
    std::vector<double> now_;
    std::vector<double> next_;
};

}  // namespace ioservice
