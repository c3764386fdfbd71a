// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/worker.hpp"

#include <cerrno>
#include <mutex>
#include <new>

#include "lazult/core/pool.hpp"
#include "lazult/os/os.hpp"
#include "lazult/probe/probe.hpp"

extern "C" void* __cxa_get_globals() noexcept;

namespace lazult::core {
namespace {

// Workers outlive their OS threads, because units and stacks that they carved live on elsewhere. A new thread
// adopts one that was left behind.
struct registry {
    std::mutex lock;
    worker* all = nullptr;
    worker* idle = nullptr;
    int count = 0;
};

registry& workers() {
    static auto* instance = new registry;  // never destroyed: threads may end after main
    return *instance;
}

// nullptr when memory is exhausted.
worker* adopt_or_make() noexcept {
    const probe::unwatched allocating;
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    if (r.idle != nullptr) {
        worker* w = r.idle;
        r.idle = static_cast<worker*>(w->stream);
        w->stream = nullptr;
        return w;
    }
    auto* w = new (std::nothrow) worker;
    if (w == nullptr) {
        return nullptr;
    }
    w->index = r.count++;
    w->next = r.all;
    r.all = w;
    return w;
}

void leave_behind(worker* w) noexcept {
    registry& r = workers();
    const std::lock_guard hold(r.lock);
    w->current = nullptr;
    w->here = nullptr;
    w->stream = r.idle;  // the link of the idle list; an idle worker has no stream
    r.idle = w;
}

// Its destructor runs when the OS thread ends.
struct attachment {
    worker* mine = nullptr;
    ~attachment() {
        if (mine != nullptr) {
            arch::set_thread_slot(nullptr);
            leave_behind(mine);
        }
    }
};
thread_local attachment this_attachment;

}  // namespace

LAZULT_COLD worker* try_attach_worker() noexcept {
    worker* w = adopt_or_make();
    if (w == nullptr) {
        return nullptr;
    }
    w->error_number = &errno;
    w->exceptions = static_cast<exception_state*>(__cxa_get_globals());
    const os::stack_bounds bounds = os::this_thread_stack();
    describe_stack(w->thread_stack, bounds.low, bounds.high);
    this_attachment.mine = w;
    arch::set_thread_slot(w);
    return w;
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

// Without the lock: threads may come and go meanwhile. Workers stay, and who comes later does not know the pool.
void await_pushers(const pool& p) noexcept {
    registry& r = workers();
    worker* all = nullptr;
    {
        const std::lock_guard hold(r.lock);
        all = r.all;
    }
    for (const worker* w = all; w != nullptr; w = w->next) {
        while (w->pushing.holds(&p)) {
            os::yield_thread();
        }
    }
    probe::acquire(&p);
}

std::size_t live_units() {
    std::size_t total = 0;
    for_each_worker([](worker& w, void* sum) { *static_cast<std::size_t*>(sum) += w.descriptors.live(); },
                    &total);
    return total;
}

}  // namespace lazult::core
