/* edit_text.h - an open job as a text that a person changes, and the text as the edit that it asks
 * for.  Pure but for memory. */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "shared/base/arena.h"
#include "shared/base/err.h"

enum { CLI_EDIT_TEXT_MAX = 1 << 20 };

/* The members of a job, as GET has it, that may be changed: as YAML under a few lines of help. */
void cli_edit_text_write(const json_t *job, FILE *out);

/* The body of the PATCH that makes the job as the text says: only members that differ; without any,
 * or of an empty text: nothing was changed.  A member that the text lacks is taken away, if it may
 * be; an unknown one goes along, for the control plane to refuse by name.  NULL: the text is no
 * YAML of this kind, and 'err' says in which line. */
json_t *cli_edit_text_read(const json_t *job, struct fl_str text, struct fl_arena *arena,
                           struct fl_err *err);
