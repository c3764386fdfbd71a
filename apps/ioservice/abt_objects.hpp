// SPDX-License-Identifier: BSD-3-Clause
// Objects of abt.h that free themselves. What cannot go wrong in a right program ends the program.
#pragma once

#include <abt.h>
#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace ioservice {

inline void must(int code, const char* what) {
    if (code != ABT_SUCCESS) {
        fmt::print(stderr, "ioservice: {} gave the error {} of Argobots\n", what, code);
        std::abort();
    }
}

// A std::lock_guard takes it.
class mutex {
public:
    mutex() { must(ABT_mutex_create(&handle_), "ABT_mutex_create"); }
    ~mutex() { must(ABT_mutex_free(&handle_), "ABT_mutex_free"); }
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    void lock() { must(ABT_mutex_lock(handle_), "ABT_mutex_lock"); }
    void unlock() { must(ABT_mutex_unlock(handle_), "ABT_mutex_unlock"); }
    ABT_mutex handle() const { return handle_; }

private:
    ABT_mutex handle_ = ABT_MUTEX_NULL;
};

class condition {
public:
    condition() { must(ABT_cond_create(&handle_), "ABT_cond_create"); }
    ~condition() { must(ABT_cond_free(&handle_), "ABT_cond_free"); }
    condition(const condition&) = delete;
    condition& operator=(const condition&) = delete;

    void wait(const mutex& held) { must(ABT_cond_wait(handle_, held.handle()), "ABT_cond_wait"); }
    void signal() { must(ABT_cond_signal(handle_), "ABT_cond_signal"); }
    void broadcast() { must(ABT_cond_broadcast(handle_), "ABT_cond_broadcast"); }

private:
    ABT_cond handle_ = ABT_COND_NULL;
};

// A std::shared_lock and a std::unique_lock take it.
class readers_and_writer {
public:
    readers_and_writer() { must(ABT_rwlock_create(&handle_), "ABT_rwlock_create"); }
    ~readers_and_writer() { must(ABT_rwlock_free(&handle_), "ABT_rwlock_free"); }
    readers_and_writer(const readers_and_writer&) = delete;
    readers_and_writer& operator=(const readers_and_writer&) = delete;

    void lock() { must(ABT_rwlock_wrlock(handle_), "ABT_rwlock_wrlock"); }
    void unlock() { must(ABT_rwlock_unlock(handle_), "ABT_rwlock_unlock"); }
    void lock_shared() { must(ABT_rwlock_rdlock(handle_), "ABT_rwlock_rdlock"); }
    void unlock_shared() { unlock(); }

private:
    ABT_rwlock handle_ = ABT_RWLOCK_NULL;
};

class eventual {
public:
    eventual() { must(ABT_eventual_create(0, &handle_), "ABT_eventual_create"); }
    ~eventual() { must(ABT_eventual_free(&handle_), "ABT_eventual_free"); }
    eventual(const eventual&) = delete;
    eventual& operator=(const eventual&) = delete;

    void set() { must(ABT_eventual_set(handle_, nullptr, 0), "ABT_eventual_set"); }
    void wait() { must(ABT_eventual_wait(handle_, nullptr), "ABT_eventual_wait"); }

private:
    ABT_eventual handle_ = ABT_EVENTUAL_NULL;
};

}  // namespace ioservice
