#include "controlplane/logs/budget.h"

#include "shared/base/assert.h"

void log_budget_init(struct log_budget *budget, struct log_index *index, uint64_t bytes_max)
{
    fl_assert(bytes_max >= FL_JOB_REPLICAS_MAX);
    *budget = (struct log_budget){.index = index, .bytes_max = bytes_max};
}

void log_budget_fini(struct log_budget *budget)
{
    fl_vec_fini(&budget->over);
    fl_map_fini(&budget->is_over);
}

void log_budget_renew(struct log_budget *budget)
{
    budget->is_known = false;
}

static void note_over(struct log_budget *budget, struct fl_attempt attempt)
{
    uint8_t bytes[LOG_KEY_BYTES];

    log_key_put(bytes, &(struct log_key){.attempt = attempt});
    if (budget->over.len == LOG_BUDGET_OVER_MAX) return;
    if (fl_map_find(&budget->is_over, bytes, LOG_KEY_ATTEMPT_BYTES, NULL)) return;
    fl_map_put(&budget->is_over, bytes, LOG_KEY_ATTEMPT_BYTES, 1);
    fl_vec_push(&budget->over, attempt);
}

static void drop_over(struct log_budget *budget, struct fl_attempt attempt)
{
    uint8_t bytes[LOG_KEY_BYTES];

    log_key_put(bytes, &(struct log_key){.attempt = attempt});
    fl_map_remove(&budget->is_over, bytes, LOG_KEY_ATTEMPT_BYTES);
}

static void look_up(struct log_budget *budget, struct fl_attempt attempt)
{
    if (budget->is_known && fl_attempt_is_same(budget->attempt, attempt)) return;
    log_index_lengths(budget->index, attempt, budget->lengths);
    budget->attempt = attempt;
    budget->share = log_limit_share(budget->lengths, FL_JOB_REPLICAS_MAX, budget->bytes_max);
    budget->is_known = true;
    if (budget->share != LOG_LIMIT_SHARE_ALL) note_over(budget, attempt);
}

struct log_middle log_budget_middle(struct log_budget *budget, const struct log_key *key,
                                    uint64_t length)
{
    uint64_t least = budget->bytes_max / FL_JOB_REPLICAS_MAX;

    if (length <= least / 2) return (struct log_middle){0}; /* any share's first half holds it */
    if (key->replica >= FL_JOB_REPLICAS_MAX) return log_limit_share_middle(least, length);
    look_up(budget, key->attempt);
    if (budget->lengths[key->replica] > length) length = budget->lengths[key->replica];
    return log_limit_share_middle(budget->share, length);
}

/* How many bytes a rewrite would remove from the attempt's outputs in this file.  Pieces that cross
 * an end of the middle do not count: how much of them would go is not known here, and a file must
 * not be rewritten in vain again and again. */
static uint64_t weigh(struct log_budget *budget, const struct log_sealed *sealed,
                      struct fl_attempt attempt)
{
    struct log_key_range range = log_key_range_of_attempt(attempt);
    struct log_sealed_output output;
    struct log_sealed_piece piece;
    struct fl_err err = {0};
    uint64_t bytes = 0;
    uint32_t i;

    if (!log_sealed_may_have(sealed, &range)) return 0;
    if (!log_sealed_lower_bound(sealed, &range.first, &i, &err)) return 0;
    for (; i < sealed->outputs_len; i++) {
        struct log_middle middle;

        if (!log_sealed_output_at(sealed, i, &output, &err)) break;
        if (!fl_attempt_is_same(output.key.attempt, attempt)) break;
        middle = log_budget_middle(budget, &output.key, output.place.offset);
        for (uint32_t k = 0; k < output.pieces_len; k++) {
            if (!log_sealed_piece_at(sealed, output.piece + k, &piece, &err)) return bytes;
            if (log_middle_has(&middle, piece.offset, piece.end)) bytes += piece.len;
        }
    }
    return bytes;
}

void log_budget_weigh(struct log_budget *budget, const struct log_sealed_list *files,
                      uint64_t *bytes)
{
    size_t kept = 0;

    for (size_t i = 0; i < budget->over.len; i++) {
        struct fl_attempt attempt = budget->over.at[i];

        log_budget_renew(budget);
        for (size_t k = 0; k < files->len; k++) {
            bytes[k] += weigh(budget, files->at[k], attempt);
        }
        if (log_index_has_attempt(budget->index, attempt)) {
            budget->over.at[kept++] = attempt;
        } else {
            drop_over(budget, attempt);
        }
    }
    budget->over.len = kept;
}
