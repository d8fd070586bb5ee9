/* job_queue_map.h - the queue of each open job, as of the newest batch that its front heard of.
 * Streams for a token of one queue need it: most rows of a job do not say its queue.  The map is
 * fed with the rows of each batch, in order, and with what pages of the journal teach; a gap in the
 * batches empties it.  Its front reads the others.
 * It holds JOB_QUEUE_MAP_MAX jobs in sets of JOB_QUEUE_MAP_WAYS, by their ids: in a full set the
 * job that was put in first makes room.  No call walks more than one set and the rows it is given.
 * Uses the core's rows.  Not thread-safe: its front owns it. */
#pragma once

#include "controlplane/core/row.h"

enum {
    JOB_QUEUE_MAP_WAYS = 4,
    JOB_QUEUE_MAP_MAX = 262144,     /* 6 MiB */
    JOB_QUEUE_MAP_ROWS_MAX = 10000, /* in a turn; rows beyond them empty the map */
    JOB_QUEUE_MAP_EDITS_MAX = 1024, /* the newest, kept for what pages teach */
};

struct job_queue_map; /* opaque */

struct job_queue_map *job_queue_map_create(void);
void job_queue_map_destroy(struct job_queue_map *map); /* NULL is fine */

/* A turn of the front's loop begins. */
void job_queue_map_turn(struct job_queue_map *map);

/* A batch was committed; 'rows' are encoded, and empty where they are not known.  For its first
 * 'len' rows: the queue in which the row's job was just before that row, for a new job that of the
 * row; 0: none, or not known. */
void job_queue_map_notice(struct job_queue_map *map, uint64_t batch, struct fl_str rows,
                          uint32_t *ret_queues, size_t len);

/* The job was in that queue once 'batch' was committed.  Ignored where the map cannot tell whether
 * it was moved since. */
void job_queue_map_learn(struct job_queue_map *map, struct fl_job job, struct fl_queue_id queue,
                         uint64_t batch);

size_t job_queue_map_len(const struct job_queue_map *map);
