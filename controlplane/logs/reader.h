/* reader.h - the thread that answers reads: it serves them in turn, each by a bounded piece of
 * work, and sends a page by a letter.  A read belongs to its front: between the letter with a page
 * and the next 'more' the reader does not touch it.  A follower without new output is parked; the
 * worker wakes it when it appended output of its job.  Fronts use it through read.h. */
#pragma once

#include "controlplane/logs/log_requests.h"
#include "controlplane/logs/read.h"
#include "controlplane/logs/view.h"

struct log_reader; /* opaque */

struct log_read {
    struct log_letter letter; /* must be first; carries the page */
    struct log_front *front;
    struct fl_mailbox *mailbox;
    log_read_page *page_fn;
    void *ctx;
    bool is_busy;   /* front only: it waits for a page */
    bool is_closed; /* front only: the page that comes is dropped */

    /* Under the reader's lock. */
    bool is_listed, is_wanted, is_woken, is_closing, is_parked, is_hurried;
    struct log_ended_outputs *ended_outputs; /* for the next step; NULL: nothing new */
    struct log_read *next;                   /* in the list of reads to serve */
    struct log_read *all_next, *all_prev;
    struct log_read *job_next, *job_prev; /* followers of the same job */

    struct log_view view; /* the reader's, but the front's while it has a page */
};

struct log_reader *log_reader_create(struct log_index *index, size_t reads_max);
void log_reader_run(struct log_reader *reader);
void log_reader_stop(struct log_reader *reader);
void log_reader_destroy(struct log_reader *reader);

/* For any front.  'add' only lists the read; 'want' has a page made.  FL_FULL. */
FL_CHECK bool log_reader_add(struct log_reader *reader, struct log_read *read, struct fl_err *err);
void log_reader_want(struct log_reader *reader, struct log_read *read);
void log_reader_settle(struct log_reader *reader, struct log_read *read,
                       const struct log_attempts *attempts);

/* The reader's thread frees the read, which must have no letter under way. */
void log_reader_close(struct log_reader *reader, struct log_read *read);

/* Has the page that the read waits for sent at once, empty if need be. */
void log_reader_hurry(struct log_reader *reader, struct log_read *read);

/* For the worker: this job has new output. */
void log_reader_wake(struct log_reader *reader, struct fl_job job);

/* How many reads of this mailbox are not freed yet. */
size_t log_reader_owes(struct log_reader *reader, const struct fl_mailbox *mailbox);

size_t log_reader_followers(struct log_reader *reader);
