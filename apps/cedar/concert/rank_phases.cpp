// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/concert/rank_phases.hpp"

#include "apps/cedar/concert/rank_share.hpp"

#include <algorithm>
#include <lazult_concert_simulation.hpp>
#include <stdexcept>

namespace cedar {
namespace {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::outcome;

using vectors = std::vector<vector3>;

template <typename Value>
std::uint64_t bytes_of(const std::vector<Value>& values) {
    return values.size() * sizeof(Value);
}

// Calls the method for each of the cells, all before the first is waited for.
outcome<void> for_each_cell(const std::vector<index>* cells,
                            outcome<void> (*method)(std::int64_t, rank_share*)) {
    outcome<void> made =
        concert::each(0, static_cast<std::int64_t>(cells->size()), method, &share_here());
    send_calls();  // the calls are under way before this rank does anything else
    return made;
}

// --- renewal

outcome<void> gather_cell(std::int64_t i, rank_share* mine) {
    const index cell = mine->others()[static_cast<std::size_t>(i)];
    const cell_name name = mine->name_of(cell);
    return all(call(&shared_cell::positions, name), call(&shared_cell::velocities, name))
        .keep(mine, cell)
        .then([](rank_share* m, index c, const vectors& positions, const vectors& velocities) {
            std::ranges::copy(positions, m->positions_of(c).begin());
            std::ranges::copy(velocities, m->velocities_of(c).begin());
            m->calls().count(phase::list, 2, bytes_of(positions) + bytes_of(velocities));
        });
}

// --- forces

outcome<void> fetch_cell(std::int64_t i, rank_share* mine) {
    const index cell = mine->others_read()[static_cast<std::size_t>(i)];
    return call(&shared_cell::positions, mine->name_of(cell))
        .keep(mine, cell)
        .then([](rank_share* m, index c, const vectors& positions) {
            std::ranges::copy(positions, m->positions_of(c).begin());
            m->calls().count(phase::fetch, 1, bytes_of(positions));
        });
}

void compute_batch(std::int64_t i, rank_share* mine) {
    cell_system& cells = mine->dynamics().cells();
    const index number = mine->work().batches[static_cast<std::size_t>(i)];
    mine->energies() += cells.compute_batch(number, cells.forces());
    mine->computed().add(computing::bonded_term, cells.terms_of_batch(number));
}

void compute_pair(std::int64_t i, rank_share* mine) {
    cell_system& cells = mine->dynamics().cells();
    const index number = mine->work().pairs[static_cast<std::size_t>(i)];
    mine->energies() += cells.compute_pair(number, cells.forces());
    if (concert::is_simulated()) {
        mine->computed().add(computing::atom_pair, cells.listed_atoms(number));
        mine->computed().add(computing::summed_atom, cells.atoms_of_pair(number));
    }
}

outcome<void> compute_batches(rank_share* mine) {
    return concert::each(0, static_cast<std::int64_t>(mine->work().batches.size()), compute_batch,
                         mine);
}

outcome<void> compute_pairs(rank_share* mine) {
    mine->dynamics().times().end_of(phase::bonded);
    return concert::each(0, static_cast<std::int64_t>(mine->work().pairs.size()), compute_pair,
                         mine);
}

outcome<void> add_to_cell(std::int64_t i, rank_share* mine) {
    const index cell = mine->others_read()[static_cast<std::size_t>(i)];
    const std::span<const fixed3> sums = mine->forces_of(cell);
    std::vector<fixed3> part(sums.begin(), sums.end());
    mine->calls().count(phase::reduce, 1, bytes_of(part));
    return call(&shared_cell::add_forces, mine->name_of(cell), std::move(part));
}

outcome<void> add_to_others(rank_share* mine) {
    return for_each_cell(&mine->others_read(), add_to_cell);
}

// --- constraints

outcome<void> fetch_tied(std::int64_t i, rank_share* mine) {
    const index cell = mine->others_tied()[static_cast<std::size_t>(i)];
    return call(&shared_cell::positions_of_tied, mine->name_of(cell))
        .keep(mine, cell)
        .then([](rank_share* m, index c, const vectors& positions) {
            const std::vector<index>& slots = m->tied_slots(c);
            for (std::size_t each = 0; each < slots.size(); ++each) {
                m->dynamics().cells().positions()[slots[each]] = positions[each];
            }
            m->calls().count(phase::shake, 1, bytes_of(positions));
        });
}

void hold(rank_share& mine, const std::vector<index>& molecules) {
    std::uint64_t visits = 0;
    for (const index each : molecules) {
        visits += mine.dynamics().hold_bonds(mine.dynamics().cells().molecules().molecules[each]);
    }
    mine.computed().add(computing::visited_bond, visits);
}

end_of_step take_stock(rank_share* mine) {
    simulation& dynamics = mine->dynamics();
    if (dynamics.has_constraints()) {
        hold(*mine, mine->tied_molecules());
        dynamics.times().end_of(phase::shake);
        dynamics.take_velocities();
    }
    const end_of_step result{dynamics.kinetic(), dynamics.cells().is_list_old()};
    dynamics.times().end_of(phase::integrate);
    return result;
}

std::size_t atoms_in(rank_share& mine, const std::vector<index>& cells) {
    std::size_t atoms = 0;
    for (const index cell : cells) {
        atoms += mine.positions_of(cell).size();
    }
    return atoms;
}

void count_renewal(rank_share& mine) {
    const cell_system& cells = mine.dynamics().cells();
    std::uint64_t listed = 0;
    for (const index each : mine.work().pairs) {
        listed += cells.listed_atoms(each);
    }
    mine.computed().add(computing::shared_cells, cells.lists().size());
    mine.computed().add(computing::listed_cells, mine.work().pairs.size());
    mine.computed().add(computing::listed_pair, listed);
}

// Simulated ranks have no queue.
concert_counters queue_counters() {
    if (concert::is_simulated()) {
        return {};
    }
    concert_counters now;
    if (concert_count(nullptr, &now) != CONCERT_OK) {
        throw std::runtime_error(concert_last_error());
    }
    return now;
}

}  // namespace

void send_calls() {
    if (!concert::is_simulated()) {
        concert::flush();
    }
}

outcome<void> gather() {
    rank_share& mine = share_here();
    mine.dynamics().times().start();
    return call(for_each_cell, &mine.others(), gather_cell).keep(&mine).then([](rank_share* m) {
        m->dynamics().times().end_of(phase::list);
    });
}

void renew() {
    rank_share& mine = share_here();
    mine.dynamics().times().start();
    mine.renew();
    if (concert::is_simulated()) {
        count_renewal(mine);
    }
    mine.dynamics().times().end_of(phase::list);
}

outcome<void> fetch() {
    rank_share& mine = share_here();
    mine.dynamics().times().start();
    mine.dynamics().cells().clear_forces();
    // The other atoms are in the array for its own sake: a rank needs the sums of what it reads.
    mine.computed().add(computing::summed_atom, atoms_in(mine, mine.work().cells_read));
    mine.energies() = {};
    mine.dynamics().times().end_of(phase::reduce);
    return call(for_each_cell, &mine.others_read(), fetch_cell).keep(&mine).then([](rank_share* m) {
        m->dynamics().times().end_of(phase::fetch);
    });
}

outcome<energy_sums> compute() {
    rank_share& mine = share_here();
    mine.dynamics().times().start();
    return call(compute_batches, &mine).keep(&mine).then([](rank_share* after_batches) {
        return call(compute_pairs, after_batches)
            .keep(after_batches)
            .then([](rank_share* after_pairs) {
                return call(add_to_others, after_pairs).keep(after_pairs).then([](rank_share* m) {
                    m->dynamics().times().end_of(phase::reduce);
                    return m->energies();
                });
            });
    });
}

fixed move() {
    rank_share& mine = share_here();
    simulation& dynamics = mine.dynamics();
    dynamics.times().start();
    const fixed kinetic = dynamics.kinetic();
    dynamics.move_atoms();
    mine.computed().add(computing::moved_atom, atoms_in(mine, mine.work().cells));
    dynamics.times().end_of(phase::integrate);
    if (dynamics.has_constraints()) {
        mine.keep_tied();
        hold(mine, mine.whole_molecules());
        dynamics.times().end_of(phase::shake);
    }
    return kinetic;
}

outcome<end_of_step> finish() {
    rank_share& mine = share_here();
    mine.dynamics().times().start();
    if (!mine.dynamics().has_constraints()) {
        return take_stock(&mine);
    }
    return call(for_each_cell, &mine.others_tied(), fetch_tied).keep(&mine).then([](rank_share* m) {
        return take_stock(m);
    });
}

void forget_measurements() {
    rank_share& mine = share_here();
    mine.dynamics().forget_times();
    mine.calls() = {};
    mine.computed() = {};
    mine.arrivals() = 0;
    mine.counted_before() = queue_counters();
}

measurements measured() {
    rank_share& mine = share_here();
    const concert_counters now = queue_counters();
    const concert_counters& before = mine.counted_before();
    return {mine.dynamics().times(), mine.calls(),           mine.computed(),
            mine.arrivals(),         now.sent - before.sent, now.packets - before.packets};
}

}  // namespace cedar
