// SPDX-License-Identifier: BSD-3-Clause
// Joins of OS threads. Each thread tells this library when its function has returned, and wakes the
// ULTs that wait for that.
//
// field     written by                              read by             order
// running   pthread_create (insert), the thread     ULTs that join      the lock's
//           at its end (erase)
// joining   ULTs that join                          deadlock reports    relaxed: a hint
#include <pthread.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_set>

#include "caller/caller.hpp"
#include "locks/mutex.hpp"
#include "locks/take.hpp"
#include "real/real.hpp"

namespace lazult::posix {
namespace {

using start_function = void* (*)(void*);
LAZULT_REAL real<int(pthread_t*, const pthread_attr_t*, start_function, void*)> real_create{
    "pthread_create"};
LAZULT_REAL real<int(pthread_t, void**)> real_join{"pthread_join"};
LAZULT_REAL real<int(pthread_t, void**)> real_tryjoin{"pthread_tryjoin_np"};
LAZULT_REAL real<int(pthread_t, void**, const timespec*)> real_timedjoin{"pthread_timedjoin_np"};
LAZULT_REAL real<int(pthread_t, void**, clockid_t, const timespec*)> real_clockjoin{
    "pthread_clockjoin_np"};

// A mutex as the C library has it: it is held where a queue's spin bit is held, so its unlock must
// not look there.
class plain_lock {
public:
    void lock() noexcept { lock_as_thread(&m_); }
    void unlock() noexcept { unlock_as_thread(&m_); }

private:
    pthread_mutex_t m_ = PTHREAD_MUTEX_INITIALIZER;
};

struct thread_list {
    plain_lock lock;
    std::unordered_set<pthread_t> running;
    ds::default_atomics::atomic<int> joining{0};
};

// Never destroyed, because threads may outlive static objects.
thread_list& threads() {
    static auto* const all = new thread_list;
    return *all;
}

// A fork copies the lock in a state that the child can use. The child has none of the threads.
[[gnu::constructor]] void hold_list_across_fork() {
    threads();
    ::pthread_atfork([] { threads().lock.lock(); }, [] { threads().lock.unlock(); },
                     [] {
                         threads().running.clear();
                         threads().joining.store(0, std::memory_order_relaxed);
                         threads().lock.unlock();
                     });
}

// While a ULT joins an OS thread, that thread may still wake others.
bool are_any_joining() noexcept { return threads().joining.load(std::memory_order_relaxed) > 0; }

bool is_running(pthread_t thread) {
    thread_list& all = threads();
    const std::lock_guard hold(all.lock);
    return all.running.contains(thread);
}

const void* object_of(pthread_t thread) noexcept { return reinterpret_cast<const void*>(thread); }

// At the end of a thread, by return, pthread_exit() or cancellation.
struct end_notice {
    end_notice() = default;
    ~end_notice() {
        const pthread_t self = ::pthread_self();
        {
            thread_list& all = threads();
            const std::lock_guard hold(all.lock);
            all.running.erase(self);
        }
        parked.wake_all(object_of(self));
    }
    end_notice(const end_notice&) = delete;
    end_notice& operator=(const end_notice&) = delete;
};

struct started {
    start_function function;
    void* argument;
};

void* run_started(void* given) {
    const started mine = *std::unique_ptr<started>(static_cast<started*>(given));
    const end_notice at_end;
    return mine.function(mine.argument);
}

int create(pthread_t* thread, const pthread_attr_t* attributes, start_function function,
           void* argument) {
    thread_list& all = threads();
    std::unique_ptr<started> mine(new (std::nothrow) started{function, argument});
    if (mine == nullptr) {
        return EAGAIN;
    }
    // The thread cannot say that it has ended before it is listed here.
    const std::lock_guard hold(all.lock);
    const int result = real_create(thread, attributes, run_started, mine.get());
    if (result == 0) {
        const started* const given [[maybe_unused]] = mine.release();  // the thread frees it
        // Without memory the thread is not listed: then a join of it blocks the caller's thread.
        static_cast<void>(
            base::has_memory_for([&] { static_cast<void>(all.running.insert(*thread)); }));
    }
    return result;
}

class being_joined {
public:
    being_joined() noexcept {
        core::add_waker(are_any_joining);
        threads().joining.fetch_add(1, std::memory_order_relaxed);
    }
    ~being_joined() { threads().joining.fetch_sub(1, std::memory_order_relaxed); }
    being_joined(const being_joined&) = delete;
    being_joined& operator=(const being_joined&) = delete;
};

int join_until(core::work_unit* self, pthread_t thread, std::int64_t deadline_ns) {
    const being_joined mark;
    return take({self, sync::wait_kind::end_of_unit, object_of(thread), false}, deadline_ns,
                [thread]() noexcept { return is_running(thread) ? EBUSY : 0; });
}

// After its function the thread runs destructors, which may take a while, and may wait for ULTs.
int join_ended(pthread_t thread, void** value, std::int64_t deadline_ns) {
    constexpr std::int64_t longest_ns = 1'000'000;
    std::int64_t pause_ns = 20'000;
    int result = real_tryjoin(thread, value);
    while (result == EBUSY) {
        const std::int64_t left_ns = deadline_ns < 0 ? pause_ns : deadline_ns - os::now_ns();
        if (left_ns <= 0) {
            return ETIMEDOUT;
        }
        sync::sleep_for(std::min(pause_ns, left_ns));
        pause_ns = std::min(2 * pause_ns, longest_ns);
        result = real_tryjoin(thread, value);
    }
    return result;
}

// By a ULT.
int join_by(core::work_unit* self, pthread_t thread, void** value, std::int64_t deadline_ns) {
    const int result = join_until(self, thread, deadline_ns);
    return result == 0 ? join_ended(thread, value, deadline_ns) : result;
}

}  // namespace
}  // namespace lazult::posix

using namespace lazult;
using namespace lazult::posix;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, start_function function,
                   void* argument) noexcept {
    return is_left_alone(__builtin_return_address(0))
               ? real_create(thread, attributes, function, argument)
               : create(thread, attributes, function, argument);
}

int pthread_join(pthread_t thread, void** value) {
    if (core::work_unit* const self = suspendable(__builtin_return_address(0)); self != nullptr) {
        if (thread == ::pthread_self()) {
            return EDEADLK;
        }
        return join_by(self, thread, value, sync::no_deadline);
    }
    return real_join(thread, value);
}

int pthread_clockjoin_np(pthread_t thread, void** value, clockid_t clock, const timespec* until) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr || !is_valid(*until) || !is_known_clock(clock)) {
        return real_clockjoin(thread, value, clock, until);
    }
    return join_by(self, thread, value, deadline_at(clock, *until));
}

int pthread_timedjoin_np(pthread_t thread, void** value, const timespec* until) {
    core::work_unit* const self = suspendable(__builtin_return_address(0));
    if (self == nullptr || !is_valid(*until)) {
        return real_timedjoin(thread, value, until);
    }
    return join_by(self, thread, value, deadline_at(CLOCK_REALTIME, *until));
}

}  // extern "C"
