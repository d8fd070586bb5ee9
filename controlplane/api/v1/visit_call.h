/* visit_call.h - what the routes of visits share: a WebSocket's handshake, which replica is meant,
 * the row of the audit, and the hand-over of the connection to the front that has the tunnel
 * (controlplane/visits).
 *
 *   visit_call_begin ... job_lookup, visit_call_ask_elements, visit_call_choose ...
 *   visit_call_enter
 *
 * Each answers the call when it cannot go on. */
#pragma once

#include "controlplane/api/api.h"
#include "controlplane/api/call.h"
#include "shared/tls/websocket_key.h"
#include "shared/wire/frame.h"
#include "shared/wire/visit.h"

enum { VISIT_WHAT_BYTES_MAX = 240 };

/* A handler's state begins with one. */
struct visit_asked {
    enum fl_frame_type type;
    struct fl_visit_open open;
    struct fl_job job;
    struct fl_cluster cluster;
    char accept[FL_WEBSOCKET_ACCEPT_MAX];
    bool has_protocol;
    bool is_upgrade; /* it asks for a WebSocket */
    bool has_element, has_replica;
    char what[VISIT_WHAT_BYTES_MAX];
};

/* The parameters of every route of visits. */
#define VISIT_REPLICA_QUERY                                                                        \
    API_MAY("element", "integer", "a replica of this element; else the first that runs",           \
            .max = UINT32_MAX),                                                                    \
        API_MAY("replica", "integer", "this replica; without it, the first that runs",             \
                .max = UINT16_MAX)

/* Makes 'asked' the call's state.  False: the call is answered. */
bool visit_call_begin(struct api_call *call, struct visit_asked *asked, enum fl_frame_type type);

/* The started elements of an open job, from the one that is meant on. */
void visit_call_ask_elements(struct api_call *call, struct fl_job job,
                             void (*then)(struct api_call *call, const struct core_answer *answer));

/* The replica that is meant, or the first that runs.  False: none does. */
bool visit_call_choose(struct visit_asked *asked, const struct core_answer *answer);

/* Everything is filled in: writes the audit, "VERB job-7 element 0 replica 0 WHAT", and gives the
 * connection away.  A script cannot read why its WebSocket was refused: it asks again without
 * Upgrade, and hears any reason but that it asked so. */
void visit_call_enter(struct api_call *call, const char *verb, struct fl_str what);
