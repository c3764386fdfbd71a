// SPDX-License-Identifier: BSD-3-Clause
// What AddressSanitizer keeps for itself must come to an end for memory to be flat: freed memory
// (256 MB by default), and each different stack of callers that allocated, of which there is no end
// where units run above one another's frames. What ASAN_OPTIONS says has the last word.

#ifndef LAZULT_SOAK_LEAKS
#define LAZULT_SOAK_LEAKS 1
#endif
#define LAZULT_TEXT_OF(number) #number
#define LAZULT_TEXT(number) LAZULT_TEXT_OF(number)

extern "C" [[gnu::used, gnu::visibility("default")]] const char* __asan_default_options() {
    return "quarantine_size_mb=16:malloc_context_size=6:detect_leaks=" LAZULT_TEXT(
        LAZULT_SOAK_LEAKS);
}
