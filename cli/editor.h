/* editor.h - lets a person change a file in the editor of VISUAL or EDITOR, else vi. */
#pragma once

#include "shared/base/err.h"

/* Waits until the editor has ended.  False: it could not be run, or ended otherwise than well. */
FL_CHECK bool cli_editor_run(const char *path, struct fl_err *err);
