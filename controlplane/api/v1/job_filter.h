/* job_filter.h - which jobs a list or a bulk action is for: queue, state, labels, and whose. */
#pragma once

#include "controlplane/api/call.h"
#include "controlplane/core/job.h"
#include "controlplane/store/read_jobs.h"

struct job_filter {
    struct fl_queue_id queue; /* 0: any */
    struct fl_str queue_name; /* empty: any */
    bool wants_open, wants_ended;
    uint32_t open_states;  /* bits by number; 0: any of them */
    uint32_t ended_states; /* as read_jobs.h wants them; 0: any of them */
    struct fl_str labels;  /* "key=value\n" lines, sorted; empty: any */
    struct fl_str owner;   /* empty: any */
    struct fl_str name;    /* a pattern, see fl_name_fits; empty: any */
};

/* From the query, or from words of the body that stand as they would in a query: states and labels
 * are lists with commas, an owner may be @me, a name may have stars.  A token for one queue sees no
 * other.  False: the call was answered. */
struct job_filter_words {
    struct fl_str queue, states, labels, owner, name;
};

FL_CHECK bool job_filter_query(struct api_call *call, struct job_filter *ret_filter);
FL_CHECK bool job_filter_body(struct api_call *call, const struct job_filter_words *words,
                              struct job_filter *ret_filter);

/* An open job passes by what the core knows of it, and by what is stored of it: its labels, its
 * owner and its name, where the filter names some. */
bool job_filter_open(const struct job_filter *filter, const struct core_job_view *view);
bool job_filter_needs_stored(const struct job_filter *filter);
bool job_filter_stored(const struct job_filter *filter, const struct read_job *stored);
