/* log_spool.h - output on its way from the kubelet to the hub: files of the agent, within bounds.
 * The kubelet keeps only a log's newest file, so the agent reads on while the hub is away; here are
 * the bytes that the hub has not taken.  A spool is one replica's: a folder with files of records
 * (agent/output) and its mark, some bytes of the writer's that say where it stands.
 *
 *     log_spool_put(spool, time, bytes) ... log_spool_commit(spool, mark)
 *
 * - Bytes count from 0.  Those put since the last commit are forgotten when this process dies, and
 *   the writer, which finds its mark of then, puts them again: so both always agree.  A commit is
 *   for the death of this process, not of its machine: nothing is synced.
 * - Beyond 'each' bytes of one spool, or 'all' of all together, the middle goes: the oldest and the
 *   newest file stay, the second is removed, and readers get a gap of its size ('limit').  Bytes
 *   that the disk does not take are a gap too ('disk_full').
 * - Files that the hub has taken for good are removed.
 *
 * Blocks on the disk.  One thread. */
#pragma once

#include "agent/runtime.h"
#include "shared/base/buf.h"
#include "shared/base/err.h"
#include "shared/base/str.h"
#include "shared/base/types.h"
#include "shared/wire/log_record.h"

enum {
    LOG_SPOOL_MARK_BYTES_MAX = 64,
    LOG_SPOOL_FILES = 8, /* a spool at its limit has about so many */
    LOG_SPOOL_FILE_BYTES_MIN = 2 * FL_LOG_RECORD_BYTES_MAX,
};

struct log_spools; /* the folders of all replicas */
struct log_spool;

struct log_spools_config {
    const char *path; /* the folder that holds them; it exists */
    uint64_t each_bytes_max, all_bytes_max;
};

FL_CHECK bool log_spools_create(const struct log_spools_config *config,
                                struct log_spools **ret_spools, struct fl_err *err);
void log_spools_destroy(struct log_spools *spools);         /* after its spools; NULL is fine */
uint64_t log_spools_bytes(const struct log_spools *spools); /* on disk, of those that are open */

/* Makes the folder 'name', or goes on where its last commit was. */
FL_CHECK bool log_spool_open(struct log_spools *spools, const char *name,
                             struct log_spool **ret_spool, struct fl_err *err);
void log_spool_close(struct log_spool *spool); /* its files stay; NULL is fine */

/* Removes a folder whose spool is closed; an absent one is fine. */
FL_CHECK bool log_spool_remove(struct log_spools *spools, const char *name, struct fl_err *err);

/* ---- the writer's ---------------------------------------------------------------------------- */

/* As the last commit has it; empty: there was none. */
struct fl_str log_spool_mark(const struct log_spool *spool);

/* At most FL_LOG_RECORD_DATA_MAX bytes, and not none. */
void log_spool_put(struct log_spool *spool, fl_ms time, struct fl_str bytes);

/* Bytes that are missing; 'time' is that of what follows. */
void log_spool_put_gap(struct log_spool *spool, fl_ms time, enum fl_log_gap gap, uint64_t bytes);

/* False: FL_IO; the commit before it stays. */
FL_CHECK bool log_spool_commit(struct log_spool *spool, struct fl_str mark, struct fl_err *err);

/* Nothing follows; the commit that is next says so too. */
void log_spool_end(struct log_spool *spool, fl_ms now);

/* ---- the reader's ---------------------------------------------------------------------------- */

/* As runtime_ops.read_output. */
FL_CHECK bool log_spool_read(struct log_spool *spool, uint64_t offset, size_t bytes_max,
                             struct fl_buf *records, struct runtime_output *ret_output,
                             struct fl_err *err);

/* No one reads what is before 'offset' again. */
void log_spool_taken(struct log_spool *spool, uint64_t offset);

uint64_t
log_spool_bytes(const struct log_spool *spool); /* counted from the first byte of output on */
bool log_spool_is_ended(const struct log_spool *spool);
