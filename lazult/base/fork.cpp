// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/base/fork.hpp"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace lazult::base {
namespace {

// field      written by           read by         order
// lock       hold_across_fork     before_fork     release / acquire: the lock, in_child and family
// in_child   hold_across_fork     in_the_child    published by lock
// family     hold_across_fork     before_fork     published by lock
// held       before_fork          let_go          plain: both run on the thread that forks
struct entry {
    std::atomic<std::mutex*> lock{nullptr};
    void (*in_child)() noexcept = nullptr;
    fork_lock_family family;
    std::mutex* held = nullptr;

    void take() noexcept {
        held = lock.load(std::memory_order_acquire);  // pairs with: hold_across_fork()
        if (held == nullptr) {
            return;
        }
        held->lock();
        if (family.take != nullptr) {
            family.take();
        }
    }
    void let_go() const noexcept {
        if (held == nullptr) {
            return;
        }
        if (family.let_go != nullptr) {
            family.let_go();
        }
        held->unlock();
    }
};

constinit std::array<entry, static_cast<std::size_t>(fork_lock::count)> entries;

// Serialises forks, because `held` belongs to one fork.
constinit std::mutex forking;

void before_fork() noexcept {
    forking.lock();
    for (entry& each : entries) {
        each.take();
    }
}

void let_go() noexcept {
    for (std::size_t i = entries.size(); i-- > 0;) {
        entries[i].let_go();
    }
}

void in_the_parent() noexcept {
    let_go();
    forking.unlock();
}

void in_the_child() noexcept {
    let_go();
    forking.unlock();
    for (const entry& each : entries) {
        if (each.held != nullptr && each.in_child != nullptr) {
            each.in_child();
        }
    }
}

[[gnu::constructor]] void watch_forks() {
    ::pthread_atfork(before_fork, in_the_parent, in_the_child);
}

}  // namespace

void hold_across_fork(fork_lock which, std::mutex& lock, void (*in_child)() noexcept,
                      fork_lock_family family) noexcept {
    entry& mine = entries[static_cast<std::size_t>(which)];
    mine.in_child = in_child;
    mine.family = family;
    mine.lock.store(&lock, std::memory_order_release);  // pairs with: entry::take()
}

}  // namespace lazult::base
