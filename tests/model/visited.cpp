// SPDX-License-Identifier: BSD-3-Clause
#include "tests/model/visited.hpp"

#include <utility>

namespace lazult::model {

std::uint64_t& visited::place_of(std::uint64_t key) {
    std::size_t at = static_cast<std::size_t>(key >> 3) & (table_.size() - 1);
    while (table_[at] != 0 && (table_[at] & ~preemption_bits) != key) {
        at = (at + 1) & (table_.size() - 1);
    }
    return table_[at];
}

void visited::grow() {
    const std::vector<std::uint64_t> before = std::exchange(table_, {});
    table_.assign(before.empty() ? 1024 : before.size() * 2, 0);
    for (const std::uint64_t each : before) {
        if (each != 0) {
            place_of(each & ~preemption_bits) = each;
        }
    }
}

void visited::clear() {
    std::vector<std::uint64_t>().swap(table_);
    count_ = 0;
}

bool visited::insert(fingerprint state, unsigned preemptions) {
    if (preemptions > preemption_bits) {
        return false;
    }
    if (2 * count_ >= table_.size() && table_.size() < most) {
        grow();
    }
    std::uint64_t key = state.bits() & ~preemption_bits;
    key = key == 0 ? preemption_bits + 1 : key;
    std::uint64_t& place = place_of(key);
    if (place != 0 && (place & preemption_bits) <= preemptions) {
        return true;
    }
    if (place != 0) {
        place = key | preemptions;
    } else if (count_ < most / 4 * 3) {
        place = key | preemptions;
        ++count_;
    }
    return false;
}

}  // namespace lazult::model
