/* job_resubmit.h - an ended job, or chosen elements of it, run again as a new job.
 * One flow at a time per call, whose 'state' must begin with the struct: it asks the store for the
 * spec and, where only what failed or failed alike is wanted, for how the elements ended.  Then it
 * submits. */
#pragma once

#include "controlplane/api/call_reads.h"
#include "shared/base/element_set.h"

enum resubmit_what { RESUBMIT_all, RESUBMIT_failed, RESUBMIT_failure, RESUBMIT_elements };

struct job_resubmit {
    enum resubmit_what what;
    struct fl_element_set picks; /* RESUBMIT_elements: which; else found out */
    struct fl_str failure;       /* RESUBMIT_failure: the group's id */
    struct read_job job;         /* copied into the call's arena */
    bool waits_for_cluster;      /* it is accepted even if no enrolled cluster could ever run it */
    bool is_one_of_many;         /* the request has more, each with a key made of the request's */
    /* FL_OK with the new job, else why not.  The picks are the caller's to fini. */
    void (*done)(struct api_call *call, struct fl_job job, enum fl_code code, const char *text);
};

/* 'resubmit' is filled but for 'job', which is ended. */
void job_resubmit_start(struct api_call *call, const struct read_job *job);
