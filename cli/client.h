/* client.h - one request after another to the control plane's REST API.
 * A control plane that is away (no connection, 429, 503) is asked again for CLI_PATIENCE_MS, or
 * CLI_LOOK_MS by verbs that only look and find no connection; after 2 s stderr says so.  A POST or
 * PATCH goes with an Idempotency-Key, so that asking again makes nothing twice.  Redirects are
 * never followed; the certificate is always checked. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "cli/json_read.h"

enum { CLI_PATIENCE_MS = 30000, CLI_LOOK_MS = 2500, CLI_ANSWER_BYTES_MAX = 64 << 20 };

struct cli_request {
    const char *method;       /* "GET" */
    const char *path;         /* "/v1/jobs?limit=5", escaped */
    const char *content_type; /* the body's; NULL: application/json */
    const char *body;         /* NULL: none */
    size_t body_len;
    const char *key;      /* Idempotency-Key; NULL: a POST or PATCH gets its own */
    const char *if_match; /* NULL: none */
    const char *accept;   /* NULL: application/json */
    bool is_impatient;    /* one try */
};

struct cli_reply {
    unsigned status;
    char *body; /* ends with a zero byte */
    size_t len;
    const char *content_range; /* NULL: none */
};

/* False: there was no answer; FL_UNAVAILABLE with what to do.  The reply is the arena's. */
FL_CHECK bool cli_send(struct cli *cli, const struct cli_request *request,
                       struct cli_reply *ret_reply, struct fl_err *err);

/* The same, for an answer in JSON.  0: *ret_json is the caller's (NULL: 204, or the body is no JSON
 * value); else an exit code, and stderr says what the problem was. */
int cli_call(struct cli *cli, const struct cli_request *request, json_t **ret_json);
int cli_get(struct cli *cli, json_t **ret_json, const char *fmt, ...) FL_PRINTF(3, 4);
/* One try, for those who look again soon; NULL: no good answer, and nothing is printed. */
json_t *cli_look(struct cli *cli, const char *fmt, ...) FL_PRINTF(2, 3);
int cli_post(struct cli *cli, json_t **ret_json, json_t *body, const char *fmt, ...)
    FL_PRINTF(4, 5); /* takes body */
int cli_patch(struct cli *cli, json_t **ret_json, json_t *body, const char *fmt, ...)
    FL_PRINTF(4, 5); /* takes body */

/* Percent-encoded, in the arena. */
const char *cli_escape(struct cli *cli, const char *text);
