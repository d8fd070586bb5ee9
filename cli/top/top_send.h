/* top_send.h - sends an order of the model, one request for each name, without waiting, and tells
 * what came of it.  A name that is refused stops no other.  An order is sent once: when no answer
 * comes, the rest is left out, since the control plane is away. */
#pragma once

#include "cli/top/top_call.h"

struct top_send {
    struct top_call call;
    struct top_order order; /* its own; no names: nothing is being sent */
    size_t at, done;
    char refused[TOP_WHY_BYTES]; /* the first refusal */
};

void top_send_init(struct top_send *send, struct cli *cli, struct cli_http *http);
void top_send_fini(struct top_send *send);

bool top_send_is_running(const struct top_send *send);
void top_send_start(struct top_send *send, struct top_order *order); /* takes its names */

/* Goes on as far as answers have come.  True once, when all is sent; then the model says it. */
bool top_send_step(struct top_send *send, struct top_model *model);
