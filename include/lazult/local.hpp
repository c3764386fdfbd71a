// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values that each thread has for itself, because thread_local variables belong to OS threads and
/// a ULT may change its OS thread. Each ULT, each tasklet and each outside OS thread, such as
/// main(), has its own values. Destructors run in the thread, at its end, in up to four rounds if
/// they make new values. Model: pthread_key_create.
#pragma once

#include <lazult/export.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace lazult {

namespace detail {

using local_key = std::uint32_t;

// Throws error: out_of_memory.
LAZULT_API local_key create_local(void (*destroy)(void*));
LAZULT_API void destroy_local(local_key key) noexcept;
LAZULT_API void* get_local(local_key key) noexcept;
LAZULT_API void set_local(local_key key, void* value);

template <class T>
class local_slot {
public:
    local_slot() : key_(create_local([](void* value) { delete static_cast<T*>(value); })) {}
    ~local_slot() { destroy_local(key_); }
    local_slot(const local_slot&) = delete;
    local_slot& operator=(const local_slot&) = delete;

    T* get() const noexcept { return static_cast<T*>(get_local(key_)); }
    T* replace(std::unique_ptr<T> value) const {
        set_local(key_, value.get());
        return value.release();
    }

private:
    local_key key_;
};

}  // namespace detail

/// A T for each thread, value-initialised on first use. When the local itself is destroyed, the
/// calling thread's value is destroyed too; values of other threads that still live are not.
template <class T>
class local {
public:
    local() = default;
    ~local() { delete slot_.get(); }

    /// Returns the calling thread's T. Throws what T's constructor throws; error: out_of_memory.
    T& get() {
        T* there = slot_.get();
        return there != nullptr ? *there : *slot_.replace(std::make_unique<T>());
    }
    /// Does what get() does.
    T& operator*() { return get(); }
    /// Does what get() does.
    T* operator->() { return &get(); }
    /// Returns false before the calling thread's first get().
    bool has_value() const noexcept { return slot_.get() != nullptr; }

private:
    detail::local_slot<T> slot_;
};

/// An owning pointer for each thread, null at first. Model:
/// boost::thread_specific_ptr.
template <class T>
class thread_local_ptr {
public:
    thread_local_ptr() = default;
    ~thread_local_ptr() { delete slot_.get(); }
    /// Returns the calling thread's pointer; null before the first reset().
    T* get() const noexcept { return slot_.get(); }
    /// Dereferences the calling thread's pointer, which must not be null.
    T& operator*() const noexcept { return *get(); }
    /// Dereferences the calling thread's pointer, which must not be null.
    T* operator->() const noexcept { return get(); }
    /// Returns true if the calling thread's pointer is not null.
    explicit operator bool() const noexcept { return get() != nullptr; }

    /// Deletes the old object and owns `value` from now on. Throws error: out_of_memory.
    void reset(T* value = nullptr) {
        std::unique_ptr<T> fresh(value);
        const std::unique_ptr<T> old(slot_.get());
        slot_.replace(std::move(fresh));
    }
    /// Returns the pointer without deleting the object, and is null afterwards.
    T* release() {
        T* value = slot_.get();
        slot_.replace(nullptr);
        return value;
    }

private:
    detail::local_slot<T> slot_;
};

}  // namespace lazult
