// SPDX-License-Identifier: BSD-3-Clause
// What reports and debuggers call the kinds of waits: those of this floor, and those that doors
// register.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "lazult/sync/wait_kind.hpp"

namespace lazult::sync {

inline constexpr std::size_t most_wait_kinds = 128;

// By kind; nullptr: nobody has registered that kind. Debuggers read it: see wait_table.hpp.
//
// field            written by    read by               order
// wait_kind_names  door_waits    reports, debuggers    relaxed: what they point to is constant
// the words        as the names  reports               relaxed: functions that are there always
extern const char* wait_kind_names[most_wait_kinds];

// Whether somebody has registered it. `unknown` is not.
bool is_registered(wait_kind kind) noexcept;
// "something" for a kind that is not registered.
const char* name(wait_kind kind) noexcept;

// Says what an object is that callers wait for: "fd 7, a pipe, to be readable". A higher floor or a
// door registers this for its kind when it is loaded. The object may be gone when a trace is
// written, so pack() is called while the caller waits, and say() at any time. say() may throw
// std::bad_alloc. A door's goes with its door_waits.
struct object_words {
    std::uint64_t (*pack)(const void* object) noexcept;
    std::string (*say)(std::uint64_t packed);
};
// Keeps the reference. Does nothing for an unknown kind.
void set_object_words(wait_kind kind, const object_words& how) noexcept;
// The object's address for kinds without such functions. For these, words_of() returns an empty
// text.
std::uint64_t packed(wait_kind kind, const void* object) noexcept;
std::string words_of(wait_kind kind, std::uint64_t packed);

// Registers what a door's own waits are called. The door's library has one object of this class, so
// it registers the names when it is loaded, and withdraws them when it is unloaded. The names stay
// as long as the object does. Where there is no room for them, the door's waits are of an unknown
// kind.
class door_waits {
public:
    explicit door_waits(std::span<const char* const> names) noexcept;
    ~door_waits();
    door_waits(const door_waits&) = delete;
    door_waits& operator=(const door_waits&) = delete;

    // The kind of the name with this index.
    wait_kind operator[](std::size_t index) const noexcept {
        return first_ == 0 ? wait_kind::unknown : static_cast<wait_kind>(first_ + index);
    }

private:
    std::size_t first_ = 0;  // 0: there was no room
    std::size_t count_;
};

}  // namespace lazult::sync
