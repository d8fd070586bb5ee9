/* job_json.h - a job as the API shows it, open or ended. */
#pragma once

#include "controlplane/api/call_reads.h"

/* The members of a row in a list; the object is open.  'stored' may be NULL. */
void job_json_view(struct api_call *call, struct fl_json_out *json,
                   const struct core_job_view *view, const struct read_job *stored);
/* One that was accepted at that time, as its document says; more is not known of it yet. */
void job_json_accepted(struct api_call *call, struct fl_json_out *json, struct fl_job job, fl_ms at,
                       const struct core_submit_item *item);
/* 'counts' has those of arrays that were asked for; NULL: none was. */
void job_json_stored(struct api_call *call, struct fl_json_out *json, const struct read_job *job,
                     const struct read_element_counts *counts);

/* Are the ends of its elements to be asked for?  Takes its elements from 'room'; false, too, when
 * there is not that much. */
bool job_json_wants_counts(const struct read_job *job, uint32_t *room);

void job_json_cluster(struct api_call *call, struct fl_json_out *json,
                      struct fl_cluster number);                  /* unknown or none: null */
void job_json_name(struct fl_json_out *json, struct fl_str name); /* empty: null */
/* Writes the member 'deadline', in seconds; null: none. */
void job_json_deadline(struct fl_json_out *json, uint32_t deadline_s);
void job_json_parallelism(struct fl_json_out *json, uint32_t parallelism);

/* Writes the member 'queue', its name; null: it has none any more. */
void job_json_queue(struct api_call *call, struct fl_json_out *json, struct fl_queue_id queue);

/* Writes the member 'usage'; nothing is written when nothing is known. */
void job_json_usage(struct fl_json_out *json, const struct fl_usage *usage);

/* "key=value\n" lines as an object. */
void job_json_lines(struct fl_json_out *json, const char *key, struct fl_str lines);
