/* log_requests.h - requests of a front thread to the threads of the log store, and their answers.
 * A front puts requests into the worker's inbox (inbox.h).  The worker gathers
 * the answers for each front and has one letter with them under way at a time, so that they never
 * overflow the front's mailbox.
 * Types only. */
#pragma once

#include <stdatomic.h>

#include "controlplane/logs/index.h"
#include "shared/io/mailbox.h"
#include "shared/wire/log_message.h"

/* A message for an agent; with 'is_broken' its connection must be closed instead. */
struct log_answer {
    uint64_t connection;
    struct fl_log_message message;
    bool is_broken;
    struct fl_err err;
};

struct log_answer_list {
    struct log_answer *at;
    size_t len, cap;
};

/* One of the two kinds of letter that a front gets. */
enum log_letter_kind { LOG_LETTER_ANSWERS, LOG_LETTER_PAGE };

struct log_letter {
    struct fl_letter letter; /* first */
    enum log_letter_kind kind;
};

/* The part of a front that it shares with the worker. */
struct log_answer_box {
    struct log_letter letter; /* carries 'out' */
    struct log_answer_list out;
    atomic_uint requests; /* on their way to the worker, but for LEAVE */
    atomic_bool is_out;   /* the front has the letter and clears this when it has read it */
    atomic_bool has_left; /* the worker will not touch the box again */
    struct fl_mailbox *mailbox;
    struct log_answer_list waiting; /* worker only: answers for the next letter */
    bool is_listed;                 /* worker only: the box stands in worker->boxes */
};

enum log_request_kind {
    LOG_REQUEST_LEAVE, /* a front's last request; it waits for those in other lanes */
    LOG_REQUEST_OPEN,
    LOG_REQUEST_APPEND,
    LOG_REQUEST_END,
    LOG_REQUEST_CLOSE,
    LOG_REQUEST_FORGET,
};

struct log_request {
    enum log_request_kind kind;
    struct log_request *next; /* the inbox's */
    struct log_answer_box *box;
    uint64_t connection;
    uint32_t number;
    struct fl_cluster cluster;
    struct log_key key;      /* open; forget: its job */
    struct log_chunk *chunk; /* append: a reference */
    uint64_t offset;         /* end */
    uint32_t chain;          /* end */
};
