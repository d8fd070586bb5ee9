/* poison.h - tells AddressSanitizer which bytes of a pool are unused now.
 * It then reports the use of a record that was given back, or of an arena's memory after its reset,
 * as it reports use after free.  Without AddressSanitizer the macros do nothing. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define FL_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FL_POISON 1
#endif
#endif

#ifdef FL_POISON
#include <sanitizer/asan_interface.h>
#define fl_poison(ptr, bytes) __asan_poison_memory_region((ptr), (bytes))
#define fl_unpoison(ptr, bytes) __asan_unpoison_memory_region((ptr), (bytes))
#else
#define FL_POISON 0
#define fl_poison(ptr, bytes) ((void)(ptr), (void)(bytes))
#define fl_unpoison(ptr, bytes) ((void)(ptr), (void)(bytes))
#endif
