/* stream_pair.h - a hub's and an agent's multiplexer, greeted and up, each with a table of streams:
 * for tests of the kinds.  Time stands at 0. */
#pragma once

#include "shared/link/streams.h"

struct stream_end {
    struct fl_mux *mux;
    struct fl_streams *streams;
    uint32_t changes, fails;
    struct fl_err err; /* the reason of the newest fail, which ends its streams */
    enum fl_link_answer answer;
};

struct stream_pair {
    struct stream_end hub, agent;
};

enum { STREAM_PAIR_BYTES = 100000 }; /* the credit that a stream has at first */

/* Without tables yet: fl_streams_add to each end. */
void stream_pair_init(struct stream_pair *pair);
void stream_pair_fini(struct stream_pair *pair);

void stream_pair_take(struct stream_end *end, struct fl_str bytes); /* as from a socket */
/* Until neither end has anything to send. */
void stream_pair_settle(struct stream_pair *pair);
