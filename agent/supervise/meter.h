/* meter.h - measures the job, once its last process has ended: by its control group where it has
 * one that keeps account, else by the kernel's account of the processes that we have waited for,
 * which are all of them.  Uses shared/base and agent/process. */
#pragma once

#include "agent/process/layout.h"

/* Meter 'none': no process was started. */
struct fl_usage meter_read(const struct layout_spec *spec);
