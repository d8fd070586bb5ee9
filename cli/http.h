/* http.h - the HTTP client of this run, and the loop it is on.
 * Both are made at the first request; connections are kept from one request to the next.  The
 * client trusts the CA file of the settings, or the system's CAs where they name none.  A proxy is
 * the environment's: https_proxy or HTTPS_PROXY for an https URL, http_proxy for an http one, then
 * all_proxy or ALL_PROXY; no_proxy or NO_PROXY exempts hosts. */
#pragma once

#include "cli/cli.h"
#include "shared/base/buf.h"
#include "shared/http_client/http_client.h"

struct cli_http {
    struct fl_loop *loop;
    struct fl_http_client *client;
};

/* Borrowed until cli_http_end.  FL_UNAVAILABLE: the CA file cannot be read; FL_IO: libcurl. */
FL_CHECK bool cli_http(struct cli *cli, struct cli_http **ret_http, struct fl_err *err);
void cli_http_end(struct cli *cli); /* after all calls; without a client nothing happens */

enum { CLI_HTTP_TURN_MS = 200 }; /* so soon a wait sees Ctrl-C, at the latest */

/* The proxy for the control plane: "https_proxy" and its value; both NULL: none is set. */
struct cli_http_proxy {
    const char *variable, *value;
};
struct cli_http_proxy cli_http_proxy(const struct cli *cli);

struct cli_http_request {
    struct fl_http_request http;
    struct fl_http_header headers[8];
};

/* GET of that path of the control plane, with the token; the caller may change it.  Its strings are
 * the arena's. */
void cli_http_request(struct cli *cli, const char *path, struct cli_http_request *ret_request);
void cli_http_put_header(struct cli_http_request *request, const char *name, const char *value);

struct cli_http_answer {
    void (*head)(void *ctx, const struct fl_http_call *call); /* NULL is fine */
    void *ctx;
    struct fl_buf body; /* the caller's; bytes over its limit are dropped */
    unsigned status;    /* 0: no answer came */
};

/* Asks once and waits for the whole answer.  False: see http_client.h; FL_UNAVAILABLE after Ctrl-C,
 * too. */
FL_CHECK bool cli_http_run(struct cli *cli, const struct cli_http_request *request,
                           struct cli_http_answer *answer, struct fl_err *err);
