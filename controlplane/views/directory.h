/* directory.h - the queues and clusters by number and by name, for every front of this process.
 * It is the fold of the core's rows: it applies the rows of committed batches, and is filled anew
 * when a term begins.  So a front need not ask the core for the name of a job's queue, or for the
 * cluster of a certificate.
 * Thread-safe, as token_table.h. */
#pragma once

#include "controlplane/core/core_command.h"

struct directory;

struct directory_cluster {
    struct fl_cluster cluster;
    char name[64], uuid[40], uid[68];
    uint8_t access;  /* enum core_access; a removed cluster is revoked */
    bool is_removed; /* for good: no agent speaks for it again */
};

struct directory *directory_create(void);
void directory_destroy(struct directory *directory); /* NULL is fine */

/* Applies ROW_queue_put and ROW_cluster_put; ignores other rows. */
void directory_apply(struct directory *directory, const struct row *row);

/* Queues and clusters are never removed, so a refill only adds. */
void directory_refill_begin(struct directory *directory);
void directory_refill_row(struct directory *directory, const struct row *row);
void directory_refill_end(struct directory *directory);

/* These copy.  False: it is not known. */
bool directory_queue_name(struct directory *directory, struct fl_queue_id queue, char ret_name[64]);
bool directory_queue_is_removed(struct directory *directory, struct fl_queue_id queue);
bool directory_queue_is_paused(struct directory *directory, struct fl_queue_id queue);
/* False, too, if it has none of its own. */
bool directory_queue_default_cpu(struct directory *directory, struct fl_queue_id queue,
                                 uint32_t *ret_milli);
bool directory_queue_id(struct directory *directory, struct fl_str name,
                        struct fl_queue_id *ret_queue);
bool directory_cluster(struct directory *directory, struct fl_cluster cluster,
                       struct directory_cluster *ret_cluster);
bool directory_cluster_named(struct directory *directory, struct fl_str name,
                             struct directory_cluster *ret_cluster);
bool directory_cluster_uuid(struct directory *directory, struct fl_str uuid,
                            struct directory_cluster *ret_cluster);
