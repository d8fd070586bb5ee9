/* job_tree.h - jobs in the order of their ids, linked through their own records.
 * For jobs that come back to their bucket out of order (after a retry, a release): a treap whose
 * random priorities are hashes of the ids, so that equal contents have equal shape.  A root is a
 * slot, 0 empty.  Uses job_table only. */
#pragma once

#include "controlplane/core/job_table.h"

/* Both give the new root. */
uint32_t job_tree_add(const struct job_table *jobs, uint32_t root, uint32_t slot);
uint32_t job_tree_remove(const struct job_table *jobs, uint32_t root, uint32_t slot);

/* The job with the smallest id; 0 when empty. */
uint32_t job_tree_first(const struct job_table *jobs, uint32_t root);
/* The job with the smallest id behind this one; 0: none. */
uint32_t job_tree_after(const struct job_table *jobs, uint32_t root, uint64_t id);
