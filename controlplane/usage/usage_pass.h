/* usage_pass.h - reads the rows of some batches for the ledger of usage, and adds them up.
 * A pass is used so: begin; rows of each batch in their order; gather, which says which jobs are
 * meant; the rows of jobs, attempts and specs that are not known, from their tables; sum.  A job
 * that is still not known then, since its rows are gone, is left out.
 * Jobs and specs that it has read are remembered for the next pass, which must begin where this one
 * ended, or forget (usage_cache_empty).
 * Uses shared/base, shared/spec and the rows.  Pure. */
#pragma once

#include "controlplane/usage/usage_cache.h"
#include "controlplane/usage/usage_day.h"
#include "controlplane/usage/usage_hour.h"
#include "shared/base/arena.h"
#include "shared/base/map.h"
#include "shared/base/vec.h"

enum {
    USAGE_LABELS_MAX = 8,          /* names of labels that are counted */
    USAGE_LABELS_BYTES_MAX = 1024, /* a job's; those that do not fit are left out */
    USAGE_PASS_ATTEMPTS = 20000,   /* ended ones: it is full from then on, ... */
    USAGE_PASS_EVENTS = 40000,     /* ... or with so many starts and ends of jobs */
    USAGE_SPECS_KNOWN_MAX = 10000, /* remembered from one pass to the next */
};

struct usage_ended { /* an attempt */
    uint64_t job;
    uint32_t element;
    uint16_t n;
    bool is_last;       /* it ended with its element, unless it had ended before */
    bool has_succeeded; /* its element did, with it */
    bool is_known;      /* it is there, and this is its end */
    fl_ms began_at, ended_at;
    struct fl_usage used;
};

struct usage_event { /* a first start, or the end of a job */
    uint64_t job;
    fl_ms at;
    enum throughput_count what;
};

struct usage_subject { /* a job of which something is counted */
    uint64_t id;
    bool is_known;
    bool has_ended; /* an attempt did, so its spec is needed */
    fl_ms submitted_at;
    struct usage_group group;
    struct fl_digest spec;
};

struct usage_asked { /* a spec asks for so much, for all replicas */
    struct fl_resources_sum held;
    uint32_t replicas;
};

struct usage_pass {              /* {0}, with the labels, is empty */
    const struct fl_str *labels; /* names of those that are counted; the caller's */
    size_t labels_len;
    struct usage_cache memory;
    struct fl_map specs; /* digest -> index of 'asked' */
    FL_VEC(struct usage_asked) asked;

    struct fl_arena arena;
    FL_VEC(struct usage_ended) ended;
    FL_VEC(struct usage_event) events;
    FL_VEC(struct usage_subject) jobs; /* by id */
    struct usage_days days;
    struct usage_hours hours;
    uint64_t summed; /* attempts that are in 'days' */
};

void usage_pass_fini(struct usage_pass *pass);

void usage_pass_begin(struct usage_pass *pass);
/* Answers may be missing: all specs are asked for anew. */
void usage_pass_forget_specs(struct usage_pass *pass);
bool usage_pass_is_full(const struct usage_pass *pass);

/* The rows of one batch, of the time 'at'.  On false the rest of them is left out: FL_TORN. */
FL_CHECK bool usage_pass_rows(struct usage_pass *pass, struct fl_str rows, fl_ms at,
                              struct fl_err *err);

/* Fills 'jobs', as far as the memory knows them. */
void usage_pass_gather(struct usage_pass *pass);

/* A job that is gathered, from its row in the table; its strings are copied. */
void usage_pass_job(struct usage_pass *pass, uint64_t id, const struct usage_job *job);
/* When the attempt of this place in 'ended' began, and whether it has ended by a row of its own. */
void usage_pass_attempt(struct usage_pass *pass, size_t place, fl_ms began_at, bool has_end);

/* The next job at or behind 'from' whose spec is not known: makes a place in 'asked' for it, until
 * usage_pass_spec fills it.  NULL: all are known. */
const struct usage_subject *usage_pass_lacks(struct usage_pass *pass, size_t *from,
                                             size_t *ret_place);
void usage_pass_spec(struct usage_pass *pass, size_t place, struct fl_str body);

/* Fills 'days' and 'hours'. */
void usage_pass_sum(struct usage_pass *pass);
