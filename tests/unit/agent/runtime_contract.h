/* runtime_contract.h - what every runtime must do (agent/runtime.h), as tests that any of them can
 * be put to.  A runtime brings a world: how to make it, how to let time pass, and how its agent is
 * started anew. */
#pragma once

#include "agent/runtime.h"

enum contract_job {
    CONTRACT_SHORT,   /* ends by itself, soon, with code 0 */
    CONTRACT_ENDLESS, /* runs until it is stopped */
};

struct contract_world {
    void *ctx;
    void (*begin)(void *ctx, enum contract_job job); /* a world without replicas */
    void (*end)(void *ctx);
    /* A runtime object on the state of this world; the one before is gone. */
    struct runtime (*open)(void *ctx);
    /* The command of the job, after "sh -c". */
    const char *(*script)(void *ctx);
    void (*turn)(void *ctx);    /* some time passes, and what is due happens */
    bool (*is_late)(void *ctx); /* so much time has passed that what has not happened will not */
    bool has_output;            /* and its endless job writes "ready\n", its short one "done\n" */
};

/* Runs every test on the world; an assertion of cmocka fails the caller. */
void runtime_contract_run(const struct contract_world *world);

/* The document of a job with one replica that runs this by "sh -c"; the caller releases it. */
struct runtime_job *contract_document(const char *script);
