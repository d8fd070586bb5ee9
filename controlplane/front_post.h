/* front_post.h - what the engine thread lets out, on its way to one front.
 * What one turn of the engine says for a front travels as one letter, in its order; front_post_flush, at the
 * end of the turn, sends it.  If the front's mailbox is full, the letter grows until the next flush; past
 * POST_BYTES_MAX it is thrown away, and in its place the front hears 'lost': its requests time out, its
 * tunnels offer their sessions anew, its followers are reset, as after a term that began.
 * The put calls and flush are the engine thread's (or, before it starts, its creator's); open and free are
 * the front's. */
#pragma once

#include "controlplane/core/core_command.h"
#include "shared/base/vec.h"
#include "shared/io/mailbox.h"

enum { POST_BYTES_MAX = 64 << 20 };

enum post_kind {
    POST_ANSWER,        /* effect: an answer */
    POST_SEND,          /* effect: for a connection of this front */
    POST_SUPERSEDED,    /* effect: another front's WELCOME or RESYNC */
    POST_BEGAN,         /* a term began */
    POST_REFUSED,       /* cluster, code, text */
    POST_CLOSE_CLUSTER, /* cluster: its certificates count no more */
    POST_NOTICE,        /* rows of a batch */
    POST_LOST,          /* what was in letters before this is gone */
};

struct post_item {
    enum post_kind kind;
    size_t effect; /* in the letter's batch */
    struct fl_cluster cluster;
    enum fl_code code;
    const char *text; /* in the batch's arena */
    uint64_t batch;
    fl_ms at;
    size_t rows_at, rows_len; /* in the letter's rows */
};

struct post_letter {
    struct fl_letter letter; /* first */
    bool is_drain;           /* from front_drain: nothing else is in it */
    FL_VEC(struct post_item) items;
    struct core_batch *effects;
    struct fl_buf rows; /* encoded, of all notices */
};

struct front_post; /* opaque */

struct front_post *front_post_create(struct fl_mailbox *mailbox);
void front_post_destroy(struct front_post *post); /* NULL is fine */

void front_post_effect(struct front_post *post, enum post_kind kind,
                       const struct core_effect *effect);
void front_post_word(struct front_post *post, enum post_kind kind, struct fl_cluster cluster,
                     enum fl_code code, const char *text);
void front_post_notice(struct front_post *post, const struct core_batch *batch);
void front_post_flush(struct front_post *post);

void post_letter_free(struct post_letter *letter); /* NULL is fine */
