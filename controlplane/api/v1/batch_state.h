/* batch_state.h - a batch of jobs while its call lasts, for job_batch.c and batch_*.c alone.
 * The call goes through four phases: all lines are read; the specs that lines name by digest are
 * looked up; each line, in order, becomes an item for the core, the definition of a spec, or a
 * problem; the core's outcomes and the problems are written, a result a line.  Lines are read,
 * taken and written in slices, so each phase keeps its place here.
 * Calls go one way: job_batch -> batch_specs -> batch_item -> batch_problem.
 * Lines, problems and outcomes live in the call's arena; items live in the event's. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/api/ndjson.h"
#include "controlplane/api/v1/batch_bounds.h"
#include "controlplane/api/v1/submit_item.h"
#include "controlplane/store/read_specs.h"
#include "shared/spec/submission.h"
#include "shared/tls/digest.h"

enum { BATCH_VARIANTS_MAX = 16 };

/* A spec that later lines use by its name. */
struct batch_defined {
    struct fl_str name;
    const struct fl_json *document;
    struct fl_submission job;
    struct submit_spec shared;
    uint32_t default_cpu_milli; /* its queue's, which is in 'shared' */
};

/* A spec of an earlier submission, which lines use by its digest. */
struct batch_earlier {
    struct fl_job_spec spec;
    struct submit_spec shared;
    struct fl_err err; /* FL_OK, or why it cannot be used */
};

/* One line of the request, or one member of its list. */
struct batch_line {
    uint32_t number;
    const struct fl_json *node; /* NULL: it is not one, as 'problem' says */
    size_t item;                /* its index in 'items'; valid without 'problem' and 'defines' */
    struct fl_str problem;      /* JSON; empty: none */
    struct fl_str defines;      /* the name of a spec; empty: none */
};

struct batch {
    struct api_call *call;
    struct batch_bounds bounds;
    struct engine_event *event; /* ours until it is sent */
    struct ndjson text;         /* lines that are not read yet */
    size_t taken;               /* lines that are items or problems now */
    struct {
        struct batch_line *at;
        size_t len, cap;
    } lines;
    struct {
        struct batch_defined *at;
        size_t len, cap;
    } defined;
    struct batch_defined variants[BATCH_VARIANTS_MAX]; /* the same with other default CPUs */
    size_t variants_len;
    uint64_t hashes[BATCH_LINES_MAX]; /* their names', which each use looks through */
    struct {
        struct core_submit_item *at;
        size_t len, cap;
    } items;
    struct fl_digest digests[READ_NEWEST_SPECS_MAX]; /* each once */
    struct batch_earlier earlier[READ_NEWEST_SPECS_MAX];
    size_t digests_len;
    bool held[CORE_SUBMIT_MAX]; /* each item's is_held: by the answer the engine owns the items */
    const struct core_outcome *outcomes; /* the items', in the call's arena */
    size_t written;                      /* lines that are in the answer */
    /* The spec of the line before, which the next one is likely to have too. */
    struct submit_spec last;
};
