/* job_tree.h - jobs in the order of their ids, linked through their own records.
 * For jobs that come back to their bucket out of order (after a retry, a release): a treap whose
 * random priorities are hashes of the ids, so that equal contents have equal shape.  A root is a
 * slot; none: the tree is empty.  Uses job_table only. */
#pragma once

#include "controlplane/core/job_table.h"

/* Both give the new root. */
struct job_slot job_tree_add(const struct job_table *jobs, struct job_slot root,
                             struct job_slot slot);
struct job_slot job_tree_remove(const struct job_table *jobs, struct job_slot root,
                                struct job_slot slot);

/* The job with the smallest id; none when empty. */
struct job_slot job_tree_first(const struct job_table *jobs, struct job_slot root);
/* The job with the smallest id behind this one. */
struct job_slot job_tree_after(const struct job_table *jobs, struct job_slot root, uint64_t id);
