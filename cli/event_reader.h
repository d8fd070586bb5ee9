/* event_reader.h - server-sent events out of a stream of bytes, in runs.
 * A run is the events up to the next one with an id, behind which a new connection goes on.  It is
 * given as a whole: cli_event_reader_restart drops the part that came before a cut, so that no
 * event comes twice.  An event named 'end', 'waiting' or 'closed', or more than CLI_EVENT_RUN_BYTES
 * without an id, ends a run too.
 * Lines end with LF or CR LF.  'data', 'event' and 'id' are read; other fields and comments are
 * passed over, and so is an id that is too long or holds a control character, since it goes back in
 * a header.  Data may hold any bytes.
 * Uses shared/base only.  Pure.  Not thread-safe. */
#pragma once

#include "shared/base/err.h"
#include "shared/base/str.h"

enum {
    CLI_EVENT_BYTES_MAX = 4 << 20, /* data of an event, or one line */
    CLI_EVENT_RUN_BYTES = 1 << 20,
    CLI_EVENT_NAME_MAX = 63,          /* a longer one is cut */
    CLI_EVENT_ID_MAX = (16 << 10) - 1 /* a cursor of many sources */
};

struct cli_event {
    const char *name; /* "message" when the server named none */
    const char *data; /* ends with a zero byte, and may hold others */
    size_t data_len;
};

struct cli_event_reader; /* opaque */

/* 'on_event' answers false to stop: then no more events are given. */
struct cli_event_reader *
cli_event_reader_create(bool (*on_event)(void *ctx, const struct cli_event *event), void *ctx);
void cli_event_reader_destroy(struct cli_event_reader *reader); /* NULL is fine */

/* FL_TOO_LARGE: a line or an event is over CLI_EVENT_BYTES_MAX; only a restart helps. */
FL_CHECK bool cli_event_reader_take(struct cli_event_reader *reader, struct fl_str bytes,
                                    struct fl_err *err);

/* The id of the newest run that was given: for Last-Event-ID.  "": none. */
const char *cli_event_reader_id(const struct cli_event_reader *reader);
void cli_event_reader_restart(struct cli_event_reader *reader); /* a new connection begins */
