// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/stencil.hpp"

#include <algorithm>

#include "apps/ioservice/abt_objects.hpp"

namespace ioservice {

struct stencil::task {
    stencil* of;
    std::size_t begin;
    std::size_t end;
};

// One side is hot. The border keeps its values.
stencil::stencil(std::size_t n) : n_(n), now_(n * n) {
    std::fill_n(now_.begin(), n, 1.0);
    next_ = now_;
}

void stencil::step() {
    sweep(1, n_ - 1);
    now_.swap(next_);
}

void stencil::step(ABT_pool pool, int tasks) {
    const auto count = static_cast<std::size_t>(tasks);
    std::vector<task> work;
    std::vector<ABT_thread> ults(count, ABT_THREAD_NULL);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t rows = n_ - 2;
        work.push_back({this, 1 + rows * i / count, 1 + rows * (i + 1) / count});
    }
    for (std::size_t i = 0; i < count; ++i) {
        must(ABT_thread_create(pool, run, &work[i], ABT_THREAD_ATTR_NULL, &ults[i]),
             "ABT_thread_create");
    }
    for (ABT_thread& each : ults) {
        must(ABT_thread_free(&each), "ABT_thread_free");
    }
    now_.swap(next_);
}

void stencil::run(void* what) {
    const task& mine = *static_cast<task*>(what);
    mine.of->sweep(mine.begin, mine.end);
}

void stencil::sweep(std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
        const double* const above = &now_[(row - 1) * n_];
        const double* const here = &now_[row * n_];
        const double* const below = &now_[(row + 1) * n_];
        double* const into = &next_[row * n_];
        for (std::size_t i = 1; i + 1 < n_; ++i) {
            into[i] = 0.25 * (above[i] + below[i] + here[i - 1] + here[i + 1]);
        }
    }
}

}  // namespace ioservice
