/* log_world.h - a log store with a front, and an agent's real pump at the other end of a tunnel
 * that can be cut.  The replicas' output is kept here as the truth, record by record.  Frames go
 * through the codec and within a window of credit, as in a tunnel; a cut drops what is under way.
 * A crash is a copy of the store's folder at any moment, with torn bytes behind it. */
#pragma once

#include "agent/streams/log_pump.h"
#include "controlplane/logs/log_front.h"
#include "controlplane/logs/log_store.h"
#include "controlplane/logs/read.h"
#include "shared/base/buf.h"
#include "shared/base/prng.h"
#include "shared/base/vec.h"
#include "shared/io/loop.h"

struct log_truth {
    struct fl_attempt attempt;
    uint32_t replica;
    struct fl_buf bytes;
    FL_VEC(uint64_t) ends; /* where each of its records ends */
    FL_VEC(fl_ms) times;
    bool is_ended, is_taken;
};

/* Attempts are cluster 1's, which the agent here is, but for these. */
enum { LOG_WORLD_FOREIGN_JOB = 802, LOG_WORLD_NO_JOB = 900 };

enum { LOG_WORLD_OUTPUTS_MAX = 128 };

struct log_question {
    uint64_t ticket, job;
};

struct log_world {
    char dir[64];
    struct log_store_config config;
    struct fl_loop *loop;
    struct log_store *store;
    struct log_front *front;
    struct log_pump *pump;
    struct fl_prng prng;
    struct log_truth outputs[LOG_WORLD_OUTPUTS_MAX];
    size_t outputs_len;
    uint64_t connection;
    uint32_t credit;
    struct fl_buf to_agent; /* payloads, each behind its length */
    bool is_down;
    bool is_slow; /* the owner of an attempt is answered later */
    bool is_disputed;
    bool is_row_back; /* LOG_WORLD_NO_JOB is cluster 1's */
    size_t asked;     /* for owners, since the start */
    FL_VEC(struct log_question) questions;
    int broken, breaks; /* now; since the start */
};

void log_world_init(struct log_world *world, uint64_t seed);
void log_world_fini(struct log_world *world);

size_t log_world_add(struct log_world *world, uint64_t job, uint32_t element, uint16_t attempt,
                     uint32_t replica);
void log_world_write(struct log_world *world, size_t i, const void *ptr, size_t len, fl_ms time);
void log_world_write_random(struct log_world *world, size_t i, size_t len, fl_ms time);
void log_world_end(struct log_world *world, size_t i);

/* Answers the questions that is_slow holds back; a step answers them too. */
void log_world_tell_owners(struct log_world *world);
void log_world_step(struct log_world *world);   /* one frame each way, a turn of the loop */
void log_world_settle(struct log_world *world); /* until the store has all, durably, and knows it */

void log_world_cut(struct log_world *world);     /* the tunnel; up again at once */
void log_world_restart(struct log_world *world); /* the store ends and starts */
void log_world_crash(
    struct log_world *world); /* only the bytes on the disk remain, with a torn tail */

/* Reads until it is over; lines are kept for the caller, their bytes one behind the other. */
struct log_world_read {
    struct log_world *world;
    FL_VEC(struct log_line) lines;
    FL_VEC(size_t) at;             /* where each line begins in 'bytes' */
    FL_VEC(struct log_span) spans; /* those of a line one behind the other */
    FL_VEC(size_t) spans_at;       /* where each line's begin; its own 'spans' are gone */
    struct fl_buf bytes;
    char cursor[LOG_CURSOR_BYTES_MAX + 1];
    uint64_t lines_total;
    uint64_t by_level[FL_LINE_LEVELS_LEN];
    uint32_t sources_live, sources_lost;
    struct fl_err err;
    bool is_over, is_whole; /* the latter: no page follows, also where pages_max is not 0 */
    int pages;
    int pages_max; /* not 0: no more are asked for */
    struct log_read *read;
};

void log_world_read(struct log_world *world, const struct log_query *query,
                    struct log_world_read *ret_read);
void log_world_read_fini(struct log_world_read *read);

/* All that was read of an output, gaps left out, is what it wrote, from 'offset' on. */
bool log_world_is_exact(struct log_world *world, const struct log_world_read *read, size_t i,
                        uint64_t offset);

/* ---- shorthands of the tests ----------------------------------------------------------------- */

struct log_query log_world_whole(uint64_t job); /* all of a job, from its start */
void log_world_small(struct log_world *world);  /* small segments and a small ring, from now on */
/* All outputs are read as they were written, without a gap. */
void log_world_check_all(struct log_world *world, uint64_t job);
void log_world_wait_sealed(struct log_world *world, uint64_t files); /* until there are so many */

/* The store begins again and seals its segments; then it goes on with ones that stay open. */
void log_world_seal_all(struct log_world *world, uint64_t files);

/* The only file of a kind in the store's folder; false: there is none. */
bool log_world_find_file(const struct log_world *world, const char *kind, char path[200]);
size_t log_world_read_file(const char *path, uint8_t *at, size_t bytes_max);
void log_world_write_file(const char *path, const uint8_t *at, size_t len);
