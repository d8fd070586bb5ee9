/* default_cpu.h - the CPU of a replica that asks for none: the default of its queue, else the
 * setting default_cpu.  It is set aside like any other request and is no limit; the job's document
 * has it from then on, so that a later default changes nothing of the jobs that are there. */
#pragma once

#include "shared/spec/job_spec.h"

struct api_call;
struct fl_json_out;

/* The default of a queue, under this name in all objects. */
#define DEFAULT_CPU_FIELD "defaultCpu"
void default_cpu_put(struct fl_json_out *json, bool has_default_cpu, uint32_t milli);

/* In thousandths, for jobs that go to this queue; 0: none.  For a queue that is not known here the
 * setting counts: the core refuses it. */
uint32_t default_cpu_of(struct api_call *call, struct fl_str queue);

/* Whether some role asks for no CPU. */
bool default_cpu_is_due(const struct fl_job_spec *spec);

/* Roles that ask for no CPU ask for this from now on. */
void default_cpu_give(struct fl_job_spec *spec, uint32_t milli);
