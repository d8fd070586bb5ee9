/* top_round.h - one look at the fleet: asks the control plane for all that a frame shows, one
 * request after another, without waiting.  A round makes one snapshot; it either succeeds as a
 * whole or leaves what is shown as it was.
 * A list that the token may not see (403) is empty; without that of jobs the round fails. */
#pragma once

#include "cli/top/top_call.h"

struct top_round; /* opaque */

struct top_round *top_round_create(struct cli *cli, struct cli_http *http);
void top_round_destroy(struct top_round *round); /* NULL is fine */

/* By the terms of the model; one that runs is called off. */
void top_round_start(struct top_round *round, const struct top_model *model);
bool top_round_is_running(const struct top_round *round);

struct top_found {
    struct top_data *data;   /* the caller's; NULL: the round failed */
    json_t *job, *job_why;   /* the caller's; the panel's job; NULL: not asked for, or not there */
    unsigned status;         /* the answer's that made it fail; 0: there was none */
    char why[TOP_WHY_BYTES]; /* it failed */
};

/* Goes on as far as answers have come.  True once, when the round is over. */
bool top_round_step(struct top_round *round, struct top_found *ret_found);
