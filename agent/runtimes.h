/* runtimes.h - the table of runtimes, from which the setting 'runtime' chooses.  A new runtime is
 * one row, its settings (a .def file of its own, included by config.def) and its folder.
 * main.c opens one; nothing else knows more than agent/runtime.h. */
#pragma once

#include "agent/runtime.h"

struct agent_runtime_row {
    const char *name;     /* as the setting says it */
    size_t setting_first; /* the row of its first setting in config.def */
    /* Its settings begin at setup->setting_first. */
    bool (*open)(const struct runtime_setup *setup, struct runtime *ret_runtime,
                 struct fl_err *err);
    /* NULL: all that it keeps is on its host, and goes with that. */
    bool (*clear)(const struct runtime_setup *setup, fl_ms give_up_ms,
                  const struct runtime_clear_port *port, struct runtime_clear *ret_clear,
                  struct fl_err *err);
};

extern const struct agent_runtime_row agent_runtimes[];
extern const size_t agent_runtimes_len;

/* setup->setting_first is filled in here.  FL_INVALID: there is no runtime of this name, and 'err'
 * lists those that there are. */
FL_CHECK bool agent_runtime_open(const char *name, struct runtime_setup setup,
                                 struct runtime *ret_runtime, struct fl_err *err);

/* The same for a clear.  FL_UNSUPPORTED: this runtime has none. */
FL_CHECK bool agent_runtime_clear(const char *name, struct runtime_setup setup, fl_ms give_up_ms,
                                  const struct runtime_clear_port *port,
                                  struct runtime_clear *ret_clear, struct fl_err *err);
