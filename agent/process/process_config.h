/* process_config.h - opens the process runtime from its settings (process_config.def).  Where they
 * are empty it finds the supervisor, the node's name and the group for limits itself.
 * Uses shared code and agent/runtime.h. */
#pragma once

#include "agent/runtime.h"

/* By their place behind setup->setting_first. */
enum process_setting {
#define SETTING(key, kind, preset, min, max, text) PROCESS_SETTING_##key,
#include "agent/process/process_config.def"
#undef SETTING
};

/* Replicas have their directories in 'replicas' below the state directory. */
FL_CHECK bool process_open(const struct runtime_setup *setup, struct runtime *ret_runtime,
                           struct fl_err *err);
