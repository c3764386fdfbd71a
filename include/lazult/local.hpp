// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Values that each thread has of its own: what thread_local would be if a ULT stayed on one OS
/// thread. Each ULT and each tasklet has its own values, and so has each outside OS thread, main()
/// among them. Destructors run in the thread, at its end, up to four rounds while they make new
/// values. Model: pthread_key_create.
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

/// A T in each thread, value-initialised on first use. When the local itself is destroyed, the
/// calling thread's value is destroyed too; values of other threads that still live are not.
template <class T>
class local {
public:
    local() = default;
    ~local() { delete slot_.get(); }

    /// Throws what T's constructor throws; error: out_of_memory.
    T& get() {
        T* there = slot_.get();
        return there != nullptr ? *there : *slot_.replace(std::make_unique<T>());
    }
    /// As get().
    T& operator*() { return get(); }
    /// As get().
    T* operator->() { return &get(); }
    /// False before the thread's first get().
    bool has_value() const noexcept { return slot_.get() != nullptr; }

private:
    detail::local_slot<T> slot_;
};

/// A pointer in each thread, null at first, that owns what it points to. Model:
/// boost::thread_specific_ptr.
template <class T>
class thread_local_ptr {
public:
    thread_local_ptr() = default;
    ~thread_local_ptr() { delete slot_.get(); }
    /// The calling thread's pointer; null before the first reset().
    T* get() const noexcept { return slot_.get(); }
    /// What it points to. It may not be null.
    T& operator*() const noexcept { return *get(); }
    /// What it points to. It may not be null.
    T* operator->() const noexcept { return get(); }
    /// Whether the calling thread's pointer is not null.
    explicit operator bool() const noexcept { return get() != nullptr; }

    /// Throws error: out_of_memory.
    void reset(T* value = nullptr) {
        std::unique_ptr<T> fresh(value);
        const std::unique_ptr<T> old(slot_.get());
        slot_.replace(std::move(fresh));
    }
    /// Gives up what it points to, without destroying it, and is null afterwards.
    T* release() {
        T* value = slot_.get();
        slot_.replace(nullptr);
        return value;
    }

private:
    detail::local_slot<T> slot_;
};

}  // namespace lazult
