// SPDX-License-Identifier: BSD-3-Clause
#include "tests/model/choices.hpp"

namespace lazult::model {

namespace {
constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
}

choices::choices(std::string_view path) {
    for (const char digit : path) {
        branches_.push_back({static_cast<unsigned>(digits.find(digit)), 0});
    }
}

std::size_t choices::choose(std::size_t count) {
    if (is_closed_) {
        return 0;
    }
    if (position_ == branches_.size()) {
        branches_.push_back({0, static_cast<unsigned>(count)});
    }
    branch& here = branches_[position_++];
    if (here.count == 0) {
        here.count = static_cast<unsigned>(count);
    }
    if (here.count != count || here.chosen >= count) {
        diverged_ = true;
        return 0;
    }
    return here.chosen;
}

bool choices::next() {
    branches_.resize(position_);
    while (!branches_.empty() && branches_.back().chosen + 1 == branches_.back().count) {
        branches_.pop_back();
    }
    if (branches_.empty()) {
        return false;
    }
    ++branches_.back().chosen;
    return true;
}

std::string choices::path() const {
    std::string text;
    for (const branch& each : branches_) {
        text += digits[each.chosen % digits.size()];
    }
    const std::size_t last = text.find_last_not_of('0');
    return last == std::string::npos ? "0" : text.substr(0, last + 1);
}

}  // namespace lazult::model
