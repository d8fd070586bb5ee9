/* front_outbox.h - the engine thread's effects on their way to one front.
 * The effects of one turn for a front travel as one letter, in their order; front_outbox_flush, at
 * the end of the turn, sends it.  If the front's mailbox is full, the letter grows until the next
 * flush; past OUTBOX_BYTES_MAX it is thrown away, and in its place the front hears 'lost': its
 * requests time out, its tunnels offer their sessions anew, its followers are reset, as after a
 * term that began.  The put calls and flush are the engine thread's (or, before it starts, its
 * creator's); open and free are the front's. */
#pragma once

#include "controlplane/core/core_command.h"
#include "controlplane/front/row_chunk.h"
#include "shared/base/vec.h"
#include "shared/io/mailbox.h"

enum { OUTBOX_BYTES_MAX = 64 << 20 };

enum outbox_kind {
    OUTBOX_ANSWER,        /* effect: an answer */
    OUTBOX_SEND,          /* effect: for a connection of this front */
    OUTBOX_SUPERSEDED,    /* effect: another front's WELCOME or RESYNC */
    OUTBOX_BEGAN,         /* a term began */
    OUTBOX_REFUSED,       /* cluster, code, text */
    OUTBOX_CLOSE_CLUSTER, /* cluster: its certificates count no more */
    OUTBOX_NOTICE,        /* batch, at; rows: NULL when this front wanted none */
    OUTBOX_LOST,          /* the contents of earlier letters are gone */
};

struct outbox_item {
    enum outbox_kind kind;
    size_t effect; /* index in the letter's effects */
    struct fl_cluster cluster;
    enum fl_code code;
    const char *text; /* in the arena of the letter's effects */
    uint64_t batch;
    fl_ms at;
    struct row_chunk *rows; /* one count of them */
};

struct outbox_letter {
    struct fl_letter letter; /* first */
    bool is_drain;           /* from front_drain: nothing else is in it */
    FL_VEC(struct outbox_item) items;
    struct core_batch *effects;
    size_t rows_bytes; /* held by its notices */
};

struct front_outbox; /* opaque */

struct front_outbox *front_outbox_create(struct fl_mailbox *mailbox);
void front_outbox_destroy(struct front_outbox *outbox); /* NULL is fine */

void front_outbox_effect(struct front_outbox *outbox, enum outbox_kind kind,
                         const struct core_effect *effect);
void front_outbox_word(struct front_outbox *outbox, enum outbox_kind kind,
                       struct fl_cluster cluster, enum fl_code code, const char *text);
void front_outbox_notice(struct front_outbox *outbox, uint64_t batch, fl_ms at,
                         struct row_chunk *rows);
void front_outbox_flush(struct front_outbox *outbox);

/* Any thread.  A front that has followers wants rows; from the notices of the others they are left
 * out. */
void front_outbox_want_rows(struct front_outbox *outbox, bool wants_rows);
bool front_outbox_wants_rows(struct front_outbox *outbox);

void outbox_letter_free(struct outbox_letter *letter); /* NULL is fine */
