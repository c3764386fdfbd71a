// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker/worker.hpp"

#include <cxxabi.h>
#include <pthread.h>

#include <cerrno>
#include <mutex>
#include <new>

#include "lazult/core/memory/keepers.hpp"

namespace lazult::core {
namespace {

// All workers. They outlive their OS threads, because units and stacks that they carved live on
// elsewhere. A new thread adopts a worker that has lost its thread.
struct registry {
    std::mutex lock;
    worker* all = nullptr;
    worker* idle = nullptr;
    int count = 0;
    // the control words of the first thread, until adopt_control_words()
    arch::usual_arithmetic usual = arch::usual_arithmetic::now();
};

registry& workers() { return base::the_only<registry>(); }

// Returns nullptr when memory is exhausted.
worker* adopt_or_make() noexcept {
    const probe::unwatched allocating;
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    if (r.idle != nullptr) {
        worker* w = r.idle;
        // relaxed: under the lock
        r.idle = static_cast<worker*>(w->stream.exchange(nullptr, std::memory_order_relaxed));
        w->usual = r.usual;
        return w;
    }
    auto* w = new (std::nothrow) worker;
    if (w == nullptr) {
        return nullptr;
    }
    w->index = r.count++;
    w->usual = r.usual;
    w->next = r.all;
    r.all = w;
    return w;
}

void leave_behind(worker* w) noexcept {
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    w->current = nullptr;
    w->here = nullptr;
    std::atomic_ref(w->system_thread).store(0, std::memory_order_relaxed);  // reports read it
    // The link of the idle list; an idle worker has no stream. relaxed: under the lock
    w->stream.store(r.idle, std::memory_order_relaxed);
    r.idle = w;
}

// Calls leave() when an OS thread ends. Not a thread_local with a destructor, because the C library
// ends the process if it has no memory to register one.
class end_of_thread {
public:
    end_of_thread() noexcept : is_there_(::pthread_key_create(&key_, leave) == 0) {}
    // Returns false if there is no memory, or no key.
    bool announce_to(worker* w) const noexcept {
        return is_there_ && ::pthread_setspecific(key_, w) == 0;
    }

private:
    static void leave(void* w) noexcept {
        arch::set_thread_slot(nullptr);
        put_away_all(*static_cast<worker*>(w));
        leave_behind(static_cast<worker*>(w));
    }

    pthread_key_t key_;
    bool is_there_;
};

const end_of_thread& ends() noexcept {
    static const end_of_thread instance;
    return instance;
}

constinit char built = 0;  // its address stands for all that was announced

}  // namespace

LAZULT_COLD worker* try_attach_worker() noexcept {
    worker* w = adopt_or_make();
    if (w == nullptr) {
        return nullptr;
    }
    if (!ends().announce_to(w)) {
        leave_behind(w);
        return nullptr;
    }
    w->error_number = &errno;
    w->system_thread = static_cast<int>(os::thread_id());
    w->exceptions = reinterpret_cast<exception_state*>(abi::__cxa_get_globals());
    const os::stack_bounds bounds = os::this_thread_stack();
    describe_stack(w->thread_stack, bounds.low, bounds.high);
    probe::release(&w->thread_stack);  // pairs with: know_this_thread()
    arch::set_thread_slot(w);
    return w;
}

void adopt_control_words() noexcept {
    arch::lazult_adopt_control_words();
    // Streams begin later than this. Other threads are ordered after it by whatever tells them that
    // the runtime runs.
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    r.usual = arch::usual_arithmetic::now();
    for (worker* w = r.all; w != nullptr; w = w->next) {
        w->usual = r.usual;
    }
}

void tell_built() noexcept { probe::release(&built); }

void know_this_thread() noexcept {
    probe::acquire(&built);                          // pairs with: tell_built()
    probe::acquire(&running_worker().thread_stack);  // pairs with: try_attach_worker()
}

LAZULT_COLD worker& attach_worker() {
    worker* w = try_attach_worker();
    if (w == nullptr) {
        base::fatal_misuse("thread", "no memory for what the runtime keeps for each OS thread",
                           "lower the number of threads, or raise the limit on memory");
    }
    return *w;
}

void for_each_worker(void (*visit)(worker&, void*), void* argument) {
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    for (worker* w = r.all; w != nullptr; w = w->next) {
        visit(*w, argument);
    }
}

namespace {

// Called under the registry's lock.
void lock_descriptors() noexcept {
    for (worker* w = workers().all; w != nullptr; w = w->next) {
        w->descriptors.lock().lock();
    }
}
void unlock_descriptors() noexcept {
    for (worker* w = workers().all; w != nullptr; w = w->next) {
        w->descriptors.lock().unlock();
    }
}

// Called in a forked child: the other threads are gone, and this one has another number.
void forget_other_threads() noexcept {
    worker* const mine = this_worker_or_null();
    for (worker* w = workers().all; w != nullptr; w = w->next) {
        if (w != mine) {
            w->pushing.forget();
        }
    }
    unknown_pushers().store(0, std::memory_order_relaxed);  // no other thread is there
    if (mine != nullptr) {
        mine->system_thread = static_cast<int>(os::thread_id());
    }
}

// This runs when the library is loaded. Otherwise a fork could copy the static object's guard while
// another thread holds it, and the child would wait for that guard for ever.
[[gnu::constructor]] void hold_workers_lock() {
    base::hold_across_fork(base::fork_lock::workers, workers().lock, forget_other_threads,
                           {lock_descriptors, unlock_descriptors});
}

}  // namespace

const worker* first_worker() noexcept {
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    return r.all;
}

ds::default_atomics::atomic<int>& unknown_pushers() noexcept {
    static constinit ds::default_atomics::atomic<int> pushers{0};
    return pushers;
}

void put_away_all(worker& w) noexcept {
    w.stacks.put_away();
    w.descriptors.put_away();
    for (const keeper& k : keepers()) {
        k.put_away();
    }
}

std::size_t live_units() {
    std::size_t total = 0;
    for_each_worker(
        [](worker& w, void* sum) { *static_cast<std::size_t*>(sum) += w.descriptors.live(); },
        &total);
    return total;
}

}  // namespace lazult::core
