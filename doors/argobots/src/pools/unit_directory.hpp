// SPDX-License-Identifier: BSD-3-Clause
// A map from units that users' pools made to work units: a radix tree over the unit's address. It
// needs no hash and no lock. A lookup costs as many loads as the tree has levels.
//
// An address has 64 bits, of which the lowest two are zero. From the top:
//   16  far     zero for nearly all addresses: then the tree begins at near_, otherwise at a table
//               that is made when it is needed
//   12  root
//   12  branch
//   12  branch
//   10  leaf    a slot for each unit of 4 KiB of the user's memory
// enter() adds tables as it needs them. They stay until clear(), so later units at nearby addresses
// use them, too. clear() makes them spare tables, which later serve other addresses. So a program
// that starts the runtime again takes no more memory than the first time.
//
// field       | written by                        | read by   | order
// slots       | enter, leave: the unit's owner    | find      | enter: release; find: acquire
// below, far_ | enter, by CAS, once until clear() | all       | CAS release; loads acquire
// spares_     | clear, enter                      | enter     | see spare_list.hpp
//
// If a lookup runs at the same time as enter() or leave() of that unit, both results are right. The
// caller of find() then compares the unit with the one that the work unit has now.
#pragma once

#include "spare_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <tuple>

namespace lazult::abt {

// The number of address bits for each level. Tests use smaller numbers.
struct unit_address_shape {
    static constexpr unsigned leaf = 10;
    static constexpr unsigned branch = 12;
    static constexpr unsigned far = 16;
};

template <class Thread, class Atomics = ds::default_atomics, class Shape = unit_address_shape>
class unit_directory {
public:
    ~unit_directory() {
        clear();
        free_spares<leaf_table>();
        free_spares<lower_table>();
        free_spares<upper_table>();
        free_spares<root_table>();
        free_spares<far_table>();
    }

    // Returns false when memory is exhausted; then no unit was entered.
    bool enter(const void* unit, Thread* thread) noexcept {
        const parts at(unit);
        root_table* const root = at.far == 0 ? &near_ : far_root(at);
        if (root == nullptr) {
            return false;
        }
        auto* const upper = made(root->below[at.root]);
        auto* const lower = upper == nullptr ? nullptr : made(upper->below[at.upper]);
        leaf_table* const leaf = lower == nullptr ? nullptr : made(lower->below[at.lower]);
        if (leaf == nullptr) {
            return false;
        }
        // pairs with: find(), load of slots
        leaf->slots[at.slot].store(thread, std::memory_order_release);
        return true;
    }

    // Called by the owner of an entered unit, before the unit's memory is freed.
    void leave(const void* unit) noexcept {
        const parts at(unit);
        if (leaf_table* const leaf = leaf_of(at); leaf != nullptr) {
            // relaxed: a null publishes nothing. pairs with: find(), load of slots
            leaf->slots[at.slot].store(nullptr, std::memory_order_relaxed);
        }
    }

    // Returns the work unit, or nullptr if the unit is not entered.
    Thread* find(const void* unit) const noexcept {
        const parts at(unit);
        const leaf_table* const leaf = leaf_of(at);
        if (leaf == nullptr || !at.is_aligned) {
            return nullptr;
        }
        // pairs with: enter(), store of slots
        return leaf->slots[at.slot].load(std::memory_order_acquire);
    }

