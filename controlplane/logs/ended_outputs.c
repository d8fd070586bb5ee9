#include "controlplane/logs/ended_outputs.h"

#include <stdlib.h>

#include "controlplane/core/replica_output.h"
#include "shared/base/alloc.h"

static bool has_replica(const struct log_query *query, uint32_t replica)
{
    for (size_t i = 0; i < query->replicas_len; i++) {
        if (replica >= query->replicas[i].first && replica <= query->replicas[i].last) return true;
    }
    return query->replicas_len == 0;
}

bool log_query_has(const struct log_query *query, const struct log_key *key)
{
    return key->tenant.n == query->tenant.n &&
           (!query->has_element || key->attempt.element == query->element) &&
           (!query->has_attempt || key->attempt.n == query->attempt) &&
           has_replica(query, key->replica);
}

static int by_key(const void *a, const void *b)
{
    const struct log_ended_output *left = a, *right = b;

    return log_key_cmp(&left->key, &right->key);
}

struct log_ended_outputs *log_ended_outputs_create(const struct log_query *query,
                                                   const struct log_attempts *attempts)
{
    struct log_ended_outputs *ended_outputs = fl_new(struct log_ended_outputs);

    for (size_t i = 0; i < attempts->len; i++) {
        const struct log_attempt *attempt = &attempts->at[i];

        for (uint32_t n = 0; n < attempt->letters.len; n++) {
            struct log_ended_output output = {
                .key = {.attempt = attempt->attempt, .replica = n, .tenant = query->tenant},
                .letter = attempt->letters.at[n],
                .is_given_up = attempt->is_given_up,
            };

            if (output.letter == CORE_OUTPUT_none || !log_query_has(query, &output.key)) continue;
            fl_vec_push(&ended_outputs->outputs, output);
        }
    }
    if (ended_outputs->outputs.len > 1) {
        qsort(ended_outputs->outputs.at, ended_outputs->outputs.len,
              sizeof *ended_outputs->outputs.at, by_key);
    }
    return ended_outputs;
}

void log_ended_outputs_destroy(struct log_ended_outputs *ended_outputs)
{
    if (!ended_outputs) return;
    fl_vec_fini(&ended_outputs->outputs);
    fl_free(ended_outputs);
}

const struct log_ended_output *log_ended_outputs_find(const struct log_ended_outputs *ended_outputs,
                                                      const struct log_key *key)
{
    struct log_ended_output wanted = {.key = *key};

    if (ended_outputs->outputs.len == 0) return NULL;
    return bsearch(&wanted, ended_outputs->outputs.at, ended_outputs->outputs.len,
                   sizeof *ended_outputs->outputs.at, by_key);
}
