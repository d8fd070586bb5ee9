/* log_requests.h - what passes between a front thread and the threads of the store: requests and
 * answers.  A front puts requests into the worker's inbox (bounded in number and bytes).  Answers
 * are gathered per front, and one letter with all of them is under way at a time: the front's
 * mailbox never overflows by them, and acknowledgements of a source replace each other.
 * Types only, but for what both sides need to make and free them. */
#pragma once

#include <stdatomic.h>

#include "controlplane/logs/index.h"
#include "shared/io/mailbox.h"
#include "shared/wire/log_message.h"

/* A message for an agent; or, with 'is_broken', its connection is to be closed. */
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

/* The shared part of a front. */
struct log_answer_box {
    struct log_letter letter; /* of the answers */
    struct log_answer_list out;
    atomic_bool is_out;   /* the letter is the front's until it clears this */
    atomic_bool has_left; /* the worker will not touch it again */
    struct fl_mailbox *mailbox;
    struct log_answer_list waiting; /* worker only: for the next letter */
    bool is_listed;                 /* worker only: has something waiting */
};

enum log_request_kind {
    LOG_REQUEST_LEAVE, /* of a front, the last of its requests */
    LOG_REQUEST_OPEN,
    LOG_REQUEST_APPEND,
    LOG_REQUEST_END,
    LOG_REQUEST_CLOSE,
    LOG_REQUEST_FORGET,
};

struct log_request {
    enum log_request_kind kind;
    struct log_answer_box *box;
    uint64_t connection;
    uint32_t number;
    struct fl_cluster cluster;
    struct log_key key;      /* open; forget: its job */
    struct log_chunk *chunk; /* append: a reference */
    uint64_t offset;         /* end */
    uint32_t chain;          /* end */
};
