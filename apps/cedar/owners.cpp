// SPDX-License-Identifier: BSD-3-Clause
#include "apps/cedar/owners.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace cedar {
namespace {

class bisection {
public:
    bisection(const grid& cells, std::span<const index> atoms)
        : grid_(cells), atoms_(atoms), owner_of_(cells.cells()) {}

    std::vector<owner> run(owner owners) {
        std::vector<index> all(grid_.cells());
        std::iota(all.begin(), all.end(), index{0});
        give(all, 0, owners);
        return std::move(owner_of_);
    }

private:
    void give(std::span<index> cells, owner first, owner owners) {
        if (owners == 1) {
            for (const index each : cells) {
                owner_of_[each] = first;
            }
            return;
        }
        sort_along(cells, longest_side(cells));
        const owner half = owners / 2;
        const std::size_t cut = cut_at(cells, static_cast<double>(half) / owners);
        give(cells.first(cut), first, half);
        give(cells.subspan(cut), first + half, owners - half);
    }

    std::size_t longest_side(std::span<const index> cells) const {
        std::array<index, 3> least{};
        least.fill(grid_.across());
        std::array<index, 3> most{};
        for (const index each : cells) {
            const auto at = grid_.coordinates_of(each);
            for (std::size_t axis = 0; axis < 3; ++axis) {
                least[axis] = std::min(least[axis], at[axis]);
                most[axis] = std::max(most[axis], at[axis] + 1);
            }
        }
        std::size_t longest = 0;
        for (std::size_t axis = 1; axis < 3; ++axis) {
            if (most[axis] + least[longest] > most[longest] + least[axis]) {
                longest = axis;
            }
        }
        return longest;
    }

    void sort_along(std::span<index> cells, std::size_t axis) const {
        std::ranges::sort(cells, [&](index one, index other) {
            const auto a = grid_.coordinates_of(one);
            const auto b = grid_.coordinates_of(other);
            const std::size_t second = (axis + 1) % 3;
            const std::size_t third = (axis + 2) % 3;
            return std::array{a[axis], a[second], a[third]} <
                   std::array{b[axis], b[second], b[third]};
        });
    }

    // How many cells have nearest to this part of the atoms.
    std::size_t cut_at(std::span<const index> cells, double part) const {
        double all = 0;
        for (const index each : cells) {
            all += atoms_[each];
        }
        double before = 0;
        std::size_t count = 0;
        while (count < cells.size() && before + atoms_[cells[count]] / 2.0 < part * all) {
            before += atoms_[cells[count]];
            ++count;
        }
        return count;
    }

    const grid& grid_;
    std::span<const index> atoms_;
    std::vector<owner> owner_of_;
};

class sharing {
public:
    sharing(const all_work& work, std::span<const owner> owner_of_cell, owner owners)
        : work_(work), owner_of_cell_(owner_of_cell), shares_(owners), read_(owners) {}

    std::vector<owned_work> run() {
        for (index cell = 0; cell < owner_of_cell_.size(); ++cell) {
            shares_[owner_of_cell_[cell]].cells.push_back(cell);
            read_[owner_of_cell_[cell]].insert(cell);
        }
        share_pairs();
        share_batches();
        share_molecules();
        for (std::size_t each = 0; each < shares_.size(); ++each) {
            shares_[each].cells_read.assign(read_[each].begin(), read_[each].end());
        }
        return std::move(shares_);
    }

private:
    index cell_of(index atom) const {
        return work_.groups.cell_of_slot(work_.groups.slot_of_atom[atom]);
    }

    void share_pairs() {
        for (index each = 0; each < work_.pairs.size(); ++each) {
            const auto [a, b] = work_.pairs[each];
            const owner to = owner_of_cell_[(a + b) % 2 == 0 ? a : b];
            shares_[to].pairs.push_back(each);
            read_[to].insert({a, b});
        }
    }

    void share_batches() {
        for (index each = 0; each < work_.batches.size(); ++each) {
            const std::vector<index> atoms = atoms_of(work_.of, work_.batches[each]);
            const owner to = owner_of_cell_[cell_of(atoms.front())];
            shares_[to].batches.push_back(each);
            for (const index atom : atoms) {
                read_[to].insert(cell_of(atom));
            }
        }
    }

    void share_molecules() {
        for (index each = 0; each < work_.of.molecules.size(); ++each) {
            const owner to = owner_of_cell_[cell_of(work_.of.molecules[each].first_atom)];
            shares_[to].molecules.push_back(each);
        }
    }

    const all_work& work_;
    std::span<const owner> owner_of_cell_;
    std::vector<owned_work> shares_;
    std::vector<std::set<index>> read_;
};

}  // namespace

std::vector<owner> bisect(const grid& cells, std::span<const index> atoms, owner owners) {
    return bisection(cells, atoms).run(owners);
}

std::vector<index> atoms_in_cells(const layout& groups, index cells) {
    std::vector<index> atoms(cells);
    for (index cell = 0; cell < cells; ++cell) {
        atoms[cell] = groups.atoms_of(cell);
    }
    return atoms;
}

std::vector<owned_work> share_out(const all_work& work, std::span<const owner> owner_of_cell,
                                  owner owners) {
    return sharing(work, owner_of_cell, owners).run();
}

}  // namespace cedar
