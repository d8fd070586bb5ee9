/* visit_order.h - a visit that may begin: the API has let its caller in and the audit has its row.
 * It owns the client's connection, whose handshake is not answered, and travels as a letter to the
 * front that has the tunnel.  Not thread-safe: it is of one thread at a time. */
#pragma once

#include "controlplane/http/request.h"
#include "controlplane/views/token_table.h"
#include "shared/io/mailbox.h"
#include "shared/wire/frame.h"
#include "shared/wire/visit.h"

struct visit_order {
    struct fl_letter letter; /* first */
    enum fl_frame_type type; /* EXEC or FORWARD */
    struct fl_cluster cluster;
    char cluster_name[64];
    struct fl_buf open; /* the record OPEN */
    struct fl_job job;
    struct http_taken taken;
    char accept[32];   /* the answer to the client's key */
    bool has_protocol; /* the client named the subprotocol */
    struct fl_tenant tenant;
    struct token_hold token;
    bool is_page; /* a page of a browser asks, with this session's cookie */
    struct fl_digest session;
    char actor[128], what[256], trace[33]; /* for the row of its end */
    unsigned fronts_asked;                 /* that have no tunnel to the cluster */
};

struct visit_order *visit_order_create(void);
void visit_order_destroy(struct visit_order *order); /* closes the connection; NULL is fine */
