/* ended_outputs.h - the outputs of a job that has ended, as its rows have them, and which outputs a
 * query is for.  A list is made on the front's thread, goes to the reader's, and never changes. */
#pragma once

#include "controlplane/logs/key.h"
#include "controlplane/logs/read.h"
#include "shared/base/vec.h"

struct log_ended_output {
    struct log_key key;
    char letter;      /* enum core_output */
    bool is_given_up; /* its cluster was removed, or its agent has had its time */
};

struct log_ended_outputs {
    FL_VEC(struct log_ended_output) outputs; /* those that the query is for, by key */
};

struct log_ended_outputs *log_ended_outputs_create(const struct log_query *query,
                                                   const struct log_attempts *attempts);
void log_ended_outputs_destroy(struct log_ended_outputs *ended_outputs); /* NULL is fine */

/* NULL: no row has the output, or it never ran. */
const struct log_ended_output *log_ended_outputs_find(const struct log_ended_outputs *ended_outputs,
                                                      const struct log_key *key);

bool log_query_has(const struct log_query *query, const struct log_key *key);
