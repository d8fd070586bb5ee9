/* copy_row.h - rows of tables as COPY BINARY sends them.
 * A stream is a row of messages as libpq hands them out.  Each holds one tuple; the first has the
 * stream's header before it, and the last says that this was all.  A tuple is read only if it has
 * the columns of its place, each of the length and range of its type, and not a byte more.
 * Uses row_columns.  Pure. */
#pragma once

#include "controlplane/store/row_columns.h"

struct copy_stream { /* {0}: nothing has come */
    bool has_header;
};

enum copy_answer {
    COPY_TUPLE, /* *message is it */
    COPY_END,
    COPY_TORN, /* it is no message of a COPY BINARY */
};

/* Looks at the next message and cuts the header off the first. */
enum copy_answer copy_next(struct copy_stream *stream, struct fl_str *message);

/* Texts of the row are views into the tuple.  False: it is no row of this place. */
FL_CHECK bool copy_read(struct fl_str tuple, unsigned place, struct row *ret_row);
