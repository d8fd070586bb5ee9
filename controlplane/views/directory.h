/* directory.h - which queues and clusters there are, by number and by name, for every front of this
 * process.  The core decides; this is the fold of its rows, applied as committed batches are
 * noticed and filled anew when a term begins.  It answers what a front must know without asking the
 * core: the name of a job's queue, and whose certificate a tunnel shows.
 * Thread-safe, as token_table.h. */
#pragma once

#include "controlplane/core/core_command.h"

struct directory;

struct directory_cluster {
    struct fl_cluster cluster;
    char name[64], uuid[40], uid[68];
    uint8_t access; /* enum core_access; a removed cluster is revoked */
};

struct directory *directory_create(void);
void directory_destroy(struct directory *directory); /* NULL is fine */

/* ROW_queue_put and ROW_cluster_put; others are ignored. */
void directory_apply(struct directory *directory, const struct row *row);

/* Nothing is ever removed, so a refill only adds. */
void directory_refill_begin(struct directory *directory);
void directory_refill_row(struct directory *directory, const struct row *row);
void directory_refill_end(struct directory *directory);

/* Copies; false when not known. */
bool directory_queue_name(struct directory *directory, struct fl_queue_id queue, char ret_name[64]);
bool directory_queue_id(struct directory *directory, struct fl_str name,
                        struct fl_queue_id *ret_queue);
bool directory_cluster(struct directory *directory, struct fl_cluster cluster,
                       struct directory_cluster *ret_cluster);
bool directory_cluster_named(struct directory *directory, struct fl_str name,
                             struct directory_cluster *ret_cluster);
bool directory_cluster_uuid(struct directory *directory, struct fl_str uuid,
                            struct directory_cluster *ret_cluster);
