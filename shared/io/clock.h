/* clock.h - the system's clocks, for code that has no loop.
 * Code on a loop asks fl_loop_now, which is read once a turn.
 * Thread-safe. */
#pragma once

#include "shared/base/types.h"

fl_ms fl_clock_mono(void);        /* never steps back; counts from some point in the past */
fl_ms fl_clock_wall(void);        /* since the Unix epoch; may step */
int64_t fl_clock_mono_us(void);   /* the clock of fl_clock_mono, finer */
fl_ms fl_clock_uptime(void);      /* since the host's boot, its sleep included; never set */
uint64_t fl_clock_boot(void);     /* names this boot of the host; 0: not known */
int64_t fl_clock_thread_us(void); /* the CPU that this thread has used */

/* "2026-11-22T10:20:00.123Z" with a final zero; a time outside 1970 to 9999 is clamped. */
#define FL_CLOCK_TEXT_MAX 25
void fl_clock_print(fl_ms wall, char out[FL_CLOCK_TEXT_MAX]);
