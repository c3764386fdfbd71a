// SPDX-License-Identifier: BSD-3-Clause
// Holds an object of static storage that is never destroyed, because threads may use it after main
// has ended. The object is built in place, without an allocation, because its first user may be a
// function that cannot report that memory is exhausted.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace lazult::base {

template <class Object>
class never_destroyed {
public:
    template <class... Arguments>
    explicit never_destroyed(Arguments&&... arguments) {
        new (memory_) Object(std::forward<Arguments>(arguments)...);
    }
    never_destroyed(const never_destroyed&) = delete;
    never_destroyed& operator=(const never_destroyed&) = delete;

    Object& operator*() noexcept { return *std::launder(reinterpret_cast<Object*>(memory_)); }

private:
    alignas(Object) std::byte memory_[sizeof(Object)];
};

// The process's only object of a type, made at the first call. For types of one file, or of one
// door: a library does not see another one's.
template <class Object>
Object& the_only() {
    static never_destroyed<Object> instance;
    return *instance;
}

}  // namespace lazult::base
