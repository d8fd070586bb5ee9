/* settled.h - the outputs of a job that has ended, as its rows have them, and which outputs a query
 * is for.  A list is made on the front's thread, goes to the reader's, and never changes. */
#pragma once

#include "controlplane/logs/key.h"
#include "controlplane/logs/read.h"
#include "shared/base/vec.h"

struct log_settled_output {
    struct log_key key;
    char letter;      /* enum core_output */
    bool is_given_up; /* its cluster was removed, or its agent has had its time */
};

struct log_settled {
    FL_VEC(struct log_settled_output) outputs; /* those that the query is for, by key */
};

struct log_settled *log_settled_create(const struct log_query *query,
                                       const struct log_attempts *attempts);
void log_settled_destroy(struct log_settled *settled); /* NULL is fine */

/* NULL: no row has the output, or it never ran. */
const struct log_settled_output *log_settled_find(const struct log_settled *settled,
                                                  const struct log_key *key);

bool log_query_has(const struct log_query *query, const struct log_key *key);
