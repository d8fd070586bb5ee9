/* client_state.h - what the fake client knows, for the files that make it up and nobody else.
 * client_build.c makes events of its requests; fake_client.c decides what to ask and hears the answers. */
#pragma once

#include "shared/base/vec.h"
#include "tests/sim/fake_client.h"

enum {
    ITEMS_MAX = 20,
    QUEUES_MAX = 5,
    SHAPES_MAX = 12,
    TRIES_MAX = 200,
    TIMEOUT_MS = 6000,
};

enum client_kind {
    SUBMIT,
    RETRY, /* a submit of one ended job */
    CANCEL,
    HOLD,
    RELEASE,
    READ,
    LIST,
    EXPLAIN,
    QUEUE_PUT,
    CLUSTER_PUT,
    CORDON,
    UNCORDON,
    FORGET,
    DRAIN,
    REVOKE,
    UNLOCK,
    RENEW,
    JOIN, /* and, once that is answered, ... */
    ENROL,
    TOKEN_PUT,
    TOKEN_REVOKE,
    LIST_CLUSTERS,
};

struct client_request {
    enum client_kind kind;
    uint64_t seed;             /* its content */
    uint64_t target;           /* a job, or the number of a queue or cluster */
    bool has_key, is_stubborn; /* tried until it is done */
    bool is_on;                /* pause; of a drain: stop what runs */
    uint64_t generation;       /* RENEW; of an ENROL the seed of its JOIN */
    fl_ms expires_at;          /* JOIN, TOKEN_PUT */
    bool is_done;              /* answered for good */
    uint32_t tries;            /* begun */
    uint32_t heard;            /* the newest try that was answered */
    /* what was promised, while the answer travels and after */
    bool is_promised, is_kept;
    enum fl_code code;
    uint64_t id;
    uint64_t jobs[ITEMS_MAX];
    uint32_t jobs_len;
};

struct client_shape {
    char *bytes;
    size_t len;
    bool is_impossible;
    struct fl_digest digest;
};

struct fake_client {
    struct sim *sim;
    struct fake_client_config config;
    struct fake_client_ports ports;
    const struct fake_pg *pg;
    struct checks *checks;
    FL_VEC(struct client_request) requests;
    FL_VEC(uint64_t) jobs; /* acknowledged */
    struct client_shape shapes[SHAPES_MAX];
    uint32_t shapes_len, queues_len;
    uint32_t enrolled, submitted;
    struct fl_cluster clusters[16];
    uint32_t stubborn_open;
    bool is_tidying;
};

void client_draw_shape(struct fake_client *client, struct client_shape *known, bool is_impossible);
/* Nobody will ever run a job of this name: its shape is such, and follows from its name. */
bool client_is_impossible(const struct fake_client *client, struct fl_str name);
