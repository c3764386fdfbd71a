// SPDX-License-Identifier: BSD-3-Clause
#include "pools/unit.hpp"

#include "pools/pool_user.hpp"
#include "pools/unit_directory.hpp"

namespace lazult::abt {
namespace {

// An object that is never destroyed: units may be freed after static destructors have run.
template <class Object>
union never_destroyed {
    constexpr never_destroyed() noexcept : object() {}
    ~never_destroyed() {}
    Object object;
};
constinit never_destroyed<unit_directory<work_unit>> directory;

constexpr std::uintptr_t builtin_bit = 1;

// Returns true if the user's pool uses the work unit's handle itself as its ABT_unit.
bool is_its_own_unit(const work_unit& u, ABT_unit unit) noexcept {
    return reinterpret_cast<const void*>(unit) == &u;
}

std::uintptr_t bits_of_unit(ABT_unit unit) noexcept {
    return reinterpret_cast<std::uintptr_t>(unit);
}

// Makes the pool's unit. Returns SUCCESS, UNIT or MEM; in case of an error there is no unit.
int make_unit(user_pool& p, work_unit& u, ABT_unit* made) noexcept {
    const ABT_unit unit = p.create_unit(u);
    if (is_null(unit)) {
        return ABT_ERR_UNIT;
    }
    if (bits_of_unit(unit) % 4 != 0) {
        p.free_unit(unit);
        return ABT_ERR_UNIT;
    }
    if (!is_its_own_unit(u, unit) && !directory.object.enter(unit, &u)) {
        p.free_unit(unit);
        return ABT_ERR_MEM;
    }
    own_unit_data(u);
    *made = unit;
    return ABT_SUCCESS;
}

// Frees the unit. If another pool has already made `successor` at the same address, the directory's
// entry belongs to that one and stays.
void drop_unit(user_pool& p, const work_unit& u, ABT_unit unit, ABT_unit successor) noexcept {
    if (!is_its_own_unit(u, unit) && unit != successor) {
        directory.object.leave(unit);
    }
    p.free_unit(unit);
}

void set_home(work_unit& u, core::pool& home) noexcept {
    // relaxed: other threads read it to send a message, see core/life/join.cpp
    std::atomic_ref(u.home).store(&home, std::memory_order_relaxed);
}

// Takes in messages for this stream. The caller waits for another stream, which may be waiting for
// an answer of this stream at the same time.
void attend_to_messages() noexcept {
    worker& w = core::this_worker();
    for (core::host* h = w.here; h != nullptr; h = h->parent()) {
        const auto* s = dynamic_cast<const sched::scheduler*>(h);
        for (std::size_t i = 0; s != nullptr && i < s->pools().size(); ++i) {
            s->pools()[i]->collect(w);
        }
    }
}

// Makes a unit joinable by any thread. A unit of a private pool ends without a locked instruction,
// because only the pool's owner runs and joins it. The unit must lose that property before it moves
// to another pool. The owner changes it directly; another thread sends the owner a message.
bool open_for_others(work_unit& u) noexcept {
    if (!u.join.is_local()) {
        u.join.open();  // no other thread uses the word: the caller holds the unit
        return true;
    }
    if (!core::is_confined_elsewhere(u)) {
        core::open_here(u);
        return true;
    }
    work_unit* const opener = core::send_opener(u);
    if (opener == nullptr) {
        return false;
    }
    while (!opener->join.is_finished()) {
        attend_to_messages();
        os::yield_thread();
    }
    core::dismiss_opener(opener);
    return true;
}

}  // namespace

ABT_unit unit_of(work_unit& u) noexcept {
    const ABT_unit unit = part_of(u).unit;
    return unit != nullptr
               ? unit
               : reinterpret_cast<ABT_unit>(reinterpret_cast<std::uintptr_t>(&u) | builtin_bit);
}

work_unit* thread_of(ABT_unit unit) noexcept {
    const std::uintptr_t bits = bits_of_unit(unit);
    if ((bits & builtin_bit) != 0) {
        work_unit* const u = checked_thread(reinterpret_cast<ABT_thread>(bits & ~builtin_bit));
        return u != nullptr && part_of(*u).unit == nullptr ? u : nullptr;
    }
    if (work_unit* const u = checked_thread(reinterpret_cast<ABT_thread>(bits));
        u != nullptr && part_of(*u).unit == unit) {
        return u;
    }
    work_unit* const u = directory.object.find(unit);
    return u != nullptr && part_of(*u).unit == unit ? u : nullptr;
}

int enter_first_pool(work_unit& u) noexcept {
    auto& home = static_cast<sched::ready_pool&>(*u.home);
    part_of(u).unit = nullptr;
    if (part_of(home).is_users) {
        return make_unit(as_user_pool(home), u, &part_of(u).unit);
    }
    return provide_for(home, u) ? ABT_SUCCESS : ABT_ERR_MEM;
}

int associate(work_unit& u, sched::ready_pool& target) noexcept {
    auto& old = static_cast<sched::ready_pool&>(*u.home);
    if (&old == &target) LAZULT_LIKELY {
        return ABT_SUCCESS;
    }
    if (!provide_for(target, u) || !open_for_others(u)) {
        return ABT_ERR_MEM;
    }
    ABT_unit unit = nullptr;
    if (part_of(target).is_users) {
        if (const int outcome = make_unit(as_user_pool(target), u, &unit); outcome != ABT_SUCCESS) {
            return outcome;
        }
    }
    if (part_of(u).unit != nullptr) {
        drop_unit(as_user_pool(old), u, part_of(u).unit, unit);
    }
    part_of(u).unit = unit;
    set_home(u, target);
    return ABT_SUCCESS;
}

void leave_last_pool(work_unit& u) noexcept {
    const ABT_unit unit = part_of(u).unit;
    if (unit != nullptr) {
        drop_unit(as_user_pool(static_cast<sched::ready_pool&>(*u.home)), u, unit, nullptr);
        part_of(u).unit = nullptr;
    }
}

void clear_units() noexcept { directory.object.clear(); }

}  // namespace lazult::abt
