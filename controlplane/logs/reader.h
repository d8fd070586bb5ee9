/* reader.h - the thread that answers reads: in turn, each a bounded piece of work, a page by a
 * letter.  A read belongs to its front; between the letter that brings a page and the next 'more'
 * nothing of it is touched here.  One that follows and has nothing to give is parked, and woken by
 * the worker when something of its job was appended.  read.h is its face to the fronts. */
#pragma once

#include "controlplane/logs/log_requests.h"
#include "controlplane/logs/read.h"
#include "controlplane/logs/view.h"

struct log_reader; /* opaque */

struct log_read {
    struct log_letter letter; /* first: with the page */
    struct log_front *front;
    struct fl_mailbox *mailbox;
    log_read_page *page_fn;
    void *ctx;
    bool is_busy;   /* front only: a page was asked for and has not come */
    bool is_closed; /* front only: when it comes, it is dropped */

    /* Under the reader's lock. */
    bool is_listed, is_wanted, is_woken, is_settled, is_closing, is_parked, is_hurried;
    struct log_read *next; /* in the list of those to be served */
    struct log_read *all_next, *all_prev;
    struct log_read *job_next, *job_prev; /* of the same job, followers only */

    struct log_view view; /* the reader's, but while a page is with the front */
};

struct log_reader *log_reader_create(struct log_index *index, size_t call_reads_max);
void log_reader_run(struct log_reader *reader);
void log_reader_stop(struct log_reader *reader);
void log_reader_destroy(struct log_reader *reader);

/* Any front.  add: the read is served once 'want' says so. FL_FULL. */
FL_CHECK bool log_reader_add(struct log_reader *reader, struct log_read *read, struct fl_err *err);
void log_reader_want(struct log_reader *reader, struct log_read *read);
void log_reader_settle(struct log_reader *reader, struct log_read *read);

/* It is freed by the reader's thread; no letter of it may be under way. */
void log_reader_close(struct log_reader *reader, struct log_read *read);

/* A letter is under way: it comes at once, also if the read is parked. */
void log_reader_hurry(struct log_reader *reader, struct log_read *read);

/* The worker: something of this job is new. */
void log_reader_wake(struct log_reader *reader, struct fl_job job);

/* How many reads of this mailbox are not freed. */
size_t log_reader_owes(struct log_reader *reader, const struct fl_mailbox *mailbox);

size_t log_reader_followers(struct log_reader *reader);
