/* job_tree.h - jobs in the order of their ids, linked through their own records.
 * For jobs that come out of order: back to their bucket (after a retry, a release), or from another
 * queue.  A treap whose random priorities are hashes of the ids, so that equal contents have equal
 * shape.  A root is a slot; none: the tree is empty.  Uses job_table only. */
#pragma once

#include "controlplane/core/job_table.h"

/* A job has two pairs of links, so it can be in a tree of either kind. */
enum job_links {
    JOB_LINKS_OF_BUCKET, /* left and right */
    JOB_LINKS_OF_QUEUE,  /* older and newer */
};

/* Both give the new root. */
struct job_slot job_tree_add(const struct job_table *jobs, enum job_links links,
                             struct job_slot root, struct job_slot slot);
struct job_slot job_tree_remove(const struct job_table *jobs, enum job_links links,
                                struct job_slot root, struct job_slot slot);

/* The job with the smallest id; none when empty. */
struct job_slot job_tree_first(const struct job_table *jobs, enum job_links links,
                               struct job_slot root);
/* The job with the smallest id behind this one, and the one with the greatest id before it. */
struct job_slot job_tree_after(const struct job_table *jobs, enum job_links links,
                               struct job_slot root, uint64_t id);
struct job_slot job_tree_before(const struct job_table *jobs, enum job_links links,
                                struct job_slot root, uint64_t id);
