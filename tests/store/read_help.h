/* read_help.h - a small history in a real Postgres, and a reader of it: for the tests of reads.
 * The callback of a question counts an answer, and puts it into words. */
#pragma once

#include "controlplane/store/read_events.h"
#include "controlplane/store/read_jobs.h"
#include "tests/store/store_help.h"

#define ROW(row_kind, ...) ((struct row){.kind = ROW_##row_kind, .row_kind = {__VA_ARGS__}})

struct read_world {
    char *conninfo;
    struct help *help;
    struct reader *reader;
    uint64_t batch;
    int answers;
    size_t troubles;
    char told[65536]; /* the answers in words */
    size_t told_len;
    uint64_t next;
    uint32_t row;
    uint32_t next_n;
    bool has_more;
    uint32_t behind_element; /* a further page of attempts begins here */
    uint16_t behind_n;
};

void FL_PRINTF(2, 3) read_tell(struct read_world *world, const char *fmt, ...);
void read_turn(struct read_world *world);
/* The words of one answer more. */
const char *read_heard(struct read_world *world, uint64_t ask);

void read_setup(struct read_world *world);
void read_teardown(struct read_world *world);

/* The next batch, at its number in seconds, and its commit. */
struct core_batch *read_batch(struct read_world *world);
void read_commit(struct read_world *world, struct core_batch *batch);
/* Six jobs: plain ones of two queues that ended, one that is open and waits for another, an array,
 * one of chosen elements. */
void read_fill(struct read_world *world);

/* Callbacks. */
void read_on_trouble(void *ctx, const char *text);
void read_tell_jobs(void *ctx, const struct read_jobs *jobs);
void read_tell_events(void *ctx, const struct read_events *events);
const char *read_page(struct read_world *world, struct read_jobs_query query); /* in words */
