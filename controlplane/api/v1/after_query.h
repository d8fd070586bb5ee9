/* after_query.h - ?after=job-7,job-8:any: jobs that a submitted one is to run after, besides those
 * that its document names. */
#pragma once

#include <stdbool.h>

struct api_call;
struct fl_dependencies;

/* Adds them.  False: the call was answered. */
bool after_query(struct api_call *call, struct fl_dependencies *after);
