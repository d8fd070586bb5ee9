/* reader.h - a connection for reading ended work, history, and access.
 * Each front thread has its own, on its loop: it calls reader_turn when the waker was called, and
 * at reader_deadline; reader_turn delivers every answer.  read_*.h has the questions.  A question
 * gets one answer, unless it was forgotten or the reader destroyed before.  An answer's callback
 * may ask further questions.
 *
 * Questions are sent at once, READER_FLYING_MAX at a time, and answered in their order.  The server
 * cancels one after 5 s (statement_timeout); one that has waited for READER_WAIT_MS gets the answer
 * 'unavailable'.  A lost connection is made again, after 100 ms, 200 ms, ... 5 s; questions whose
 * time is not over are sent again.  Reads never see uncommitted rows, and may see a commit before
 * its requester does.  Uses libpq inside, not in this header.  Not thread-safe: its front owns
 * it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "controlplane/store/pg_waker.h"
#include "shared/base/err.h"
#include "shared/base/types.h"

struct reader;

enum {
    READER_ASKS_MAX = 1000, /* questions waiting or sent; more are refused */
    READER_FLYING_MAX = 16, /* questions sent and not answered */
    READER_WAIT_MS = 10000, /* after this time the answer is FL_UNAVAILABLE */
    READER_RETRY_FIRST_MS = 100,
    READER_RETRY_MAX_MS = 5000,
};

/* 'text': for the log, once each time the connection is lost or cannot be made, and for each answer
 * that leaves out rows which cannot be read. */
typedef void reader_trouble_fn(void *ctx, const char *text);

struct reader *reader_create(const char *conninfo, const struct pg_waker *waker,
                             reader_trouble_fn *trouble, void *ctx);
void reader_destroy(struct reader *reader); /* NULL is fine; open questions get no answer */

fl_ms reader_deadline(const struct reader *reader, fl_ms now); /* at or before now: at once */
void reader_turn(struct reader *reader, fl_ms now);

/* Drops a question, so that no answer is delivered.  Fine if it was answered already. */
void reader_forget(struct reader *reader, uint64_t ask);

struct reader_stats {
    uint64_t asked, answered, failed, lost; /* questions; 'lost' counts connections */
    size_t waiting;
};

struct reader_stats reader_stats(const struct reader *reader);
