// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/concert/solve_over_ranks.hpp"

#include <cstddef>
#include <vector>

#include "apps/radiosity/concert/replica.hpp"

namespace radiosity {
namespace {

namespace concert = lazult::concert;
using concert::call;
using concert::run;

// Calls of several roots answer in any order, so each result has its place.
concert::outcome<void> store_energy(std::int64_t i, element_array of, double* table) {
    return call(&shared_element::energy, of[static_cast<std::size_t>(i)])
        .keep(table + i)
        .then([](double* to, double energy) { *to = energy; });
}
concert::outcome<void> store_count(std::int64_t i, element_array of, tree_count* table) {
    return call(&shared_element::count, of[static_cast<std::size_t>(i)], tree_count{})
        .keep(table + i)
        .then([](tree_count* to, const tree_count& counted) { *to = counted; });
}

template <class T>
std::vector<T> of_each_root(concert::outcome<void> (*store)(std::int64_t, element_array, T*),
                            const element_array& roots) {
    std::vector<T> table(roots.size());
    run([](auto s, element_array of,
           T* to) { return concert::each(0, static_cast<std::int64_t>(of.size()), s, of, to); },
        store, roots, table.data());
    return table;
}

double total_energy(const element_array& roots) {
    double total = 0;
    for (const double energy : of_each_root(store_energy, roots)) {
        total += energy;
    }
    return total;
}

concert::outcome<void> forget_on(std::int64_t rank) {
    return call(concert::on(static_cast<int>(rank)), concert::forget_cached);
}

// In Jacobi's form: all elements gather, and only then new radiosities are seen.
void iterate(const element_array& roots) {
    run(concert::for_each_element, roots, concert::unguarded<&shared_element::gather>,
        interaction_list{});
    run(concert::for_each_element, roots, &shared_element::settle, colour{});
    run([](std::int64_t ranks) { return concert::each(0, ranks, forget_on); },
        std::int64_t{concert_size()});
}

}  // namespace

element_array make_roots() {
    const element_array roots =
        run(concert::create_array<shared_element>, replica_here().patches.size(),
            concert::spread::cyclic, concert::own_index);
    run(concert::for_each_element, roots, &shared_element::list_interactions, roots);
    return roots;
}

outcome solve_over_ranks(const element_array& roots, const settings& with) {
    outcome found;
    found.energy = total_energy(roots);
    while (!found.converged && found.iterations < with.iterations) {
        const double start = now_in_seconds();
        iterate(roots);
        found.seconds.push_back(now_in_seconds() - start);
        ++found.iterations;
        const double total = total_energy(roots);
        found.converged = is_steady(total, found.energy, with.energy);
        found.energy = total;
    }
    return found;
}

tree_count count(const element_array& roots) {
    tree_count found;
    for (const tree_count& each : of_each_root(store_count, roots)) {
        found.counted.append(each.counted);
        found.absorbed += each.absorbed;
    }
    return found;
}

void end_roots(const element_array& roots) {
    run(concert::for_each_element, roots, &shared_element::end_children);
    run(concert::destroy_array, roots);
}

}  // namespace radiosity
