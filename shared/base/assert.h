/* assert.h - what must hold, checked in release too.
 * A false condition is a bug of ours, never of a user or of the outside: it prints one line on
 * stderr and aborts, and the start path recovers.  The condition is evaluated exactly once, always.
 * Uses libc only. */
#pragma once

#define fl_assert(cond)                                                                            \
    (__builtin_expect(!!(cond), 1) ? (void)0 : fl_assert_fail(__FILE__, __LINE__, #cond))

/* For a branch that cannot be reached; 'why' says why not. */
#define fl_unreachable(why) fl_assert_fail(__FILE__, __LINE__, "unreachable: " why)

_Noreturn void fl_assert_fail(const char *file, int line, const char *what)
    __attribute__((cold, noinline));
