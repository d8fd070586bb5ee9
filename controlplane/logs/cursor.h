/* cursor.h - the place of a read, as a text that a client may keep: "1." or "2.", and base64url.
 * Behind the version it has, for each output that the read has begun, in order of the keys:
 * element, incarnation, attempt number, replica and offset, each as var (buf.h), and whether the
 * offset is in the middle of a line (u8).  A search's, "2.", has before them the mark of its
 * selection (u32), the number of the place where it stands, from 1 on (var; 0: none), its time
 * there (var), and whether all places follow or that one alone (u8).  Pure. */
#pragma once

#include "controlplane/logs/key.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"

#define LOG_CURSOR_TIME_MAX ((fl_ms)1 << 60) /* 0 is the least */

struct log_cursor_place {
    uint32_t element, incarnation, replica;
    uint16_t attempt;
    bool is_mid;
    uint64_t offset;
};

struct log_cursor {
    struct log_cursor_place *at;
    size_t len, cap;
    bool is_search; /* the rest is of a search */
    uint32_t mark, walked;
    fl_ms time;
    bool is_whole;
};

/* Appends the text; false: it does not fit, nothing is written. */
FL_CHECK bool log_cursor_print(const struct log_cursor *cursor, struct fl_buf *out);

/* False: FL_INVALID.  The caller frees the vector that it fills. */
FL_CHECK bool log_cursor_parse(struct fl_str text, size_t places_max, struct log_cursor *ret_cursor,
                               struct fl_err *err);
