// SPDX-License-Identifier: BSD-3-Clause
#include "settings/config.hpp"

#include <algorithm>
#include <cstdlib>

namespace lazult::abt {

config_value config_value::from(config_type type, const void* variable) noexcept {
    config_value result;
    result.type = type;
    switch (type) {
        case config_type::integer: result.integer = *static_cast<const int*>(variable); break;
        case config_type::real: result.real = *static_cast<const double*>(variable); break;
        case config_type::pointer: result.pointer = *static_cast<void* const*>(variable); break;
    }
    return result;
}

void config_value::write_to(void* variable) const noexcept {
    switch (type) {
        case config_type::integer: *static_cast<int*>(variable) = integer; break;
        case config_type::real: *static_cast<double*>(variable) = real; break;
        case config_type::pointer: *static_cast<void**>(variable) = pointer; break;
    }
}

config_map::~config_map() {
    if (all_ != few_.data()) {
        std::free(all_);
    }
}

const config_value* config_map::find(int key) const noexcept {
    const entry* const found =
        std::find_if(all_, all_ + count_, [=](const entry& e) { return e.key == key; });
    return found == all_ + count_ ? nullptr : &found->value;
}

bool config_map::grow() noexcept {
    auto* more = static_cast<entry*>(std::malloc(2 * capacity_ * sizeof(entry)));
    if (more == nullptr) {
        return false;
    }
    std::copy_n(all_, count_, more);
    if (all_ != few_.data()) {
        std::free(all_);
    }
    all_ = more;
    capacity_ *= 2;
    return true;
}

bool config_map::set(int key, const config_value& value) noexcept {
    if (const config_value* old = find(key); old != nullptr) {
        *const_cast<config_value*>(old) = value;
        return true;
    }
    if (count_ == capacity_ && !grow()) {
        return false;
    }
    all_[count_++] = {key, value};
    return true;
}

void config_map::erase(int key) noexcept {
    entry* const last = all_ + count_;
    entry* const found = std::find_if(all_, last, [=](const entry& e) { return e.key == key; });
    if (found != last) {
        *found = *(last - 1);
        --count_;
    }
}

int config_map::integer_or(int key, int otherwise) const noexcept {
    const config_value* const found = find(key);
    return found != nullptr && found->type == config_type::integer ? found->integer : otherwise;
}

}  // namespace lazult::abt
