// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: locks. The holder of a lock is a task, or a thread by the older
// version of the interface. A unit that waits for a lock suspends.
#include <new>

#include "abi/export.hpp"
#include "abi/lock_word.hpp"
#include "tasks/caller.hpp"

using namespace lazult::omp;

namespace {

// field    written by   read by    order
// lock     any thread   any thread  see lock_word.hpp
// count    the holder   the holder  the lock's
// owner    the holder   any thread  relaxed: only the holder finds itself there
struct nest_lock {
    lock_word lock;
    std::int32_t count = 0;
    atomic<const void*> owner{nullptr};
};
static_assert(sizeof(nest_lock) == 16);

bool is_mine(const nest_lock& n, const void* self) noexcept {
    return n.owner.load(std::memory_order_relaxed) == self;
}

void take(nest_lock& n, const void* self) noexcept {
    n.owner.store(self, std::memory_order_relaxed);
    n.count = 1;
}

void set(nest_lock& n, const void* self) {
    if (is_mine(n, self)) {
        ++n.count;
        return;
    }
    n.lock.lock();
    take(n, self);
}

int test(nest_lock& n, const void* self) noexcept {
    if (is_mine(n, self)) {
        return ++n.count;
    }
    if (!n.lock.try_lock()) {
        return 0;
    }
    take(n, self);
    return 1;
}

void unset(nest_lock& n) noexcept {
    if (--n.count == 0) {
        n.owner.store(nullptr, std::memory_order_relaxed);  // published by the lock
        n.lock.unlock();
    }
}

const void* this_task() noexcept { return me().running; }
const void* this_thread() noexcept { return me().here; }

lock_word& lock_in(void* object) noexcept { return *std::launder(static_cast<lock_word*>(object)); }
nest_lock& nest_in(void* object) noexcept { return *std::launder(static_cast<nest_lock*>(object)); }
// For versions in which the program's object has room for a pointer only.
nest_lock*& nest_at(void* object) noexcept { return *static_cast<nest_lock**>(object); }

void init_nest_at(void* object) { nest_at(object) = new nest_lock; }
void destroy_nest_at(void* object) {
    delete nest_at(object);
    nest_at(object) = nullptr;
}

}  // namespace

// If versions or languages differ, the name of a function ends in them. The assembler directives
// below give the functions the names of the interface.
extern "C" {

OMP_API void lazult_omp_init_lock(void* l) { new (l) lock_word; }
OMP_API void lazult_omp_destroy_lock(void*) {}
OMP_API void lazult_omp_set_lock(void* l) { lock_in(l).lock(); }
OMP_API void lazult_omp_unset_lock(void* l) { lock_in(l).unlock(); }
OMP_API int lazult_omp_test_lock(void* l) { return lock_in(l).try_lock() ? 1 : 0; }

OMP_API void lazult_omp_init_nest_lock_c30(void* l) { new (l) nest_lock; }
OMP_API void lazult_omp_destroy_nest_lock_c30(void*) {}
OMP_API void lazult_omp_set_nest_lock_c30(void* l) { set(nest_in(l), this_task()); }
OMP_API void lazult_omp_unset_nest_lock_c30(void* l) { unset(nest_in(l)); }
OMP_API int lazult_omp_test_nest_lock_c30(void* l) { return test(nest_in(l), this_task()); }

OMP_API void lazult_omp_init_nest_lock_f30(void* l) { init_nest_at(l); }
OMP_API void lazult_omp_destroy_nest_lock_f30(void* l) { destroy_nest_at(l); }
OMP_API void lazult_omp_set_nest_lock_f30(void* l) { set(*nest_at(l), this_task()); }
OMP_API void lazult_omp_unset_nest_lock_f30(void* l) { unset(*nest_at(l)); }
OMP_API int lazult_omp_test_nest_lock_f30(void* l) { return test(*nest_at(l), this_task()); }

OMP_API void lazult_omp_init_nest_lock_25(void* l) { init_nest_at(l); }
OMP_API void lazult_omp_destroy_nest_lock_25(void* l) { destroy_nest_at(l); }
OMP_API void lazult_omp_set_nest_lock_25(void* l) { set(*nest_at(l), this_thread()); }
OMP_API void lazult_omp_unset_nest_lock_25(void* l) { unset(*nest_at(l)); }
OMP_API int lazult_omp_test_nest_lock_25(void* l) { return test(*nest_at(l), this_thread()); }
}

// LAZULT_OMP_EXPORT gives the five functions of one kind of lock their names in the interface.
#define LAZULT_OMP_EXPORT_ONE(what, kind, ours, version) \
    asm(".symver lazult_omp_" #what "_" ours ", omp_" #what "_" kind version)
#define LAZULT_OMP_EXPORT(kind, ours, version)           \
    LAZULT_OMP_EXPORT_ONE(init, kind, ours, version);    \
    LAZULT_OMP_EXPORT_ONE(destroy, kind, ours, version); \
    LAZULT_OMP_EXPORT_ONE(set, kind, ours, version);     \
    LAZULT_OMP_EXPORT_ONE(unset, kind, ours, version);   \
    LAZULT_OMP_EXPORT_ONE(test, kind, ours, version)

LAZULT_OMP_EXPORT("lock", "lock", "@@OMP_3.0");
LAZULT_OMP_EXPORT("lock", "lock", "@OMP_1.0");
LAZULT_OMP_EXPORT("lock_", "lock", "@@OMP_3.0");
LAZULT_OMP_EXPORT("lock_", "lock", "@OMP_1.0");
LAZULT_OMP_EXPORT("nest_lock", "nest_lock_c30", "@@OMP_3.0");
LAZULT_OMP_EXPORT("nest_lock", "nest_lock_25", "@OMP_1.0");
LAZULT_OMP_EXPORT("nest_lock_", "nest_lock_f30", "@@OMP_3.0");
LAZULT_OMP_EXPORT("nest_lock_", "nest_lock_25", "@OMP_1.0");
