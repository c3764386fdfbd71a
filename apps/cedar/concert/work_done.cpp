// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/work_done.hpp"

#include <lazult_concert_simulation.hpp>

namespace cedar {
namespace {

// In the order of the counts. Processor time of iccedar's phases over each count, on an AMD EPYC
// (family 25, model 1) that other programs used, too: iccedar --cells-per-range 2 --minimise 30
// --steps 24, the less of two runs. A phase has its share of the steps' time in user mode. The
// prices of lists come from cell_system::renew_without_wrapping(), for one owner and for one of
// 128, at cutoffs of 1.4 and 0.9 nm. None is fitted to the paper's figures.
constexpr std::array<double, kinds_of_computing> prices{10.3, 3.5, 31, 6.2, 16, 3.5, 173, 260};

double slowness = 1;

}  // namespace

void work_done::add(computing kind, std::uint64_t more) {
    counts_[static_cast<std::size_t>(kind)] += more;
    const double ns = static_cast<double>(more) * price_of(kind) * slowness;
    lazult::concert::spend(ns);
    spent_ns_ += ns;
}

work_done& work_done::operator+=(const work_done& more) {
    for (std::size_t each = 0; each < kinds_of_computing; ++each) {
        counts_[each] += more.counts_[each];
    }
    spent_ns_ += more.spent_ns_;
    return *this;
}

double price_of(computing kind) { return prices[static_cast<std::size_t>(kind)]; }
void set_slowness(double factor) { slowness = factor; }

}  // namespace cedar
