/* settings.h - the control plane's URL, token and CA: from a context in a file, from FAIRLEAD_*
 * variables and from flags, each overriding the one before.  A context's token and CA go with its
 * URL: with another URL neither is used.  The file is contexts.json in $XDG_CONFIG_HOME/fairlead
 * (else ~/.config/fairlead), mode 0600, replaced as a whole:
 *     {"current": "lab", "contexts": {"lab": {"url": ..., "token": ..., "ca_file": ...}}} */
#pragma once

#include <jansson.h>

#include "cli/args.h"
#include "shared/base/arena.h"
#include "shared/base/err.h"

enum { CLI_TOKEN_BYTES_MAX = 256 };

struct cli_settings {
    const char *context; /* its name; NULL: none */
    const char *url;     /* without a last '/'; NULL: not known */
    const char *token;   /* NULL: none */
    const char *ca_file; /* NULL: the system's */
    const char *as;      /* the person for whom requests act; NULL: the token's owner */
};

/* FL_INVALID for a context that is not there, FL_IO for a file that cannot be read. */
FL_CHECK bool cli_settings_read(const struct cli_args *args, struct fl_arena *arena,
                                struct cli_settings *ret_settings, struct fl_err *err);

/* The contexts file as it is; an empty one if it is absent. */
FL_CHECK bool cli_contexts_read(struct fl_arena *arena, json_t **ret_contexts, struct fl_err *err);
FL_CHECK bool cli_contexts_write(struct fl_arena *arena, const json_t *contexts,
                                 struct fl_err *err);

/* The first line of a file, or of standard input for "-". */
FL_CHECK bool cli_token_read(const char *file, struct fl_arena *arena, const char **ret_token,
                             struct fl_err *err);

/* "https://host:port" or "http://..." of a loopback address; the copy has no last '/'. */
FL_CHECK bool cli_url_check(const char *text, struct fl_arena *arena, const char **ret_url,
                            struct fl_err *err);
