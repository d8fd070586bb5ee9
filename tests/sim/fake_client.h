/* fake_client.h - the people and scripts that use the control plane.
 * They submit plain jobs, arrays and gangs, with and without a key, cancel, hold, release, read,
 * retry what ended, pause queues, cordon clusters; they repeat what got no answer when it had a
 * key, and remember what was promised to them.  A request's content follows from its seed, so
 * that a repetition is the same.  Single-threaded, in the sim's time. */
#pragma once

#include "controlplane/engine/engine.h"
#include "tests/sim/checks.h"
#include "tests/sim/fake_pg.h"
#include "tests/sim/sim.h"

struct fake_client;

struct fake_client_config {
    uint32_t tenants;
    uint32_t clusters;    /* that there shall be */
    uint32_t enrolling;   /* ... so many at a time */
    uint32_t mortal;      /* the one cluster that may die, by its number from 1; 0: none */
    uint32_t requests_ms; /* between two requests, on average */
    uint32_t answer_lost_ppm;
    uint32_t poison_ppm; /* submitted jobs that are poison */
    fl_ms busy_until;    /* nothing new after it */
    uint32_t jobs_min;   /* ... but so many are submitted in any case */
};

struct fake_client_ports {
    void *ctx;
    /* Takes 'request' to some hub, which calls fake_client_build when it arrives there. */
    void (*carry)(void *ctx, uint64_t request);
    /* Whether any cluster that is left could ever run a job of this form. */
    bool (*could_run)(void *ctx, struct fl_str shape);
    /* Whether the cluster of that number, when empty, could run a job of this form: the truth,
     * which a leader need not know. */
    bool (*could_ever)(void *ctx, uint32_t number, struct fl_str shape);
    /* The n-th node of the cluster of that number, if it has GPUs, also when they are not offered
     * for a while; NULL: it has none. */
    const char *(*gpu_node)(void *ctx, uint32_t number, uint32_t n);
    /* Whether something of the job has been running for so long that its owner loses patience. */
    bool (*is_endless)(void *ctx, struct fl_job job);
    /* A cluster was enrolled under that id. */
    void (*enrolled)(void *ctx, uint32_t number, struct fl_cluster cluster);
};

struct fake_client *fake_client_create(struct sim *sim, const struct fake_client_config *config,
                                       const struct fake_client_ports *ports,
                                       const struct fake_pg *pg, struct checks *checks);
void fake_client_destroy(struct fake_client *client);
void fake_client_begin(struct fake_client *client);

/* At the hub: the event of a request; and what the hub lets out, in that term, at this instant. */
struct engine_event *fake_client_build(struct fake_client *client, uint64_t request);
void fake_client_answer(struct fake_client *client, const struct core_answer *answer,
                        uint64_t epoch);

/* The stored spec, by its digest, as the hub's front and the agents find it; at NULL: unknown. */
struct fl_str fake_client_spec(const struct fake_client *client, struct fl_digest digest);

/* One gang waits for all of a cluster, while small jobs of other queues stream there. */
struct fake_client_stream {
    uint32_t cluster;         /* its number */
    uint32_t replicas;        /* the gang's */
    struct fl_resources each; /* a replica's */
    fl_ms from, until;
};

/* Before the first request. */
void fake_client_add_stream(struct fake_client *client, const struct fake_client_stream *stream);

/* ---- to steer -------------------------------------------------------------------------------- */
/* A gang of 256, and an array of so many elements, are submitted at that time. */
void fake_client_add_large(struct fake_client *client, uint32_t elements, fl_ms at);
/* A gang of 256 and some of five replicas, all over several nodes, an array that wants gpus, and
 * two of so many elements of which few fit on a node, one of them later. */
void fake_client_add_wide(struct fake_client *client, uint32_t elements, fl_ms at);

/* Its promises may be lost from now on: it forgets them, and sends only storms. */
void fake_client_retire(struct fake_client *client);
void fake_client_storm(struct fake_client *client, uint32_t requests);
void fake_client_forget(struct fake_client *client,
                        struct fl_cluster cluster); /* until it is acked */
/* No more faults: everything that waits for a person gets one, until all has ended. */
void fake_client_tidy(struct fake_client *client);
/* True: all clusters are enrolled, and every stubborn request was answered for good. */
bool fake_client_is_content(const struct fake_client *client);
/* Writes into the story what is still open: jobs, enrolments, requests. */
void fake_client_tell(const struct fake_client *client);
