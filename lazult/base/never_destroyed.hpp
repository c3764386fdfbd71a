// SPDX-License-Identifier: BSD-3-Clause
// An object of static storage that is still there when static destructors run, and takes no memory
// to make: threads end after main, and the first use of it may be by a function that has no way to
// say that memory is exhausted.
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

}  // namespace lazult::base
