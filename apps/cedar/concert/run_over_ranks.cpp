// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/run_over_ranks.hpp"

#include "apps/cedar/concert/rank_share.hpp"
#include "apps/cedar/progress.hpp"

#include <algorithm>

namespace cedar {
namespace {

namespace concert = lazult::concert;
using concert::call;
using concert::outcome;
using concert::run;
using concert::task;

// Everything of a rank is in one strand, so that its own cells are called as they are.
concert::place at(int rank) { return concert::on(rank, 0); }

// The first rank comes last: it begins its own part when the calls of the others are under way.
template <class Result, auto Phase>
outcome<Result> call_one(std::int64_t i) {
    const int rank = concert_size() - 1 - static_cast<int>(i);
    if (rank == 0) {
        send_calls();
    }
    return call(at(rank), Phase);
}

template <auto Phase>
outcome<void> everywhere() {
    return concert::each(0, concert_size(), call_one<void, Phase>);
}

// The sum of what the ranks give.
template <class Result, class Sum, auto Phase>
outcome<Result> sum_everywhere() {
    return concert::combine(0, concert_size(), Result{}, Sum{}, call_one<Result, Phase>);
}

struct sum_of_energies {
    energy_sums operator()(energy_sums a, const energy_sums& b) const { return a += b; }
};
struct sum_of_kinetic {
    fixed operator()(fixed a, fixed b) const {
        add_fixed(a, b);
        return a;
    }
};
struct sum_of_ends {
    end_of_step operator()(end_of_step a, const end_of_step& b) const {
        add_fixed(a.kinetic, b.kinetic);
        return {a.kinetic, a.is_list_old || b.is_list_old};
    }
};

struct step_result {
    observation seen;
    bool is_list_old;
};

task<step_result> step(bool is_list_old) {
    if (is_list_old) {
        co_await call(everywhere<gather>);
        co_await call(everywhere<renew>);
    }
    co_await call(everywhere<fetch>);
    const energy_sums potential =
        co_await call(sum_everywhere<energy_sums, sum_of_energies, compute>);
    fixed kinetic_twice = co_await call(sum_everywhere<fixed, sum_of_kinetic, move>);
    const end_of_step end = co_await call(sum_everywhere<end_of_step, sum_of_ends, finish>);
    add_fixed(kinetic_twice, end.kinetic);
    co_return step_result{share_here().dynamics().observe(potential.values(), kinetic_twice),
                          end.is_list_old};
}

void learn_names(cell_array cells) { share_here().set_names(cells); }

cell_array make_cells(index cells) {
    const auto ranks = static_cast<std::uint64_t>(concert_size());
    const cell_array made = run(concert::create_array<shared_cell>, cells * ranks,
                                concert::spread::cyclic, concert::own_index);
    for (int rank = 0; rank < concert_size(); ++rank) {
        run(at(rank), learn_names, made);
    }
    return made;
}

void run_steps(const request& wanted, const std::function<double()>& clock, findings& found) {
    progress shown("step", wanted.steps);
    bool is_list_old = false;
    const stopwatch stepping;
    const double began = clock ? clock() : 0;
    for (unsigned each = 0; each < wanted.steps; ++each) {
        const step_result result = run(at(0), step, is_list_old);
        is_list_old = result.is_list_old;
        note(result.seen, each, found);
        shown.at(each + 1);
    }
    found.seconds_of_steps = clock ? clock() - began : stepping.seconds();
    found.user_seconds_of_steps = stepping.user_seconds();
}

void add_measurements(findings_of_ranks& to) {
    const int ranks = concert_size();
    to.found.times = {};
    for (int rank = 0; rank < ranks; ++rank) {
        const measurements of_rank = run(at(rank), measured);
        to.found.times.add(of_rank.times, 1.0 / ranks);
        to.calls += of_rank.calls;
        to.computed += of_rank.computed;
        to.most_computed_ns = std::max(to.most_computed_ns, of_rank.computed.spent_ns());
        to.arrivals += of_rank.arrivals;
        to.messages += of_rank.messages;
        to.packets += of_rank.packets;
    }
}

}  // namespace

findings_of_ranks run_over_ranks(const request& wanted, double box_edge, const findings& found,
                                 const std::function<double()>& clock) {
    findings_of_ranks result;
    result.found = found;
    simulation& dynamics = share_here().dynamics();
    const cell_array cells = make_cells(dynamics.cells().cells().cells());
    run([] { return everywhere<forget_measurements>(); });
    run_steps(wanted, clock, result.found);
    add_measurements(result);
    run(at(0), gather);
    conclude(dynamics, box_edge, result.found);
    run(concert::destroy_array, cells);
    return result;
}

}  // namespace cedar
