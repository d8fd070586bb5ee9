/* client_state.h - the fake client's knowledge, for client_*.c and fake_client.c alone.
 * client_build.c makes events of its requests; fake_client.c decides what to ask and hears the
 * answers; client_possible.c judges which submissions were refused. */
#pragma once

#include "shared/base/vec.h"
#include "tests/sim/fake_client.h"

enum {
    ITEMS_MAX = 20,
    QUEUES_MAX = 5,
    SHAPES_MAX = 12,
    SHAPES_OF_STREAM = 2, /* behind those: the stream's small one and its gang */
    SHAPES_OF_LARGE = 4,  /* and the gangs and the arrays of the large worlds */
    TRIES_MAX = 200,
    TIMEOUT_MS = 6000,
};

enum client_kind {
    SUBMIT,
    RETRY, /* a submit of one ended job */
    CANCEL,
    HOLD,
    RELEASE,
    EDIT,
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
    TOKEN_ROTATE,
    TOKEN_REVOKE,
    LIST_CLUSTERS,
    LIST_QUEUES,
};

struct client_request {
    enum client_kind kind;
    uint64_t seed;             /* its content */
    uint64_t target;           /* a job, or the number of a queue or cluster */
    uint32_t tenant;           /* 0: that of the job it is about, else the first */
    uint32_t poison_ppm;       /* as it was when it was first asked */
    uint64_t key;              /* the number of the request whose key it has */
    uint64_t after;            /* SUBMIT: a job that some of its items may wait for; 0: none */
    uint32_t shape, elements;  /* SUBMIT: that shape, from 1, to queue 'target'; 0: any */
    bool has_key, is_stubborn; /* tried until it is done */
    bool is_on;                /* pause; for a drain: stop what runs */
    uint64_t generation;       /* RENEW; for an ENROL the seed of its JOIN */
    fl_ms ttl_ms;              /* JOIN, TOKEN_PUT; TOKEN_ROTATE: its grace */
    struct fl_digest shown;    /* TOKEN_ROTATE: its secret, as the client knows it */
    bool is_key_taken;         /* by a request with another body */
    bool is_done;              /* answered for good */
    uint32_t tries;            /* begun */
    uint32_t heard;            /* the newest try that was answered */
    /* the promise, while the answer travels and after */
    bool is_promised, is_kept;
    uint64_t promised_epoch; /* the leader that promised it */
    enum fl_code code;
    uint64_t id;
    uint64_t jobs[ITEMS_MAX];
    uint32_t jobs_len;
    uint32_t open; /* a bit each: refused for now, and decided anew when asked again */
};

struct client_shape {
    char *bytes;
    size_t len;
    uint32_t deadline_s, retries_max; /* its jobs get these */
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
    FL_VEC(uint64_t) jobs;  /* acknowledged */
    FL_VEC(uint64_t) keyed; /* requests with a key of their own */
    struct client_shape shapes[SHAPES_MAX + SHAPES_OF_STREAM + SHAPES_OF_LARGE];
    uint32_t shapes_len, queues_len;
    uint32_t drawn_len; /* the first so many shapes are for any job */
    struct fake_client_stream stream;
    uint32_t enrolled, submitted, enrolling; /* the newest that is asked for */
    struct fl_cluster *clusters;             /* by number, from 1 */
    uint32_t stubborn_open;
    bool is_tidying, is_retired;
};

void client_draw_shape(struct fake_client *client, struct client_shape *known, bool is_impossible);
/* It asks for the room that 'other' asks for: they are of one shape, and differ beside it. */
void client_share_shape(struct client_shape *known, const struct client_shape *other);
/* So many replicas of that size, on that one cluster; 0: on any. */
void client_make_shape(struct client_shape *known, uint32_t cluster, uint32_t replicas,
                       struct fl_resources each);
/* A job of this name never runs: its shape fits nowhere, and follows from its name. */
bool client_is_impossible(const struct fake_client *client, struct fl_str name);
/* I37: the outcomes of a submission, as its answer leaves a leader that still leads. */
void client_judge_possible(struct fake_client *client, const struct client_request *request,
                           const struct core_answer *answer);
