/* story.h - the core's rules told as stories: what happens in plain words, and below it, indented, what the
 * core made of it.
 *
 *   5s submit ml x3 cpu=2      at five seconds; without a time, when the line before was
 *   submit ... &               the next line is stepped into the same batch
 *   . queue ml                 quietly: what comes of it is not shown
 *   tick 60s                   a minute passes, tick by tick as the core asks for them
 *   reload                     a fresh core from the rows so far; agents have to come again
 *   agent east up n1 cpu=8     hello, an empty inventory and a node report in one
 *
 * After every line the core is whole (core_check) and its rows are such as the schema takes; after the last
 * one a core loaded from them has the same hash.  For tests: what goes wrong fails the test that runs. */
#pragma once

#include <stdint.h>

/* 'lines' may hold an older telling, which is left out.  *ret_hash is over all rows; the caller frees the
 * text. */
char *story_tell(const char *lines, uint64_t *ret_hash);