    // Empties the tree. No other thread may use the directory meanwhile.
    void clear() noexcept {
        empty(near_);
        drop(far_);
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    template <class Below, unsigned Bits>
    struct table : spare<Atomics> {
        std::array<atomic<Below*>, std::size_t{1} << Bits> below;
    };

    struct leaf_table : spare<Atomics> {
        std::array<atomic<Thread*>, std::size_t{1} << Shape::leaf> slots;
    };
    using lower_table = table<leaf_table, Shape::branch>;
    using upper_table = table<lower_table, Shape::branch>;
    using root_table = table<upper_table, Shape::branch>;
    using far_table = table<root_table, Shape::far>;

    // Unused, empty tables of one level.
    template <class Table>
    struct spares_of : spare_list<Atomics> {};

    template <class Table>
    spares_of<Table>& spares() noexcept {
        return std::get<spares_of<Table>>(spares_);
    }
    template <class Table>
    void free_spares() noexcept {
        while (auto* const each = static_cast<Table*>(spares<Table>().take())) {
            delete each;
        }
    }

    void empty(leaf_table& t) noexcept {
        for (atomic<Thread*>& each : t.slots) {
            each.store(nullptr, std::memory_order_relaxed);
        }
    }
    template <class Below, unsigned Bits>
    void empty(table<Below, Bits>& t) noexcept {
        for (atomic<Below*>& each : t.below) {
            drop(each);
        }
    }
    template <class Table>
    void drop(atomic<Table*>& at) noexcept {
        // relaxed: the thread that clears is alone
        Table* const gone = at.load(std::memory_order_relaxed);
        if (gone != nullptr) {
            at.store(nullptr, std::memory_order_relaxed);
            empty(*gone);
            spares<Table>().keep(gone);
        }
    }

    // The parts of an address: its index at each level.
    struct parts {
        explicit parts(const void* unit) noexcept : parts(reinterpret_cast<std::uintptr_t>(unit)) {}
        explicit parts(std::uintptr_t bits) noexcept
            : is_aligned(bits % 4 == 0),
              slot(take(bits >>= 2, Shape::leaf)),
              lower(take(bits >>= Shape::leaf, Shape::branch)),
              upper(take(bits >>= Shape::branch, Shape::branch)),
              root(take(bits >>= Shape::branch, Shape::branch)),
              far(take(bits >> Shape::branch, Shape::far)) {}

        static std::size_t take(std::uintptr_t bits, unsigned count) noexcept {
            return bits & ((std::uintptr_t{1} << count) - 1);
        }

        bool is_aligned;
        std::size_t slot;
        std::size_t lower;
        std::size_t upper;
        std::size_t root;
        std::size_t far;
    };

    template <class Table>
    static Table* look(const atomic<Table*>& at) noexcept {
        return at.load(std::memory_order_acquire);  // pairs with: made(), CAS
    }

    // Returns the table at `at`, and makes one if there is none. Returns nullptr when memory is
    // exhausted.
    template <class Table>
    Table* made(atomic<Table*>& at) noexcept {
        if (Table* const old = look(at); old != nullptr) {
            return old;
        }
        auto* const used = static_cast<Table*>(spares<Table>().take());
        Table* const fresh = used != nullptr ? used : new (std::nothrow) Table;
        Table* there = nullptr;
        // If two threads make a table, the second one uses that of the first. pairs with: look(),
        // and this CAS's failure
        if (fresh == nullptr || at.compare_exchange_strong(there, fresh, std::memory_order_release,
                                                           std::memory_order_acquire)) {
            return fresh;
        }
        spares<Table>().keep(fresh);
        return there;
    }

    root_table* far_root(const parts& at) noexcept {
        far_table* const far = made(far_);
        return far == nullptr ? nullptr : made(far->below[at.far]);
    }

    const root_table* root_of(const parts& at) const noexcept {
        if (at.far == 0) {
            return &near_;
        }
        const far_table* const far = look(far_);
        return far == nullptr ? nullptr : look(far->below[at.far]);
    }

    leaf_table* leaf_of(const parts& at) const noexcept {
        const root_table* const root = root_of(at);
        const upper_table* const upper = root == nullptr ? nullptr : look(root->below[at.root]);
        const lower_table* const lower = upper == nullptr ? nullptr : look(upper->below[at.upper]);
        return lower == nullptr ? nullptr : look(lower->below[at.lower]);
    }

    root_table near_;
    atomic<far_table*> far_{nullptr};
    std::tuple<spares_of<leaf_table>, spares_of<lower_table>, spares_of<upper_table>,
               spares_of<root_table>, spares_of<far_table>>
        spares_;
};

}  // namespace lazult::abt
