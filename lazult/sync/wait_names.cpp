// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/sync/wait_names.hpp"

#include <array>
#include <atomic>

namespace lazult::sync {

constinit const char* wait_kind_names[most_wait_kinds] = {
    "something", "mutex",      "condition",      "rwlock",        "barrier",
    "latch",     "semaphore",  "eventual",       "future",        "channel",
    "end",       "descriptor", "file operation", "helper thread", "sleep"};

namespace {

constexpr auto first_of_doors = static_cast<std::size_t>(wait_kind::first_of_doors);

const char* name_or_null(std::size_t kind) noexcept {
    return kind < most_wait_kinds
               ? std::atomic_ref(wait_kind_names[kind]).load(std::memory_order_relaxed)
               : nullptr;
}

constinit std::array<std::atomic<const object_words*>, most_wait_kinds> words{};

void withdraw(std::size_t first, std::size_t count) noexcept {
    for (std::size_t i = first; i < first + count; ++i) {
        words[i].store(nullptr, std::memory_order_relaxed);
        std::atomic_ref(wait_kind_names[i]).store(nullptr, std::memory_order_relaxed);
    }
}

// All of them from `first` on, or none: another door may have some of these kinds.
bool take(std::size_t first, std::span<const char* const> names) noexcept {
    for (std::size_t i = 0; i < names.size(); ++i) {
        const char* free = nullptr;
        if (!std::atomic_ref(wait_kind_names[first + i])
                 .compare_exchange_strong(free, names[i], std::memory_order_relaxed,
                                          std::memory_order_relaxed)) {
            withdraw(first, i);
            return false;
        }
    }
    return true;
}

const object_words* words_for(wait_kind kind) noexcept {
    const auto index = static_cast<std::size_t>(kind);
    return index < words.size() ? words[index].load(std::memory_order_relaxed) : nullptr;
}

}  // namespace

void set_object_words(wait_kind kind, const object_words& how) noexcept {
    if (kind != wait_kind::unknown) {
        words[static_cast<std::size_t>(kind)].store(&how, std::memory_order_relaxed);
    }
}

std::uint64_t packed(wait_kind kind, const void* object) noexcept {
    const object_words* const how = words_for(kind);
    return how == nullptr ? reinterpret_cast<std::uintptr_t>(object) : how->pack(object);
}

std::string words_of(wait_kind kind, std::uint64_t packed) {
    const object_words* const how = words_for(kind);
    return how == nullptr ? std::string() : how->say(packed);
}

static_assert(most_wait_kinds <= 256, "a record has one byte for the kind");

bool is_registered(wait_kind kind) noexcept {
    return kind != wait_kind::unknown && name_or_null(static_cast<std::size_t>(kind)) != nullptr;
}

const char* name(wait_kind kind) noexcept {
    const char* found = name_or_null(static_cast<std::size_t>(kind));
    return found != nullptr ? found : wait_kind_names[0];
}

door_waits::door_waits(std::span<const char* const> names) noexcept : count_(names.size()) {
    for (std::size_t at = first_of_doors; at + count_ <= most_wait_kinds && first_ == 0; ++at) {
        if (take(at, names)) {
            first_ = at;
        }
    }
}

door_waits::~door_waits() {
    if (first_ != 0) {
        withdraw(first_, count_);
    }
}

}  // namespace lazult::sync
