// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "scarce_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_bool armed;
static bool fails_for_good;
static atomic_long left;    // requests until the one that fails
static atomic_long live;    // blocks of the heap
static atomic_long mapped;  // bytes

static bool must_fail(void) {
    if (!atomic_load_explicit(&armed, memory_order_relaxed)) {
        return false;
    }
    const long before = atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed);
    return before == 0 || (before < 0 && fails_for_good);
}

static void* counted(void* block) {
    if (block != NULL) {
        atomic_fetch_add_explicit(&live, 1, memory_order_relaxed);
    }
    return block;
}

static void* refused(void) {
    errno = ENOMEM;
    return NULL;
}

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* block, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* block);

void* malloc(size_t size) { return must_fail() ? refused() : counted(__libc_malloc(size)); }
void* calloc(size_t count, size_t size) {
    return must_fail() ? refused() : counted(__libc_calloc(count, size));
}
void* aligned_alloc(size_t alignment, size_t size) {
    return must_fail() ? refused() : counted(__libc_memalign(alignment, size));
}
void* memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
int posix_memalign(void** block, size_t alignment, size_t size) {
    void* const made = aligned_alloc(alignment, size);
    if (made == NULL) {
        return ENOMEM;
    }
    *block = made;
    return 0;
}
void* realloc(void* block, size_t size) {
    if (must_fail()) {
        return refused();
    }
    return block == NULL ? counted(__libc_malloc(size)) : __libc_realloc(block, size);
}
void free(void* block) {
    if (block != NULL) {
        atomic_fetch_sub_explicit(&live, 1, memory_order_relaxed);
    }
    __libc_free(block);
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
    if (must_fail()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    void* const made = (void*)syscall(SYS_mmap, at, size, protection, flags, file, offset);
    if (made != MAP_FAILED) {
        atomic_fetch_add_explicit(&mapped, (long)size, memory_order_relaxed);
    }
    return made;
}
int munmap(void* at, size_t size) {
    atomic_fetch_sub_explicit(&mapped, (long)size, memory_order_relaxed);
    return (int)syscall(SYS_munmap, at, size);
}
int mprotect(void* at, size_t size, int protection) {
    if (must_fail()) {
        errno = ENOMEM;
        return -1;
    }
    return (int)syscall(SYS_mprotect, at, size, protection);
}

typedef int (*create_function)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
static create_function real_create;
int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*entry)(void*),
                   void* argument) {
    return must_fail() ? EAGAIN : real_create(made, how, entry, argument);
}

int create_thread(pthread_t* made, void* (*entry)(void*), void* argument) {
    return real_create(made, NULL, entry, argument);
}

void find_replaced_functions(void) {
    real_create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
}

void arm(long n, bool for_good) {
    fails_for_good = for_good;
    atomic_store(&left, n);
    atomic_store(&armed, true);
}

bool disarm(void) {
    const bool was_reached = atomic_load(&left) < 0;
    atomic_store(&armed, false);
    return was_reached;
}

void relieve(void) {
    if (fails_for_good) {
        atomic_store(&armed, false);
    }
}

long live_blocks(void) { return atomic_load(&live); }
long mapped_bytes(void) { return atomic_load(&mapped); }
