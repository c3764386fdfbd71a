// SPDX-License-Identifier: BSD-3-Clause
#include "threads/os_thread.hpp"

#include <pthread.h>

#include <new>

#include "loops/work_sharing.hpp"
#include "spare_list.hpp"
#include "tasks/tasking.hpp"
#include "threads/thread_pool.hpp"

namespace lazult::omp {
namespace {

// The objects of OS threads that have ended. They wait for another OS thread, and are not
// destroyed: records of tasks may name their memory.
using left_behind = spare_list<os_thread, &os_thread::next>;

left_behind& spare() noexcept {
    static base::never_destroyed<left_behind> instance;
    return *instance;
}

thread_local os_thread* this_one [[gnu::tls_model("initial-exec")]] = nullptr;

// Before core's own key of the kind: at the end of a thread, destructors run in the order of keys.
class end_of_thread {
public:
    end_of_thread() noexcept { is_there_ = ::pthread_key_create(&key_, leave) == 0; }
    void announce_to(os_thread* self) const noexcept {
        if (is_there_) {
            ::pthread_setspecific(key_, self);
        }
    }

private:
    static void leave(void* self) noexcept {
        auto* gone = static_cast<os_thread*>(self);
        await_helpers(gone->helpers);
        give_back_helpers(gone->helpers);
        gone->helped = nullptr;  // the next ones may be some of them, in another order
        if (gone->host != nullptr) {
            if (worker* w = core::this_worker_or_null(); w != nullptr) {
                gone->host->detach(*w);
            }
        }
        this_one = nullptr;
        spare().keep(gone);
    }

    pthread_key_t key_{};
    bool is_there_ = false;
};

const end_of_thread thread_ends;

os_thread* take_or_make() {
    os_thread* const found = spare().take();
    return found != nullptr ? found : new os_thread;
}

LAZULT_NOINLINE os_thread& begin_os_thread() {
    auto* self = take_or_make();
    if (self->host != nullptr) {
        self->host->attach(core::this_worker());
    }
    self->begin(variables().first);
    this_one = self;
    thread_ends.announce_to(self);
    return *self;
}

}  // namespace

// Not inlined: a flow may go on in another OS thread.
LAZULT_NOINLINE os_thread& this_os_thread() noexcept {
    os_thread* self = this_one;
    return self != nullptr ? *self : begin_os_thread();
}

stream_host& host_of(os_thread& self) {
    if (self.host == nullptr) {
        enter_process_once();
        self.host = std::make_unique<stream_host>(core::this_worker());
    }
    return *self.host;
}

void forget_other_threads() noexcept {
    new (&spare()) left_behind;  // its lock may have been another thread's
    if (this_one != nullptr) {
        this_one->helpers.clear();
        this_one->helped = nullptr;
    }
}

}  // namespace lazult::omp
