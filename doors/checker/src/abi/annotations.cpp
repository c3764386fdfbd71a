// SPDX-License-Identifier: BSD-3-Clause
// What programs, and the C++ library's headers, tell ThreadSanitizer by hand where code is compiled
// with -fsanitize=thread: <sanitizer/tsan_interface.h>. It is about order, so nothing comes of it.

extern "C" {

void __tsan_acquire(void*) noexcept {}
void __tsan_release(void*) noexcept {}

void __tsan_mutex_create(void*, unsigned) noexcept {}
void __tsan_mutex_destroy(void*, unsigned) noexcept {}
void __tsan_mutex_pre_lock(void*, unsigned) noexcept {}
void __tsan_mutex_post_lock(void*, unsigned, int) noexcept {}
int __tsan_mutex_pre_unlock(void*, unsigned) noexcept { return 0; }
void __tsan_mutex_post_unlock(void*, unsigned) noexcept {}
void __tsan_mutex_pre_signal(void*, unsigned) noexcept {}
void __tsan_mutex_post_signal(void*, unsigned) noexcept {}
void __tsan_mutex_pre_divert(void*, unsigned) noexcept {}
void __tsan_mutex_post_divert(void*, unsigned) noexcept {}

// A fiber must not be null.
void* __tsan_create_fiber(unsigned) noexcept {
    static char any;
    return &any;
}
void* __tsan_get_current_fiber() noexcept { return __tsan_create_fiber(0); }
void __tsan_destroy_fiber(void*) noexcept {}
void __tsan_switch_to_fiber(void*, unsigned) noexcept {}
void __tsan_set_fiber_name(void*, const char*) noexcept {}

}  // extern "C"
