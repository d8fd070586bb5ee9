/* front_reader.h - the store's reader on a front's loop: its descriptor watched, its deadline a
 * timer.  A caller that asks the reader calls front_reader_asked, and the loop looks at it at the
 * end of the turn. */
#pragma once

struct fl_loop;
struct front_reader;
struct reader;

struct front_reader *front_reader_create(struct fl_loop *loop, const char *conninfo);
void front_reader_destroy(struct front_reader *reader); /* NULL is fine */

struct reader *front_reader(struct front_reader *reader);
void front_reader_asked(void *front_reader);
